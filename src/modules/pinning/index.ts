export { noLongerWaiting, notPinned, pinnedAlready } from './errors.ts'
export { type DecisionOptions, mountPinning, type PinOptions } from './mount.ts'
export {
  countWaiting,
  endPin,
  findAverage,
  findPin,
  findShownPins,
  handOverPins,
  hasShownPin,
  listOwnPins,
  listPinsToDecide,
  listShownPins,
  type PinRow,
  pinChecks,
  pinColumns,
  stateNow,
} from './queries.ts'
export { Days, PIN_STATES, PinBody, type PinState, type PinSubject, PinsQuery, pinFields } from './schema.ts'
export {
  admitApplicant,
  applyForPin,
  cancelPin,
  cancelPinOfTarget,
  cancelPinsOfContent,
  type PinKind,
  pinForFree,
  refuseSecondPin,
  settlePin,
} from './service.ts'
export { pinView } from './view.ts'

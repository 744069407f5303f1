export { mountAdminPins } from './admin/mount.ts'
export { pinChecks } from './counters.ts'
export { notPinned, pinnedAlready } from './errors.ts'
export { pinTables } from './imports/thinksns/tables.ts'
export { type DecisionOptions, mountPinning } from './mount.ts'
export {
  commentPinKind,
  type PinOptions,
  pinsOfComments,
  pinsOfContent,
} from './pin-kinds.ts'
export {
  dearestFirst,
  endPin,
  findAverage,
  findShownPins,
  findShownPinsOf,
  handOverPins,
  hasShownPin,
  type PinRow,
  shownPins,
} from './queries.ts'
export {
  countWaiting,
  findLastPin,
  listOwnPins,
  listPinsAddressedTo,
  listPinsToDecide,
  listTargetsOfUser,
} from './requests/queries.ts'
export { Days, type PinSubject, PinsQuery, pinFields } from './schema.ts'
export { cancelPinOfTarget, cancelPinsOfContent, cancelPinsOfPerson, pinForFree } from './service.ts'
export { pinQueue } from './statistics.ts'
export { pinView } from './view.ts'

export { mountAdminPins } from './admin/mount.ts'
export { type DecisionOptions, mountPinning } from './mount.ts'
export { commentPinKind, type PinOptions, pinsOfComments, pinsOfContent } from './pin-kinds.ts'
export {
  anyPinShown,
  endPin,
  findAverageDailyPrice,
  findShownPins,
  findShownPinsOf,
  orderByPrice,
  type PinRow,
  pinChecks,
  pinQueue,
  reassignPins,
  selectShownPins,
  sqlHasShownPin,
} from './queries.ts'
export {
  countWaiting,
  findLastPin,
  listOwnPins,
  listPinsAddressedTo,
  listPinsToDecide,
  listTargetsOfUser,
} from './requests/queries.ts'
export {
  Days,
  notPinned,
  numberedPinFields,
  type PinSubject,
  PinsQuery,
  pinFields,
  pinnedAlready,
} from './schema.ts'
export { cancelPinOfTarget, cancelPinsOfContent, pinForFree, pinStateNumber, pinView } from './service.ts'

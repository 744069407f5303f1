import { PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { notEnoughFor } from '#modules/ledger/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'

export const notYours = apiError(
  403,
  'not_your_content',
  'You may only pin what is yours.',
  '只能置顶自己发布的内容。',
)
export const notYoursToDecide = apiError(
  403,
  'not_yours_to_decide',
  'Only the author of the content decides on this.',
  '只有内容作者可以处理该申请。',
)
export const pinnedAlready = apiError(
  422,
  'pin_open',
  'This is pinned, or a request to pin it is waiting.',
  '该内容已置顶或正在申请置顶。',
)
export const nobodyDecides = apiError(
  422,
  'owner_gone',
  'Who would decide on this is not here any more.',
  '内容作者已不存在，无法申请置顶。',
)
const decided = (status: 403 | 422) =>
  apiError(status, 'pin_decided', 'This request was handled already.', '该置顶申请已处理。')
export const pinDecided = decided(422)
/** 403 for administrators (pins-9). */
export const pinDecidedBefore = decided(403)
/** 422, where one would expect 403 (pins-7). */
export const notAddressedToYou = apiError(
  422,
  'not_yours_to_decide',
  'This request is not addressed to you.',
  '你没有权限处理该申请。',
)
export const notPinned = apiError(422, 'not_pinned', 'This is not pinned.', '该内容未置顶。')
export const amountRequired = fieldError(
  'amount',
  'validation_failed',
  'The amount field is required.',
  'amount 不能为空。',
)
export const notEnoughForPin = notEnoughFor('amount')

/** What asking for a pin may answer. */
export const PIN_ERRORS = [
  ...PAYMENT_PASSWORD_ERRORS,
  notYours,
  nobodyDecides,
  pinnedAlready,
  notEnoughForPin,
]

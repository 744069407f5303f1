import { PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { Amount, notEnoughFor } from '#modules/ledger/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { Cursor, Int, Limit, Nullable, RawText, Shared, type Static, Time, Type } from '#platform/http'

export const notYours = apiError(
  403,
  'not_your_content',
  'You may only pin your own content.',
  '只能置顶自己发布的内容。',
)
export const notYoursToDecide = apiError(
  403,
  'not_yours_to_decide',
  'Only the author of the content may decide on this request.',
  '只有内容作者可以处理该申请。',
)
export const pinnedAlready = apiError(
  422,
  'pin_open',
  'This is already pinned, or a request to pin it is pending.',
  '该内容已置顶或正在申请置顶。',
)
export const nobodyDecides = apiError(
  422,
  'owner_gone',
  'The author of the content, who would decide on the request, no longer exists.',
  '内容作者已不存在，无法申请置顶。',
)
const decided = (status: 403 | 422) =>
  apiError(status, 'pin_decided', 'This request has already been handled.', '该置顶申请已处理。')
export const pinDecided = decided(422)
/** Administrators get 403 when they decide a pin that is already decided (pins-9). */
export const pinDecidedBefore = decided(403)
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
  '金额不能为空。',
)
export const notEnoughForPin = notEnoughFor('amount')

export const PIN_ERRORS = [
  ...PAYMENT_PASSWORD_ERRORS,
  notYours,
  nobodyDecides,
  pinnedAlready,
  notEnoughForPin,
]

export const PIN_STATES = ['pending', 'active', 'expired', 'rejected', 'cancelled'] as const
export type PinState = (typeof PIN_STATES)[number]

export const Days = Int(1, 365)

/** `amount`: price in points for all days together. */
export const PinBody = Shared('NewPin', {
  amount: Amount,
  day: Days,
  password: Type.Optional(RawText(128)),
})
export type PinBody = Static<typeof PinBody>

export const PlainPinBody = Shared('NewPinPerhapsFree', {
  ...PinBody.properties,
  amount: Type.Optional(Amount),
})

export const PinsQuery = Type.Object({ after: Cursor, limit: Limit() })

export const pinFields = {
  id: Type.Integer(),
  channel: Type.String(),
  user_id: Type.Integer({ description: 'Applicant' }),
  target_user: Type.Integer({ description: 'User who decides; 0 for the administrators' }),
  amount: Type.Integer({ description: 'Total points for all days' }),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}

/** Replaces the state by a number, for older clients of articles and groups. */
export const numberedPinFields = {
  ...pinFields,
  state: Type.Integer({ description: '0 pending, 1 accepted, 2 rejected or cancelled' }),
}

export type PinSubject = {
  /** Id of the pinned content, or of the content under which a comment is pinned. */
  contentId: number
  targetId: number
  authorId: number
  /**
   * User who decides on pin requests and receives the payment. This user's own pins are free. If 0,
   * administrators decide and the site receives the payment.
   */
  deciderId: number
}

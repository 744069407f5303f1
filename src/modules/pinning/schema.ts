import { Amount } from '#modules/ledger/index.ts'
import { Cursor, Int, Limit, Nullable, RawText, Shared, type Static, Time, Type } from '#platform/schema.ts'

export const PIN_STATES = ['pending', 'active', 'expired', 'rejected', 'cancelled'] as const
export type PinState = (typeof PIN_STATES)[number]

/** How long something may be pinned for. */
export const Days = Int(1, 365)

/** `amount`: points for all days together. `password`: while the site asks for it when paying. */
export const PinBody = Shared('NewPin', {
  amount: Amount,
  day: Days,
  password: Type.Optional(RawText(128)),
})
export type PinBody = Static<typeof PinBody>

/** `amount` is not asked of who decides themselves. */
export const PlainPinBody = Shared('NewPinPerhapsFree', {
  ...PinBody.properties,
  amount: Type.Optional(Amount),
})

/** A page of pins, newest first. */
export const PinsQuery = Type.Object({ after: Cursor, limit: Limit() })

/** What every area shows of a pin; which ids are `raw` and `target`, and what is shown with them, differs. */
export const pinFields = {
  id: Type.Integer(),
  channel: Type.String(),
  user_id: Type.Integer({ description: 'Who asks' }),
  target_user: Type.Integer({ description: 'Who decides; 0: the administration' }),
  amount: Type.Integer({ description: 'Points for all days together' }),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
}

/** What is to be pinned. */
export type PinSubject = {
  /** The feed, article or post; for a comment the one that it is under. */
  contentId: number
  targetId: number
  /** Who may ask. */
  authorId: number
  /** Who decides and is paid; 0: an administrator decides, and the site is paid. Their own pins are free and at once. */
  deciderId: number
}

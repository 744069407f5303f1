import { UserView } from '#modules/accounts/index.ts'
import { Shared, type Static, Type } from '#platform/schema.ts'

/** My check-ins, and who came first today (feeds-36). */
export const CheckinState = Shared('CheckinState', {
  rank_users: Type.Array(UserView, { description: 'the first five of today' }),
  checked_in: Type.Boolean({ description: 'today, in UTC' }),
  checkin_count: Type.Integer(),
  last_checkin_count: Type.Integer({ description: 'days in a row, up to the last one' }),
  attach_balance: Type.Integer({ description: 'what a check-in brings' }),
})
export type CheckinState = Static<typeof CheckinState>

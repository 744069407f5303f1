import { UserView } from '#modules/accounts/index.ts'
import { Cursor, Int, Limit, Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'

const MAX_SECONDS = 9_999_999_999

/** `start` and `end` are seconds since the epoch. */
export const IncomesQuery = Type.Object({
  type: Type.Optional(OneOf(['all', 'join', 'pinned'], { default: 'all' })),
  start: Type.Optional(Int(0, MAX_SECONDS)),
  end: Type.Optional(Int(0, MAX_SECONDS)),
  after: Cursor,
  limit: Limit(),
})
export type IncomesQuery = Static<typeof IncomesQuery>

/** What a group earned its founder. */
export const GroupIncome = Shared('GroupIncome', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  subject: Type.String({ description: 'Who joined, or the post that was pinned' }),
  type: Type.Integer({ description: '1 somebody joined, 2 something was pinned' }),
  amount: Type.Integer(),
  currency: Type.String({ description: 'points or wallet' }),
  user_id: Type.Integer({ description: 'Who paid' }),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
})

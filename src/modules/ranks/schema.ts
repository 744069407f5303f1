import { UserExtra, UserView } from '#modules/accounts/index.ts'
import { Limit, Offset, type Static, Type } from '#platform/schema.ts'

/** Ranks show ten unless asked otherwise (R §12.4). */
export const RankQuery = Type.Object({ limit: Limit(10), offset: Offset })

/** A person with their place, from 1, and what it goes by. */
export const RankedUser = Type.Object({
  ...UserView.properties,
  extra: Type.Object({
    ...UserExtra.properties,
    rank: Type.Integer(),
    count: Type.Optional(Type.Integer()),
  }),
})
export type RankedUser = Static<typeof RankedUser>

/** A person in the ranking of check-ins, with the name that the original misspells (R §22); the place is for members. */
export const CheckinRanked = Type.Object({
  ...UserView.properties,
  follwing: Type.Boolean(),
  extra: Type.Object({ ...UserExtra.properties, rank: Type.Optional(Type.Integer()) }),
})

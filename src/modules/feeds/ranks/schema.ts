import { UserView } from '#modules/accounts/index.ts'
import { Limit, Offset, OneOf, type Static, Type } from '#platform/schema.ts'

const RANK_TYPES = ['day', 'week', 'month'] as const
export type RankType = (typeof RANK_TYPES)[number]

export const RanksQuery = Type.Object({
  type: Type.Optional(OneOf(RANK_TYPES, { default: 'day' })),
  limit: Limit(10),
  offset: Offset,
})

/** A person in the ranking, with the place (from 1) and the likes received. */
export const RankedUser = Type.Object({
  ...UserView.properties,
  extra: Type.Object({
    ...UserView.properties.extra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})
export type RankedUser = Static<typeof RankedUser>

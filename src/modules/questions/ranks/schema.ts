import { UserView } from '#modules/accounts/index.ts'
import { Limit, Offset, OneOf, type Static, Type } from '#platform/schema.ts'

const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

export const RanksQuery = Type.Object({ limit: Limit(10), offset: Offset })
export const AnswerRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

/** A person in a ranking, with the place (from 1) and what is counted. */
export const RankedUser = Type.Object({
  ...UserView.properties,
  extra: Type.Object({
    ...UserView.properties.extra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})
export type RankedUser = Static<typeof RankedUser>

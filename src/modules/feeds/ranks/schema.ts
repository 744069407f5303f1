import { RanksQuery } from '#modules/accounts/index.ts'
import { PERIODS } from '#platform/periods.ts'
import { OneOf, Type } from '#platform/schema.ts'

export const FeedRanksQuery = Type.Object({
  ...RanksQuery.properties,
  type: Type.Optional(OneOf(PERIODS, { default: 'day' })),
})

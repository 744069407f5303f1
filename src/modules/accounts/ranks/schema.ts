import { Limit, Offset, Shared, type Static, Type } from '#platform/schema.ts'
import { UserExtra, UserView } from '../schema.ts'

/** A page of a ranking: ten people unless asked otherwise. */
export const RanksQuery = Type.Object({ limit: Limit(10), offset: Offset })
export type RanksQuery = Static<typeof RanksQuery>

/** A person in a ranking, with the place (from 1) and what is counted. */
export const RankedUser = Shared('RankedUser', {
  ...UserView.properties,
  extra: Shared('RankedUserExtra', {
    ...UserExtra.properties,
    rank: Type.Integer(),
    count: Type.Integer(),
  }),
})
export type RankedUser = Static<typeof RankedUser>

import { UserExtra, UserView } from '#modules/accounts/index.ts'
import { Shared, type Static, Type } from '#platform/schema.ts'

/** A person with their place, from 1, without what they are ranked by. */
export const PlacedUser = Shared('PlacedUser', {
  ...UserView.properties,
  extra: Shared('PlacedUserExtra', { ...UserExtra.properties, rank: Type.Integer() }),
})
export type PlacedUser = Static<typeof PlacedUser>

/** A person in the ranking of check-ins, with a name misspelled as clients know it; the place is for members. */
export const CheckinRankedUser = Shared('CheckinRankedUser', {
  ...UserView.properties,
  follwing: Type.Boolean(),
  extra: Shared('CheckinRankedUserExtra', { ...UserExtra.properties, rank: Type.Optional(Type.Integer()) }),
})

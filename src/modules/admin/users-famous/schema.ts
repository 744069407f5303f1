import { FAMOUS_TYPES, UserView } from '#modules/accounts/index.ts'
import { Listing } from '#platform/listing.ts'
import { OneOf, type Static, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

const FamousTypeName = OneOf(FAMOUS_TYPES)

/** Somebody whom everybody follows from the start, and since when. */
export const Famous = Type.Object({ type: FamousTypeName, created_at: Time, user: UserView })

export const FamousListing = Listing(Famous)
export const FamousQuery = Type.Object({
  ...listingQuery(['created_at', 'id']),
  type: Type.Optional(FamousTypeName),
})
export type FamousQuery = Static<typeof FamousQuery>

/** The body of PUT /admin/user-famous/{user}. */
export const FamousBody = Type.Object({ type: OneOf(FAMOUS_TYPES) })

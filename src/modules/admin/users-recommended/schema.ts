import { UserView } from '#modules/accounts/index.ts'
import { Listing } from '#platform/listing.ts'
import { Id, type Static, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** Somebody recommended, and since when. */
export const Recommendation = Type.Object({ recommended_at: Time, user: UserView })

export const RecommendationListing = Listing(Recommendation)
export const RecommendationQuery = Type.Object(listingQuery(['recommended_at', 'id']))
export type RecommendationQuery = Static<typeof RecommendationQuery>
export const PersonParams = Type.Object({ user: Id })

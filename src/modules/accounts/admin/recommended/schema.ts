import { listingQuery } from '#platform/listing.ts'
import { CursorBy, Shared, type Static, Time, Type } from '#platform/schema.ts'
import { UserView } from '../../schema.ts'

/** Somebody recommended, and since when. */
export const Recommendation = Shared('RecommendedUser', { recommended_at: Time, user: UserView })

/** Recommended people by a part of their name. */
export const RecommendationQuery = Type.Object({
  ...listingQuery(['recommended_at', 'id']),
  after: CursorBy('user.id'),
})
export type RecommendationQuery = Static<typeof RecommendationQuery>

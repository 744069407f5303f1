import { UserView } from '#modules/accounts/index.ts'
import { listingQuery } from '#platform/listing.ts'
import { Id, Int, Nullable, OneOf, Shared, type Static, Type } from '#platform/schema.ts'
import { Group } from '../schema.ts'
import { MODES } from '../standing/schema.ts'

/** A group as administrators see it, with what it earned. */
export const GroupRecord = Shared('GroupRecord', {
  ...Group.properties,
  founder: Nullable(UserView),
  recommended: Type.Boolean(),
})
export type GroupRecord = Static<typeof GroupRecord>

export const GroupQuery = Type.Object({
  ...listingQuery(['id']),
  audit: Type.Optional(Int(0, 2)),
  category_id: Type.Optional(Id),
  mode: Type.Optional(OneOf(MODES)),
  user_id: Type.Optional(Id),
})
export type GroupQuery = Static<typeof GroupQuery>

/** What administrators decide on a group. */
export const GroupReview = Shared('GroupReview', {
  audit: Type.Optional(
    Type.Unsafe<1 | 2>(Int(1, 2, { description: '1 lets it pass, 2 rejects or closes it' })),
  ),
  category_id: Type.Optional(Id),
})

/** A group that is recommended, and its place. */
export const NewRecommendation = Shared('NewGroupRecommendation', {
  group_id: Id,
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
})

export const RecommendQuery = Type.Object(listingQuery(['sort_by', 'id']))
export type RecommendQuery = Static<typeof RecommendQuery>

import { UserView } from '#modules/accounts/index.ts'
import { Category, Group, PostItem } from '#modules/groups/index.ts'
import { Listing } from '#platform/listing.ts'
import { Id, Int, Nullable, OneOf, type Static, Text, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** A category with the number of circles in it. */
export const CategoryRecord = Type.Object({ ...Category.properties, groups_count: Type.Integer() })
export const CategoryQuery = Type.Object({
  ...listingQuery(['id', 'sort_by']),
  status: Type.Optional(Int(0, 1)),
})
export type CategoryQuery = Static<typeof CategoryQuery>

/** `status`: 0 in use, 1 hidden. */
export const NewCategory = Type.Object({
  name: Text(50, { minLength: 1 }),
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
  status: Type.Optional(Int(0, 1)),
})
export type NewCategory = Static<typeof NewCategory>

/** A circle as administrators see it, with what it earned. */
export const GroupRecord = Type.Object({
  ...Group.properties,
  founder: Nullable(UserView),
  recommended: Type.Boolean(),
})
export type GroupRecord = Static<typeof GroupRecord>

export const GroupQuery = Type.Object({
  ...listingQuery(['id']),
  audit: Type.Optional(Int(0, 2)),
  category_id: Type.Optional(Id),
  mode: Type.Optional(OneOf(['public', 'private', 'paid'] as const)),
  user_id: Type.Optional(Id),
})
export type GroupQuery = Static<typeof GroupQuery>

export const GroupListing = Listing(GroupRecord)
export const GroupParams = Type.Object({ group: Id })

/** `audit` 1 lets a circle pass, 2 rejects or closes it (decisions §12). */
export const GroupPatch = Type.Object({
  audit: Type.Optional(Int(1, 2)),
  category_id: Type.Optional(Id),
})
export type GroupPatch = Static<typeof GroupPatch>

export const NewRecommend = Type.Object({
  group_id: Id,
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
})
export const RecommendQuery = Type.Object(listingQuery(['sort_by', 'id']))
export type RecommendQuery = Static<typeof RecommendQuery>

export const PostQuery = Type.Object({
  ...listingQuery(['id']),
  group_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type PostQuery = Static<typeof PostQuery>
export const PostRecord = Type.Object({ ...PostItem.properties, body: Type.String() })
export const PostListing = Listing(PostRecord)
export const PostParams = Type.Object({ post: Id })
export const CommentParams = Type.Object({ post: Id, comment: Id })

import {
  Flag,
  Id,
  IdList,
  Int,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { NewsTag, STATUS } from '../schema.ts'

/** A category with its number of articles in every state. */
export const NewsCategoryRecord = Shared('NewsCategoryRecord', {
  id: Type.Integer(),
  name: Type.String(),
  rank: Type.Integer(),
  news_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export const NewsCategoryQuery = Type.Object(listingQuery(['rank', 'id', 'name']))
export type NewsCategoryQuery = Static<typeof NewsCategoryQuery>

export const NewNewsCategory = Shared('NewNewsCategory', {
  name: Text(50),
  rank: Type.Optional(Int(-1_000_000, 1_000_000)),
})

/** An article in any state. `content` and `tags` are present for a single one. */
export const ArticleRecord = Shared('ArticleRecord', {
  id: Type.Integer(),
  title: Type.String(),
  subject: Type.String(),
  from: Nullable(Type.String()),
  author: Nullable(Type.String()),
  user_id: Type.Integer(),
  category_id: Type.Integer(),
  category: Type.String(),
  image: Nullable(Type.Integer()),
  audit_status: Type.Integer(),
  audit_count: Type.Integer(),
  mark: Nullable(Type.String()),
  contribute_amount: Type.Integer({ description: 'the fee in points that was paid for its publication' }),
  fee_state: Type.String(),
  recommend: Type.Boolean(),
  digg_count: Type.Integer(),
  comment_count: Type.Integer(),
  hits: Type.Integer(),
  published_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  content: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(NewsTag)),
})
export type ArticleRecord = Static<typeof ArticleRecord>

export const ArticleQuery = Type.Object({
  ...listingQuery(['id', 'hits', 'digg_count', 'comment_count']),
  title: Type.Optional(Text(100)),
  audit_status: Type.Optional(Int(0, 5)),
  category_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
  recommend: Type.Optional(Flag()),
})
export type ArticleQuery = Static<typeof ArticleQuery>

/** `user_id` is the author, by default the editor. */
export const NewArticle = Shared('NewArticle', {
  title: Text(255),
  content: Text(100_000),
  category_id: Id,
  subject: Type.Optional(Nullable(Text(400))),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
  image: Type.Optional(Nullable(Id)),
  tags: Type.Optional(IdList(20)),
  user_id: Type.Optional(Id),
})
export type NewArticle = Static<typeof NewArticle>

/** `audit_status`: 0 publishes, 3 rejects, 4 recycles. `mark`: reason shown to the author. */
export const ArticleDecision = Type.Object({
  audit_status: Type.Optional(
    Type.Unsafe<0 | 3 | 4>({
      type: 'integer',
      minimum: 0,
      maximum: 5,
      enum: [STATUS.published, STATUS.rejected, STATUS.recycled],
    }),
  ),
  mark: Type.Optional(Nullable(Text(255))),
  recommend: Type.Optional(Flag()),
})
export type ArticleDecision = Static<typeof ArticleDecision>

const DELETION_STATES = ['pending', 'accepted', 'rejected', 'cancelled'] as const

/** An author's request to delete a published article. */
export const NewsDeletionRecord = Shared('NewsDeletion', {
  id: Type.Integer(),
  news_id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  state: Type.String(),
  mark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})

export const NewsDeletionListing = Listing(NewsDeletionRecord)
export const NewsDeletionQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(DELETION_STATES)),
  user_id: Type.Optional(Id),
})
export type NewsDeletionQuery = Static<typeof NewsDeletionQuery>
export const NewsDeletionParams = Type.Object({ deletion: Id })

/** Accepting deletes the article. `mark`: reason for a rejection, shown to the author. */
export const NewsDeletionDecision = Shared('NewsDeletionDecision', {
  action: OneOf(['accept', 'reject'] as const),
  mark: Type.Optional(Nullable(Text(255))),
})

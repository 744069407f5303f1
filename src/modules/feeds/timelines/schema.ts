import {
  Cursor,
  Direction,
  Id,
  IdList,
  Int,
  Limit,
  Offset,
  OneOf,
  SameAs,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/schema.ts'
import { FeedView } from '../schema.ts'

export const FeedListQuery = Type.Object({
  type: Type.Optional(OneOf(['new', 'hot', 'follow', 'users'] as const, { default: 'new' })),
  // No default in the schema: a list of ids is answered whole unless a limit is given.
  limit: Type.Optional(Int(1, 100, { description: 'Default 15' })),
  after: Cursor,
  hot: Type.Optional(Int(0, Number.MAX_SAFE_INTEGER, { description: 'For type=hot: the last `hot`' })),
  user: Type.Optional(Id),
  screen: Type.Optional(OneOf(['paid', 'pinned'] as const)),
  search: Type.Optional(Text(100)),
  q: SameAs('search', Type.Optional(Text(100))),
  id: Type.Optional(IdList(100)),
})
export type FeedListQuery = Static<typeof FeedListQuery>

/** A page of feeds, with the pinned ones that come with the first. */
export const FeedList = Shared('FeedList', {
  ad: Type.Null(),
  pinned: Type.Array(FeedView),
  feeds: Type.Array(FeedView),
})

export const TopicFeedsParams = Type.Object({ topicID: Id })

export const TopicFeedsQuery = Type.Object({
  limit: Limit(),
  index: Cursor,
  after: Cursor,
  direction: Direction,
})
export type TopicFeedsQuery = Static<typeof TopicFeedsQuery>

/** A feed in the list of a topic: `index` is its place there. */
export const TopicFeed = Shared('TopicFeed', { ...FeedView.properties, index: Type.Integer() })

/** `user` may only be oneself: what others collect is theirs to know (feeds-23). */
export const CollectionQuery = Type.Object({
  limit: Limit(),
  offset: Offset,
  after: Cursor,
  user: Type.Optional(Id),
})
export type CollectionQuery = Static<typeof CollectionQuery>

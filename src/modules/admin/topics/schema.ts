import { UserView } from '#modules/accounts/index.ts'
import { AttachmentView } from '#modules/files/index.ts'
import { NewTopic, TOPIC_STATUSES } from '#modules/topics/index.ts'
import { Flag, Id, Listing, Nullable, OneOf, type Static, Text, Type, ZuluTime } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** A topic as reviewers see it. */
export const TopicRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  desc: Type.String(),
  logo: Nullable(AttachmentView),
  creator_user_id: Type.Integer(),
  creator: Nullable(UserView),
  status: OneOf(TOPIC_STATUSES),
  hot_at: Nullable(ZuluTime),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  created_at: ZuluTime,
  updated_at: ZuluTime,
})
export const TopicListing = Listing(TopicRecord)

/** `name` and `q` both mean a part of the name. */
export const TopicQuery = Type.Object({
  ...listingQuery(['id', 'feeds_count', 'followers_count']),
  id: Type.Optional(Id),
  name: Type.Optional(Text(100)),
  hot: Type.Optional(Flag()),
  status: Type.Optional(OneOf(TOPIC_STATUSES)),
})
export type TopicQuery = Static<typeof TopicQuery>

/** Unlike its creator, an administrator may change the name of a topic. */
export const TopicChanges = Type.Partial(NewTopic)

export const HotBody = Type.Object({ hot: Flag() })

export const ReviewBody = Type.Object({ status: OneOf(['passed', 'failed']) })

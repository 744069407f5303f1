import { UserView } from '#modules/accounts/index.ts'
import { AttachmentView } from '#modules/files/index.ts'
import { listingQuery } from '#platform/listing.ts'
import { Flag, Id, Nullable, OneOf, Shared, type Static, Text, Type, ZuluTime } from '#platform/schema.ts'
import { TOPIC_STATUSES } from '../schema.ts'

/** A topic as reviewers see it. */
export const TopicRecord = Shared('TopicRecord', {
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
export type TopicRecord = Static<typeof TopicRecord>

/** `name` and `q` both mean a part of the name. */
export const TopicQuery = Type.Object({
  ...listingQuery(['id', 'feeds_count', 'followers_count']),
  id: Type.Optional(Id),
  name: Type.Optional(Text(100)),
  hot: Type.Optional(Flag()),
  status: Type.Optional(OneOf(TOPIC_STATUSES)),
})
export type TopicQuery = Static<typeof TopicQuery>

/** Whether a topic is among the hot ones. */
export const HotBody = Shared('TopicHot', { hot: Flag() })

/** What a reviewer decides. */
export const ReviewBody = Shared('TopicReview', { status: OneOf(['passed', 'failed']) })

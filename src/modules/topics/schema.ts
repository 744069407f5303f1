import { AttachmentView } from '#modules/files/index.ts'
import {
  Cursor,
  Direction,
  Id,
  Limit,
  Nullable,
  Offset,
  OneOf,
  SameAs,
  Shared,
  type Static,
  Text,
  Type,
  ZuluTime,
} from '#platform/schema.ts'

export const TopicParams = Type.Object({ topicID: Id })

/** With `only`, the other parameters change nothing, but have to be valid (topics-2). */
export const TopicListQuery = Type.Object({
  q: Type.Optional(Text(1000)),
  limit: Limit(),
  direction: Direction,
  index: Cursor,
  after: SameAs('index', Cursor),
  only: Type.Optional(OneOf(['hot'])),
})
export type TopicListQuery = Static<typeof TopicListQuery>

export const ParticipantsQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

const Desc = Nullable(Text(500))
const LogoNode = Nullable(Text(512, { description: 'The node of a picture you stored' }))

/** What a topic is made of. */
export const NewTopic = Shared('NewTopic', {
  name: Text(100),
  desc: Type.Optional(Desc),
  logo: Type.Optional(LogoNode),
})
export type NewTopic = Static<typeof NewTopic>

/** The name of a topic stays: a `name` sent along is ignored (topics-9). */
export const TopicPatch = Shared('TopicChanges', { desc: Type.Optional(Desc), logo: Type.Optional(LogoNode) })
export type TopicPatch = Static<typeof TopicPatch>

/** What making a topic answers. */
export const TopicMade = Shared('TopicMade', {
  id: Type.Integer(),
  need_review: Type.Boolean({ description: 'It waits for a reviewer, so that nobody else sees it yet' }),
})
export type TopicMade = Static<typeof TopicMade>

/** Why a topic is reported. */
export const TopicReport = Shared('TopicReport', { message: Text(255) })

/** A topic in lists (topics-1). */
export const TopicItem = Shared('TopicItem', {
  id: Type.Integer(),
  name: Type.String(),
  logo: Nullable(AttachmentView),
  created_at: ZuluTime,
  desc: Type.String(),
  creator_user_id: Type.Integer(),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  has_followed: Type.Optional(Type.Boolean({ description: 'only for a signed-in reader' })),
})
export type TopicItem = Static<typeof TopicItem>

/** A topic by itself (topics-3). */
export const TopicDetail = Shared('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  logo: Nullable(AttachmentView),
  desc: Type.String(),
  creator_user_id: Type.Integer(),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  has_followed: Type.Optional(Type.Boolean({ description: 'only for a signed-in reader' })),
  participants: Type.Array(Type.Integer(), { description: 'the last three who posted, without the creator' }),
})
export type TopicDetail = Static<typeof TopicDetail>

export const TOPIC_STATUSES = ['waiting', 'passed', 'failed'] as const
export type TopicStatus = (typeof TOPIC_STATUSES)[number]

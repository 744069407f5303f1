import { AttachmentView } from '#modules/files/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Cursor,
  Direction,
  Id,
  Limit,
  Nullable,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  Type,
  WithAlias,
  ZuluTime,
} from '#platform/http'

export const noSuchTopic = apiError(404, 'no_such_topic', 'This topic does not exist.', '话题不存在。')
export const nameTaken = apiError(
  422,
  'topic_name_taken',
  'A topic with this name already exists.',
  '该名称的话题已存在。',
)

/** Rejects a topic that is unknown or hidden from the feed's author. */
export const unknownTopic = fieldError(
  'topics',
  'unknown_topic',
  'One of the topics does not exist.',
  '所选话题不存在。',
)

export const TopicParams = Type.Object({ topicID: Id })

/** `only` disables all other parameters, even invalid ones (topics-2). */
export const TopicListQuery = Type.Object({
  q: Type.Optional(Text(1000)),
  limit: Limit(),
  direction: Direction,
  index: Cursor,
  after: WithAlias('index', Cursor),
  only: Type.Optional(OneOf(['hot'], { 'x-alone': true, description: 'Other parameters are ignored' })),
})
export type TopicListQuery = Static<typeof TopicListQuery>

export const ParticipantsQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

const Desc = Nullable(Text(500))
const LogoNode = Nullable(Text(512, { description: 'Node of a picture that I uploaded' }))

export const NewTopic = Shared('NewTopic', {
  name: Text(100),
  desc: Type.Optional(Desc),
  logo: Type.Optional(LogoNode),
})
export type NewTopic = Static<typeof NewTopic>

/** Omits the name, because only administrators rename topics. A `name` in the body is ignored (topics-9). */
export const TopicPatch = Shared('TopicChanges', { desc: Type.Optional(Desc), logo: Type.Optional(LogoNode) })
export type TopicPatch = Static<typeof TopicPatch>

export const TopicMade = Shared('TopicMade', {
  id: Type.Integer(),
  need_review: Type.Boolean({
    description: 'True when the topic awaits review and is visible only to its creator',
  }),
})
export type TopicMade = Static<typeof TopicMade>

/** Clients name the text of a report in three ways (feeds-24). */
export const TopicReport = Shared('TopicReport', {
  message: Text(255),
  reason: WithAlias('message', Nullable(Text(255))),
  content: WithAlias('message', Nullable(Text(255))),
})

export const TopicItem = Shared('TopicItem', {
  id: Type.Integer(),
  name: Type.String(),
  logo: Nullable(AttachmentView),
  created_at: ZuluTime,
  desc: Type.String(),
  creator_user_id: Type.Integer(),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  has_followed: Type.Optional(Type.Boolean({ description: 'Only for signed-in users' })),
})
export type TopicItem = Static<typeof TopicItem>

export const TopicDetail = Shared('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  logo: Nullable(AttachmentView),
  desc: Type.String(),
  creator_user_id: Type.Integer(),
  feeds_count: Type.Integer(),
  followers_count: Type.Integer(),
  has_followed: Type.Optional(Type.Boolean({ description: 'Only for signed-in users' })),
  participants: Type.Array(Type.Integer(), {
    description: 'Last three users who posted, without the creator',
  }),
})
export type TopicDetail = Static<typeof TopicDetail>

export const TOPIC_STATUSES = ['waiting', 'passed', 'failed'] as const
export type TopicStatus = (typeof TOPIC_STATUSES)[number]

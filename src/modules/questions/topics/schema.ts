import { UserView } from '#modules/users/index.ts'
import {
  Cursor,
  IdList,
  Limit,
  Nullable,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  Type,
  WithAlias,
} from '#platform/http'

export const QuestionTopic = Shared('QuestionTopic', {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  avatar: Nullable(Type.String()),
  questions_count: Type.Integer(),
  follows_count: Type.Integer(),
  experts_count: Type.Integer(),
  has_follow: Type.Optional(Type.Boolean()),
})
export type QuestionTopic = Static<typeof QuestionTopic>

export const QuestionTopicDetail = Shared('QuestionTopicDetail', {
  ...QuestionTopic.properties,
  has_follow: Type.Boolean(),
  experts: Type.Array(UserView),
})

/** `follow`: any value requests `has_follow`. `name`: part of the name. */
export const TopicsQuery = Type.Object({
  limit: Limit(20),
  offset: Offset,
  after: Cursor,
  follow: Type.Optional(Text(50)),
  name: Type.Optional(Text(100)),
  q: WithAlias('name', Type.Optional(Text(100))),
})

export const MyTopicsQuery = Type.Object({
  limit: Limit(20),
  after: Cursor,
  type: Type.Optional(OneOf(['follow', 'expert'] as const, { default: 'follow' })),
})

export const TopicExpertsQuery = Type.Object({ limit: Limit(20), after: Cursor })

/** `topics`: experts of any of the topics. `keyword`: part of the expert's name. */
export const ExpertsQuery = Type.Object({
  limit: Limit(20),
  offset: Offset,
  after: Cursor,
  topics: Type.Optional(IdList(50)),
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
})
export type ExpertsQuery = Static<typeof ExpertsQuery>

export const TopicProposal = Shared('NewQuestionTopicProposal', {
  name: Text(100),
  description: Text(500),
})
export type TopicProposal = Static<typeof TopicProposal>

export const NewQuestionTopic = Shared('NewQuestionTopic', {
  name: Text(100),
  description: Type.Optional(Nullable(Text(500))),
  avatar: Type.Optional(Nullable(Text(512, { description: 'Node of a picture that I uploaded' }))),
})
export type NewQuestionTopic = Static<typeof NewQuestionTopic>

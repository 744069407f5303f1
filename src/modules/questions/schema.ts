import { UserView } from '#modules/accounts/index.ts'
import { LikeWithUser } from '#modules/likes/index.ts'
import { Reward } from '#modules/rewards/index.ts'
import { Id, Int, Nullable, Offset, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

export const QuestionParams = Type.Object({ question: Id })
export const AnswerParams = Type.Object({ answer: Id })
export const TopicParams = Type.Object({ topic: Id })
export const ListQuery = Type.Object({ limit: Type.Optional(Int(1, 100, { default: 20 })), offset: Offset })

/** Markdown, and what a list shows of it; made from the Markdown when a client does not send it. */
export const Markdown = (options: object = {}) => Text(50_000, options)
export const Excerpt = Type.Optional(Nullable(Text(5000)))

/** 0 or 1, as clients know the switches of questions and answers. */
const Bit = (description: string) => Type.Integer({ description })

const questionFields = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: '0 when asked anonymously by somebody else' }),
  subject: Type.String(),
  body: Nullable(Type.String()),
  text_body: Nullable(Type.String()),
  anonymity: Bit('1 anonymous'),
  amount: Type.Integer({ description: 'The bounty in points; 0 for none' }),
  automaticity: Bit('1: the bounty goes to the person invited as soon as they answer'),
  look: Bit('1: others pay for a look at the invited answer'),
  excellent: Bit('1 excellent'),
  status: Type.Integer({ description: '0 open, 1 solved, 2 closed' }),
  comments_count: Type.Integer(),
  answers_count: Type.Integer(),
  watchers_count: Type.Integer(),
  likes_count: Type.Integer(),
  views_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
}

/** A question by itself; `user` is absent when it was asked anonymously by somebody else (R §19.2). */
export const QuestionView = Shared('Question', { ...questionFields, user: Type.Optional(Nullable(UserView)) })
export type QuestionView = Static<typeof QuestionView>

const answerFields = {
  id: Type.Integer(),
  question_id: Type.Integer(),
  user_id: Type.Integer({ description: '0 when answered anonymously by somebody else' }),
  body: Nullable(Type.String({ description: 'null when a look has to be paid for' })),
  text_body: Nullable(Type.String()),
  anonymity: Bit('1 anonymous'),
  adoption: Bit('1 adopted'),
  invited: Bit('1: written by who was invited'),
  comments_count: Type.Integer(),
  rewards_amount: Type.Integer(),
  rewarder_count: Type.Integer(),
  likes_count: Type.Integer(),
  views_count: Type.Integer(),
  onlookers_count: Type.Integer(),
  onlookers_total: Type.Integer(),
  created_at: Time,
  updated_at: Time,
  liked: Type.Boolean(),
  collected: Type.Boolean(),
  rewarded: Type.Boolean(),
  could: Type.Optional(Type.Boolean({ description: 'Only for answers that are looked at for points' })),
}

/** An answer; `user` is absent when it was given anonymously by somebody else (R §19.5). */
export const AnswerView = Shared('Answer', { ...answerFields, user: Type.Optional(Nullable(UserView)) })
export type AnswerView = Static<typeof AnswerView>

/** A question in a list, with its newest answer. */
export const QuestionItem = Shared('QuestionItem', {
  ...QuestionView.properties,
  answer: Nullable(Type.Object(AnswerView.properties)),
})
export type QuestionItem = Static<typeof QuestionItem>

/** An answer with the question it answers; `likes` and `rewarders` preview who gave some. */
export const AnswerDetail = Shared('AnswerDetail', {
  ...AnswerView.properties,
  likes: Type.Array(LikeWithUser),
  rewarders: Type.Array(Reward),
  question: Type.Object({ ...QuestionView.properties, has_adoption: Type.Boolean() }),
})
export type AnswerDetail = Static<typeof AnswerDetail>

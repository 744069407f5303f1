import { LikeWithUser } from '#modules/likes/index.ts'
import { Reward } from '#modules/rewards/index.ts'
import { Cursor, Flag, Id, Limit, Nullable, OneOf, Shared, type Static, Type } from '#platform/http'
import { AnswerView, Excerpt, ListQuery, Markdown, QuestionView } from '../schema.ts'

export const NewAnswer = Shared('NewAnswer', {
  body: Markdown({ minLength: 1 }),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
})
export type NewAnswer = Static<typeof NewAnswer>

/** Changes to an answer, at least one field. */
export const AnswerPatch = Type.Partial(NewAnswer, { title: 'AnswerPatch' })
export type AnswerPatch = Static<typeof AnswerPatch>

/** Reply of a new answer and of a paid view. */
export const AnswerMade = Shared('AnswerMade', {
  message: Type.Array(Type.String()),
  answer: AnswerView,
})

/** `default`: most liked first. `time`: newest first. */
export const AnswersQuery = Type.Object({
  ...ListQuery.properties,
  order_type: Type.Optional(OneOf(['default', 'time'] as const, { default: 'default' })),
})
export type AnswersQuery = Static<typeof AnswersQuery>

/** An answer with its question. `likes` and `rewarders` preview the newest. */
export const AnswerDetail = Shared('AnswerDetail', {
  ...AnswerView.properties,
  likes: Type.Array(LikeWithUser),
  rewarders: Type.Array(Reward),
  question: Shared('AnsweredQuestion', { ...QuestionView.properties, has_adoption: Type.Boolean() }),
})
export type AnswerDetail = Static<typeof AnswerDetail>

export const UserAnswersQuery = Type.Object({
  limit: Limit(15),
  after: Cursor,
  user_id: Type.Optional(Id),
  type: Type.Optional(OneOf(['all', 'adoption', 'invitation', 'other'] as const, { default: 'all' })),
})
export type UserAnswersQuery = Static<typeof UserAnswersQuery>

/** An answer in a user's list, with its question. */
export const UserAnswer = Shared('UserAnswer', {
  ...AnswerView.properties,
  question: Nullable(QuestionView),
})

import { UserView } from '#modules/accounts/index.ts'
import { Cursor, Id, IdList, Limit, Nullable, OneOf, type Static, Text, Type } from '#platform/schema.ts'
import { AnswerView, ListQuery, QuestionView } from '../schema.ts'
import { QuestionTopic } from '../topics/schema.ts'

/** `new` (unless given): what nobody has answered. `subject`: a part of it. `id`: these questions and no others. */
export const QuestionsQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(
    OneOf(['new', 'all', 'hot', 'reward', 'excellent', 'follow'] as const, { default: 'new' }),
  ),
  subject: Type.Optional(Text(255)),
  id: Type.Optional(IdList(100)),
})
export type QuestionsQuery = Static<typeof QuestionsQuery>

const answers = Type.Array(Type.Object(AnswerView.properties))

/** A question on its own. `invitations`: the asker and who is invited see all; others see who answered by name. */
export const QuestionDetail = Type.Object({
  ...QuestionView.properties,
  watched: Type.Boolean(),
  my_answer: Nullable(Type.Object(AnswerView.properties)),
  invitation_answers: answers,
  adoption_answers: answers,
  topics: Type.Array(QuestionTopic),
  invitations: Type.Array(UserView),
})
export type QuestionDetail = Static<typeof QuestionDetail>

/** `user_id`: somebody else's, without what they asked or answered anonymously. */
export const UserQuestionsQuery = Type.Object({
  limit: Limit(15),
  after: Cursor,
  user_id: Type.Optional(Id),
  type: Type.Optional(OneOf(['all', 'invitation', 'reward', 'other'] as const, { default: 'all' })),
})
export type UserQuestionsQuery = Static<typeof UserQuestionsQuery>

export const UserAnswersQuery = Type.Object({
  limit: Limit(15),
  after: Cursor,
  user_id: Type.Optional(Id),
  type: Type.Optional(OneOf(['all', 'adoption', 'invitation', 'other'] as const, { default: 'all' })),
})
export type UserAnswersQuery = Static<typeof UserAnswersQuery>

/** An answer in the list of a person, with its question. */
export const UserAnswer = Type.Object({
  ...AnswerView.properties,
  question: Nullable(Type.Object(QuestionView.properties)),
})

/** What reposts point to. */
export const RepostedQuery = Type.Object({ id: Type.Optional(IdList(100)) })

import { plainText } from '#lib/markup/parse.ts'
import { MAX_AMOUNT } from '#lib/money.ts'
import { amountOf, IN_POINTS } from '#modules/ledger/index.ts'
import { UserView } from '#modules/users/index.ts'
import {
  Cursor,
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  MemberText,
  Nullable,
  Offset,
  OneOf,
  RawText,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
} from '#platform/http'
import { QuestionTopic } from './topics/schema.ts'

export const QUESTIONS = 'questions'

export const ANSWERS = 'question-answers'

export const QuestionParams = Type.Object({ question: Id })

export const AnswerParams = Type.Object({ answer: Id })

export const TopicParams = Type.Object({ topic: Id })

export const ListQuery = Type.Object({ limit: Limit(20), offset: Offset, after: Cursor })

export const Markdown = (options: object = {}) => Text(50_000, options)

export const Excerpt = Type.Optional(Nullable(Text(5000)))

/** Flags of questions and answers are 0 or 1 on the wire. */
const Bit = (description: string) => Type.Integer({ description })
export const bit = (value: boolean) => (value ? 1 : 0)

const questionFields = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: '0 when another user asked anonymously' }),
  subject: Type.String(),
  ...MemberText('body', { of: 'questions', format: 'markdown' }, Nullable(Type.String())),
  text_body: Nullable(Type.String()),
  anonymity: Bit('1 when anonymous'),
  amount: Type.Integer({ description: 'The bounty in points; 0 for none' }),
  automaticity: Bit('1 when the invited user receives the bounty on answering'),
  look: Bit('1 when other users pay to view the invited answer'),
  excellent: Bit('1 when excellent'),
  status: Type.Integer({ description: '0 open, 1 solved, 2 closed' }),
  comments_count: Type.Integer(),
  answers_count: Type.Integer(),
  watchers_count: Type.Integer(),
  likes_count: Type.Integer(),
  views_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
}

/** `user` is absent when another user asked anonymously (questions-16). */
export const QuestionView = Shared('Question', { ...questionFields, user: Type.Optional(Nullable(UserView)) })
export type QuestionView = Static<typeof QuestionView>

const answerFields = {
  id: Type.Integer(),
  question_id: Type.Integer(),
  user_id: Type.Integer({ description: '0 when another user answered anonymously' }),
  ...MemberText(
    'body',
    { of: 'question-answers', format: 'markdown' },
    Nullable(Type.String({ description: 'null when viewing it requires a payment' })),
  ),
  text_body: Nullable(Type.String()),
  anonymity: Bit('1 when anonymous'),
  adoption: Bit('1 when adopted'),
  invited: Bit('1 when written by the invited user'),
  comments_count: Type.Integer(),
  rewards_amount: Type.Integer(IN_POINTS),
  rewarder_count: Type.Integer(),
  likes_count: Type.Integer(),
  views_count: Type.Integer(),
  onlookers_count: Type.Integer(),
  onlookers_total: Type.Integer({ description: 'Income from paid views, in points' }),
  created_at: Time,
  updated_at: Time,
  liked: Type.Boolean(),
  collected: Type.Boolean(),
  rewarded: Type.Boolean(),
  could: Type.Optional(
    Type.Boolean({ description: 'True when I may view the answer. Only for answers that require a payment' }),
  ),
}

/** `user` is absent when another user answered anonymously (questions-16). */
export const AnswerView = Shared('Answer', { ...answerFields, user: Type.Optional(Nullable(UserView)) })
export type AnswerView = Static<typeof AnswerView>

export const QuestionItem = Shared('QuestionItem', {
  ...QuestionView.properties,
  answer: Nullable(AnswerView),
})
export type QuestionItem = Static<typeof QuestionItem>

/** `new`, the default, lists unanswered questions. `subject` matches a part of the subject. */
export const QuestionsQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(
    OneOf(['new', 'all', 'hot', 'reward', 'excellent', 'follow'] as const, { default: 'new' }),
  ),
  subject: Type.Optional(Text(255)),
  q: WithAlias('subject', Type.Optional(Text(255))),
  id: Type.Optional(IdList(100)),
})
export type QuestionsQuery = Static<typeof QuestionsQuery>

/**
 * `invitations` is complete for the asker and invited users. Other viewers see only users who answered
 * without anonymity.
 */
export const QuestionDetail = Shared('QuestionDetail', {
  ...QuestionView.properties,
  watched: Type.Boolean(),
  my_answer: Nullable(AnswerView),
  invitation_answers: Type.Array(AnswerView),
  adoption_answers: Type.Array(AnswerView),
  topics: Type.Array(QuestionTopic),
  invitations: Type.Array(UserView),
})
export type QuestionDetail = Static<typeof QuestionDetail>

/** With another user's `user_id`, lists omit anonymous content. */
export const UserQuestionsQuery = Type.Object({
  limit: Limit(15),
  after: Cursor,
  user_id: Type.Optional(Id),
  type: Type.Optional(OneOf(['all', 'invitation', 'reward', 'other'] as const, { default: 'all' })),
})
export type UserQuestionsQuery = Static<typeof UserQuestionsQuery>

export const RepostedQuery = Type.Object({ id: Type.Optional(IdList(100)) })

/** Accepts topic ids or objects with `id`. */
const TopicIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(10),
  items: Type.Union([Id, Shared('TopicReference', { id: Id })]),
})

/** Accepts user ids or objects with `user`. */
const InvitedIds = Type.Unsafe<(number | { user: number })[]>({
  ...IdList(10),
  items: Type.Union([Id, Shared('Invitation', { user: Id })]),
})

export const NewQuestion = Shared('NewQuestion', {
  subject: Text(255, { description: 'Ends with a question mark' }),
  topics: TopicIds,
  body: Type.Optional(Markdown()),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
  amount: Type.Optional(Int(0, MAX_AMOUNT, { description: 'The bounty in points' })),
  look: Type.Optional(Flag()),
  automaticity: Type.Optional(Flag()),
  invitations: Type.Optional(InvitedIds),
  password: Type.Optional(RawText(128)),
})
export type NewQuestion = Static<typeof NewQuestion>

export const Bounty = Shared('Bounty', {
  amount: amountOf(IN_POINTS),
  password: Type.Optional(RawText(128)),
})

export const QuestionPatch = Shared('QuestionPatch', {
  subject: Type.Optional(Text(255)),
  topics: Type.Optional(TopicIds),
  body: Type.Optional(Markdown()),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
  amount: Type.Optional(amountOf(IN_POINTS)),
  password: Type.Optional(RawText(128)),
})
export type QuestionPatch = Static<typeof QuestionPatch>

export const QuestionMade = Shared('QuestionMade', {
  message: Type.Array(Type.String()),
  question: QuestionView,
})

const EXCERPT = 1000

export const excerptOf = (body: string | null, given: string | null | undefined): string | null =>
  given ?? (body === null ? null : plainText(body, EXCERPT))

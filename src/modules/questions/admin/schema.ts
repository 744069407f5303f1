import { UserView } from '#modules/accounts/index.ts'
import { IN_POINTS } from '#modules/ledger/index.ts'
import {
  Flag,
  Id,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { AnswerView, QuestionView } from '../schema.ts'

export const ApplicationParams = Type.Object({ application: Id })

/** A question for moderators, with its author even when anonymous. */
export const QuestionRecord = Shared('QuestionRecord', {
  ...QuestionView.properties,
  bounty: OneOf(['none', 'held', 'paid'] as const),
  user: Nullable(UserView),
})
export const QuestionListing = Listing(QuestionRecord)

/** `q` searches the subject. */
export const QuestionQuery = Type.Object({
  ...listingQuery(['id', 'answers_count', 'amount', 'views_count'] as const),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
  excellent: Type.Optional(Flag()),
})
export type QuestionQuery = Static<typeof QuestionQuery>

export const QuestionChanges = Shared('QuestionRecordChanges', { excellent: Flag() })

/** An answer for moderators, with its author and text. */
export const AnswerRecord = Shared('AnswerRecord', { ...AnswerView.properties, user: Nullable(UserView) })
export const AnswerListing = Listing(AnswerRecord)

export const AnswerQuery = Type.Object({
  ...listingQuery(['id', 'likes_count', 'rewards_amount'] as const),
  question_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type AnswerQuery = Static<typeof AnswerQuery>

/** A request to mark a question as excellent. */
const Application = Shared('ExcellenceApplication', {
  id: Type.Integer(),
  question_id: Type.Integer(),
  subject: Nullable(Type.String()),
  user_id: Type.Integer(),
  user: Nullable(UserView),
  amount: Type.Integer(IN_POINTS),
  state: OneOf(['pending', 'passed', 'rejected', 'cancelled'] as const),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})
export const ApplicationListing = Listing(Application)

export const ApplicationQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(['pending', 'passed', 'rejected', 'cancelled'] as const)),
  question_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type ApplicationQuery = Static<typeof ApplicationQuery>

/** `mark`: reason shown to the requester. */
export const Decision = Shared('QuestionDecision', {
  action: OneOf(['accept', 'reject'] as const),
  mark: Type.Optional(Nullable(Text(255))),
})

import { UserView } from '#modules/accounts/index.ts'
import { Listing, listingQuery } from '#platform/listing.ts'
import { Flag, Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { AnswerView, QuestionView } from '../schema.ts'

export const ApplicationParams = Type.Object({ application: Id })

/** A question as moderators see it: with who asked, anonymously or not. */
export const QuestionRecord = Shared('QuestionRecord', {
  ...QuestionView.properties,
  bounty: OneOf(['none', 'held', 'paid'] as const),
  user: Nullable(UserView),
})
export const QuestionListing = Listing(QuestionRecord)

/** `q`: a part of the subject. */
export const QuestionQuery = Type.Object({
  ...listingQuery(['id', 'answers_count', 'amount', 'views_count'] as const),
  user_id: Type.Optional(Id),
  topic_id: Type.Optional(Id),
  excellent: Type.Optional(Flag()),
})
export type QuestionQuery = Static<typeof QuestionQuery>

export const QuestionChanges = Shared('QuestionRecordChanges', { excellent: Flag() })

/** An answer as moderators see it: with its author and its text. */
export const AnswerRecord = Shared('AnswerRecord', { ...AnswerView.properties, user: Nullable(UserView) })
export const AnswerListing = Listing(AnswerRecord)

export const AnswerQuery = Type.Object({
  ...listingQuery(['id', 'likes_count', 'rewards_amount'] as const),
  question_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
export type AnswerQuery = Static<typeof AnswerQuery>

/** A request that a question become an excellent one. */
const Application = Shared('ExcellenceApplication', {
  id: Type.Integer(),
  question_id: Type.Integer(),
  subject: Nullable(Type.String()),
  user_id: Type.Integer(),
  user: Nullable(UserView),
  amount: Type.Integer(),
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

/** `mark` tells whoever asked why. */
export const Decision = Shared('QuestionDecision', {
  action: OneOf(['accept', 'reject'] as const),
  mark: Type.Optional(Nullable(Text(255))),
})

import { UserView } from '#modules/accounts/index.ts'
import { AttachmentView } from '#modules/files/index.ts'
import {
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

export const ExpertParams = Type.Object({ topic: Id, user: Id })
export const ProposalParams = Type.Object({ application: Id })

/** A question topic in the administration. */
export const QuestionTopicRecord = Shared('QuestionTopicRecord', {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  avatar: Nullable(AttachmentView),
  questions_count: Type.Integer(),
  follows_count: Type.Integer(),
  experts_count: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})

/** `name` and `q` both filter by part of the name. */
export const QuestionTopicQuery = Type.Object({
  ...listingQuery(['id', 'questions_count', 'follows_count', 'experts_count'] as const),
  name: Type.Optional(Text(100)),
})
export type QuestionTopicQuery = Static<typeof QuestionTopicQuery>

export const Experts = Listing(UserView)
export const ExpertQuery = Type.Object(listingQuery(['id'] as const))
export type ExpertQuery = Static<typeof ExpertQuery>

/** A proposed topic. */
const Proposal = Shared('QuestionTopicProposal', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  user: Nullable(UserView),
  name: Type.String(),
  description: Type.String(),
  state: OneOf(['pending', 'passed', 'rejected'] as const),
  mark: Nullable(Type.String()),
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  created_at: Time,
})
export const ProposalListing = Listing(Proposal)

export const ProposalQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(['pending', 'passed', 'rejected'] as const)),
  user_id: Type.Optional(Id),
})
export type ProposalQuery = Static<typeof ProposalQuery>

import { UserView } from '#modules/accounts/index.ts'
import { AttachmentView } from '#modules/files/index.ts'
import { NewQuestionTopic } from '#modules/questions/index.ts'
import { Listing } from '#platform/listing.ts'
import { Id, Nullable, OneOf, type Static, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../../paging.ts'

export const TopicParams = Type.Object({ topic: Id })
export const ExpertParams = Type.Object({ topic: Id, user: Id })
export const ProposalParams = Type.Object({ application: Id })

/** A topic of questions as administrators see it. */
export const TopicRecord = Type.Object({
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
export const TopicListing = Listing(TopicRecord)

/** `name` and `q` both mean a part of the name. */
export const TopicQuery = Type.Object({
  ...listingQuery(['id', 'questions_count', 'follows_count', 'experts_count'] as const),
  name: Type.Optional(Text(100)),
})
export type TopicQuery = Static<typeof TopicQuery>

export const TopicChanges = Type.Partial(NewQuestionTopic)

export const Experts = Listing(UserView)
export const ExpertQuery = Type.Object(listingQuery(['id'] as const))
export type ExpertQuery = Static<typeof ExpertQuery>

/** A topic that somebody proposes. */
export const Proposal = Type.Object({
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

import { UserView } from '#modules/accounts/index.ts'
import { listingQuery } from '#platform/listing.ts'
import { Id, Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'

/** Feedback, or a notice, with who wrote it. */
export const ConversationRecord = Shared('ConversationRecord', {
  id: Type.Integer(),
  type: Type.String({ description: 'system or feedback' }),
  user_id: Type.Integer(),
  to_user_ids: Nullable(Type.Array(Type.Integer(), { description: 'Null: everybody' })),
  content: Type.String(),
  created_at: Time,
  user: Nullable(UserView),
})

/** Conversations by kind, person and a part of the text. */
export const ConversationSearch = Type.Object({
  ...listingQuery(['id']),
  type: Type.Optional(OneOf(['system', 'feedback'] as const)),
  user_id: Type.Optional(Id),
})
export type ConversationSearch = Static<typeof ConversationSearch>

export const ConversationParams = Type.Object({ conversation: Id })

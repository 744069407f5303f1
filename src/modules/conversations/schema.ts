import { Cursor, Flag, Limit, Shared, type Static, Text, Time, Type, WithAlias } from '#platform/http'

/** Clients concatenate the user id and the time in milliseconds, which exceeds 2^53. */
const SystemMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 1e20,
  maxLength: 30,
  pattern: '^[0-9]+$',
  description: 'What the client knows it by',
})

export const NewFeedback = Shared('NewFeedback', {
  content: Text(5000, { minLength: 1 }),
  system_mark: Type.Optional(SystemMark),
})
export type NewFeedback = Static<typeof NewFeedback>

/** Feedback or a notice (notifications-15). */
export const ConversationView = Shared('Conversation', {
  id: Type.Integer(),
  type: Type.String({ description: 'system or feedback' }),
  user_id: Type.Integer({ description: 'Who wrote; 0 for the site' }),
  to_user_id: Type.Integer({ description: '0 for the site, and for everybody' }),
  content: Type.String(),
  options: Type.Null(),
  system_mark: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export type ConversationView = Static<typeof ConversationView>

export const FeedbackReply = Shared('FeedbackMade', {
  message: Type.Array(Type.String()),
  data: ConversationView,
})

/**
 * `order` selects items newer than `max_id` instead of older ones. Both orders list the newest first
 * (notifications-15).
 */
export const ConversationQuery = Type.Object({
  limit: Limit(),
  max_id: Cursor,
  after: WithAlias('max_id', Cursor),
  order: Type.Optional(Flag()),
})
export type ConversationQuery = Static<typeof ConversationQuery>

import { Cursor, Flag, Limit, SameAs, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** Clients write the person's id and the time in milliseconds one after the other, which passes 2^53. */
const SystemMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 1e20,
  maxLength: 30,
  pattern: '^[0-9]+$',
  description: 'What the client knows it by',
})

/** What somebody writes to the site. */
export const NewFeedback = Shared('NewFeedback', {
  content: Text(5000, { minLength: 1 }),
  system_mark: Type.Optional(SystemMark),
})
export type NewFeedback = Static<typeof NewFeedback>

/** What somebody wrote to the site, or the site to them (notifications-15). */
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

/** What was written, as it was kept. */
export const FeedbackReply = Shared('FeedbackMade', {
  message: Type.Array(Type.String()),
  data: ConversationView,
})

/** `order` asks for what is newer than `max_id` instead of older; the newest is first in both cases (notifications-15). */
export const ConversationQuery = Type.Object({
  limit: Limit(),
  max_id: Cursor,
  after: SameAs('max_id', Cursor),
  order: Type.Optional(Flag()),
})
export type ConversationQuery = Static<typeof ConversationQuery>

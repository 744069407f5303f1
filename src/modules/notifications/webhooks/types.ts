/**
 * Webhook events with the fields of each. Receivers get ids, and the user only when a guest could see it.
 * docs/notifications.md repeats the table.
 */
export const EVENTS = {
  'notification.created': ['id', 'user_id', 'type'],
  'user.created': ['id', 'name'],
  'user.deleted': ['id'],
  'feed.created': ['id', 'user_id'],
  'feed.deleted': ['id', 'deleted_by'],
  'comment.created': ['id', 'user_id', 'commentable'],
  'comment.deleted': ['id', 'commentable'],
  'topic.created': ['id', 'user_id', 'status'],
  'topic.deleted': ['id', 'deleted_by'],
  'news.published': ['id', 'user_id'],
  'news.deleted': ['id', 'user_id'],
  'question.created': ['id', 'user_id'],
  'question.deleted': ['id', 'deleted_by'],
  'answer.created': ['id', 'question_id', 'user_id'],
  'answer.deleted': ['id', 'question_id', 'deleted_by'],
  'group.created': ['id'],
  'group.deleted': ['id'],
  'post.created': ['id', 'group_id', 'user_id'],
  'post.deleted': ['id', 'group_id'],
  'message.created': ['id', 'chat_id'],
  'purchase.created': ['node', 'channel', 'raw', 'amount', 'currency'],
  'reward.created': ['rewardable', 'user_id', 'amount'],
  'webhook.ping': ['endpoint'],
} as const satisfies Record<string, readonly string[]>

/** An event name, such as `feed.created`. */
export type EventType = keyof typeof EVENTS

/** The fields of an event, without its link. */
export type EventData<T extends EventType> = { [Field in (typeof EVENTS)[T][number]]?: unknown }

/** What webhooks tell of. docs/notifications.md names each, and what is told of it. */
export const EVENT_TYPES = [
  'notification.created',
  'user.created',
  'user.deleted',
  'feed.created',
  'feed.deleted',
  'comment.created',
  'comment.deleted',
  'topic.created',
  'topic.deleted',
  'news.published',
  'news.deleted',
  'question.created',
  'question.deleted',
  'answer.created',
  'answer.deleted',
  'group.created',
  'group.deleted',
  'post.created',
  'post.deleted',
  'purchase.created',
  'reward.created',
  'webhook.ping',
] as const

/** The name of an event, such as `feed.created`. */
export type EventType = (typeof EVENT_TYPES)[number]

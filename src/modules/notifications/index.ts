export { DISTRIBUTION_SQL } from './distribution.ts'
export { stopNotice } from './notices/service.ts'
export { findNotifications, type NotificationRow } from './queries.ts'
export type { Notice, Notification, NotificationType } from './schema.ts'
export { invalidateSenderName } from './sender-names.ts'
export {
  notificationView,
  notify,
  planNotices,
  planWithdrawal,
  withdrawContent,
  withdrawFromOthers,
  withdrawFromReader,
  withdrawNotifications,
} from './service.ts'
export { aboutDeleted, withdrawStrays } from './strays.ts'
export { type CreateChatSource, type EventStream, eventOf, type OpenStreams } from './stream/event-stream.ts'
export type { SystemType } from './system/notices.ts'
export type { Withheld } from './withdrawal.ts'
export { deleteUnreadFrom, removeSender, restoreNotifications, withholdNotifications } from './withdrawal.ts'

export { DISTRIBUTION_SQL } from './distribution.ts'
export { stopNotice } from './notices/service.ts'
export { anyHasDevice, pushToDevices, type Retry } from './push/service.ts'
export type { Notice, NotificationType } from './schema.ts'
export { invalidateSenderName } from './sender-names.ts'
export {
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
export { hasEndpointFor, publishEvent } from './webhooks/service.ts'
export type { Withheld } from './withdrawal.ts'
export { deleteUnreadFrom, removeSender, restoreNotifications, withholdNotifications } from './withdrawal.ts'

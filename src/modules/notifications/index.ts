export type { SystemType } from './codes.ts'
export { DISTRIBUTION_SQL } from './distribution.ts'
export { stopNotice } from './notices/service.ts'
export { anyHasDevice, pushToDevices, type Retry } from './push/service.ts'
export type { Withheld } from './queries.ts'
export { deleteUnreadFrom, removeSender } from './queries.ts'
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
export { type CreateChatSource, type EventStream, eventOf, type OpenStreams } from './stream/event-stream.ts'
export { hasEndpointFor, publishEvent } from './webhooks/service.ts'
export { restoreNotifications, withholdNotifications } from './withheld.ts'

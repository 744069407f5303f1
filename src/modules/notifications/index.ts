export { SYSTEM_TYPES, type SystemType } from './codes.ts'
export { notificationCounters } from './counters.ts'
export type { FindPendingPins, PendingPins, PinSources } from './counts/schema.ts'
export { importNotices, notificationTables } from './imports/thinksns.ts'
export { findUnreachable, updateNotice } from './notices/queries.ts'
export type { NoticeRow } from './notices/schema.ts'
export { sendNotice, takeNoticeBack } from './notices/service.ts'
export { hideSender, type Taken } from './queries.ts'
export type { Notice, NotificationType } from './schema.ts'
export { notify, takeBack } from './service.ts'
export type { Attempt } from './webhooks/queries.ts'
export {
  announceListened,
  forgetListened,
  isListenedTo,
  publishEvent,
  replay,
  sendPing,
} from './webhooks/service.ts'
export { createWebhookSecret } from './webhooks/signature.ts'

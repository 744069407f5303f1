export type { SystemType } from './codes.ts'
export { notificationCounters } from './counters.ts'

export { importNotices, notificationTables } from './imports/thinksns.ts'
export { findUnreachable, updateNotice } from './notices/queries.ts'
export type { NoticeRow } from './notices/schema.ts'
export { sendNotice, takeNoticeBack } from './notices/service.ts'
export { hideSender } from './queries.ts'
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

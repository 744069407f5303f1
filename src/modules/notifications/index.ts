export type { SystemType } from './codes.ts'
export { notificationCounters } from './counters.ts'

export { importNotices, notificationTables } from './imports/thinksns.ts'
export { takeNoticeBack } from './notices/service.ts'
export { forgetRecipient, hideSender } from './queries.ts'
export type { Notice, NotificationType } from './schema.ts'
export { notify, takeBack } from './service.ts'
export { isListenedTo, publishEvent } from './webhooks/service.ts'

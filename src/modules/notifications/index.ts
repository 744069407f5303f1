export type { SystemType } from './codes.ts'
export { DISTRIBUTION_SQL } from './distribution.ts'

export { stopNotice } from './notices/service.ts'
export { anyHasDevice, pushToDevices, type Retry } from './push/service.ts'
export { removeSender } from './queries.ts'

export type { Notice, NotificationType } from './schema.ts'
export { notify, withdrawNotifications } from './service.ts'
export { type EventStream, eventOf } from './stream/event-stream.ts'
export type { CreateChatSource, OpenStreams } from './stream/sources.ts'
export { hasEndpointFor, publishEvent } from './webhooks/service.ts'

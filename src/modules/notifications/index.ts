export type { Taken } from './queries.ts'
export type { Notice, NotificationType } from './schema.ts'
export { notify, takeBack } from './service.ts'

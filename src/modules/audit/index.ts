export { mountAdminCrud } from './mount.ts'
export { type Actor, recordAudit } from './queries.ts'

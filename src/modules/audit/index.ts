export { mountAdminCrud } from './mount.ts'
export { type Actor, type AuditEntry, recordAudit } from './queries.ts'

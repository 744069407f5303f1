export { type AdminCrud, type ChangeRecord, mountAdminCrud } from './mount.ts'
export { type Actor, type AuditEntry, recordAudit } from './queries.ts'

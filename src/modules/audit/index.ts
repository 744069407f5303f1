export { type Anchor, verifyAuditChain } from './chain.ts'
export { mountAdminCrud } from './mount.ts'
export { type Actor, auditOf, recordAudit } from './queries.ts'

export { type Anchor, verifyAuditChain } from './chain.ts'
export { mountAdminRecords } from './mount.ts'
export { type Actor, recordAudit, selectAuditOf } from './queries.ts'

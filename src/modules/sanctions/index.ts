export { isSanctioned, isSuspended, isUnder } from './queries.ts'
export {
  accountSuspended,
  alreadySanctioned,
  cannotSanctionOneself,
  SANCTION_KINDS,
  SanctionInput,
  type SanctionKind,
} from './schema.ts'
export { findSilence, imposeSanction, lift, requireNotSuspended } from './service.ts'

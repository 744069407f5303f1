export { findBackupFault } from './check.ts'
export { openDumpSession } from './dump.ts'
export {
  type BackupState,
  backupSchedules,
  backupTasks,
  findBackupState,
  findLastBackup,
  makeBackup,
} from './jobs.ts'
export { openBackupPlace } from './place.ts'
export { clearDatabase, countServers, isEmptyDatabase, loadBackup, verifyBackup } from './read.ts'

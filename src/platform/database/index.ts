export type { Row, Tables } from '#generated/tables.ts'
export { openSession, type Session } from './connection.ts'
export {
  afterCommit,
  batchWrites,
  clientConfig,
  type DatabaseAddress,
  type DatabaseOptions,
  type Db,
  type Fragment,
  isConnectionError,
  isDiskFull,
  isForeignKeyViolation,
  isRetryable,
  longTransaction,
  onConstraint,
  openDatabase,
  PLAN_CACHE_MODES,
  type Sql,
  sendWithCommit,
  sessionSettings,
  statement,
  type Tx,
  transaction,
} from './database.ts'
export { refuseEmptiedDataDir } from './embedded-postgres/damage.ts'
export { findDatabaseProcesses, readPidFile } from './embedded-postgres/leftovers.ts'
export { findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
export {
  createFairSemaphore,
  createScope,
  createWriterScope,
  currentScope,
  onPrimary,
  type RequestScope,
  runInScope,
  WRITES_KEY,
} from './fair-semaphore.ts'
export { type Listener, listenOn } from './listener.ts'
export * from './migrate.ts'
export { OLDEST_POSTGRES } from './oldest.ts'
export { createOutageLog, logFailure } from './outage-log.ts'
export { findReplicaLags, openReplicas, type Replicas } from './replicas.ts'
export { planSearch, SCANNED } from './search-plan.ts'
export { announce, createSignals, type Signals, sendSignal } from './signals.ts'
export * from './sql.ts'
export { type Tag, typeParsers } from './statement.ts'
export { cachedTotal } from './totals.ts'
export { createWriteWatch } from './write-watch.ts'

import { Gauge } from 'prom-client'
import type { Log, Metrics } from '#platform/observability'
import { type DatabaseOptions, type Db, isConnectionError, openDatabase, type Sql } from './database.ts'
import { createScope, currentScope, type RequestScope, runInScope } from './fair-semaphore.ts'
import type { Query, Send } from './statement.ts'

export type Replicas = ReturnType<typeof openReplicas>

/** `currentAt` is the last time at which the replica was known to be in sync with the primary. */
type Replica = { sql: Sql; watch: Sql; currentAt: number }

const LAG_MOST_MS = 1_000
const LOOK_MS = 100
const LOOK_TIMEOUT_MS = 2_000
/**
 * Guests do not use a replica whose first queued caller has waited for more than this fraction of the
 * timeout.
 */
const PRESSURE = 0.25

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())

/** Read replicas serve guests only. Members read from the primary, because they must see their own writes. */
export function openReplicas(
  urls: readonly string[],
  primary: Sql,
  {
    options,
    metrics,
    log,
  }: { options: Omit<DatabaseOptions, 'connection'>; metrics: Pick<Metrics, 'registry'>; log: Log },
) {
  const replicas = urls.map<Replica>((connection) => ({
    sql: openDatabase({ ...options, connection }),
    watch: openDatabase({ connection, poolSize: 1, statementTimeoutMs: LOOK_TIMEOUT_MS }),
    currentAt: Number.NEGATIVE_INFINITY,
  }))
  let turn = 0
  let isClosed = false
  const isUsable = ({ currentAt }: Replica) => performance.now() - currentAt < LAG_MOST_MS

  /**
   * Waits up to a second for the replica to replay the primary's current position. A promoted server is out of
   * recovery and never counts as current, and neither does a replica of another database.
   */
  const check = async (replica: Replica): Promise<void> => {
    const now = performance.now()
    const [{ position, identity }] = await primary<[{ position: string; identity: string }]>`
      select pg_current_wal_lsn()::text as position, current_database() || ' ' || system_identifier as identity
      from pg_control_system()`
    while (!isClosed && performance.now() - now < LAG_MOST_MS) {
      const [row] = await replica.watch<[{ isCurrent: boolean | null }]>`
        select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${position}::pg_lsn
          and current_database() || ' ' || system_identifier = ${identity} as "isCurrent"
        from pg_control_system()`
      if (row.isCurrent) replica.currentAt = now
      await pause(LOOK_MS)
      if (row.isCurrent) return
    }
  }
  const watch = async (replica: Replica, number: number): Promise<void> => {
    while (!isClosed) {
      const wasUsable = isUsable(replica)
      await check(replica).catch(() => pause(LOOK_MS))
      if (wasUsable && !isUsable(replica) && !isClosed)
        log.warn(
          { replica: number },
          'a replica is unreachable or more than a second behind: guests use the other databases',
        )
    }
  }
  // The check has priority over requests, so that a busy primary does not make replicas look outdated.
  for (const [number, replica] of replicas.entries())
    void runInScope({ ...createScope(), isAdmitted: true }, () => watch(replica, number))

  const sendTo = (replica: Replica, query: Query) => {
    const scope = currentScope() as RequestScope
    const reject = (error: unknown) => {
      const isReadOnly = (error as { code?: unknown } | null)?.code === '25006'
      if (isConnectionError(error) && !isReadOnly) replica.currentAt = Number.NEGATIVE_INFINITY
      scope.replica = undefined
      runInScope(scope, () => primary.sendHere(query))
    }
    replica.sql.sendHere({ ...query, reject })
  }

  new Gauge({
    name: 'database_replica_usable',
    help: 'Whether reads of guests go to each replica',
    labelNames: ['replica'],
    registers: [metrics.registry],
    aggregator: 'min',
    collect() {
      for (const [number, replica] of replicas.entries())
        this.set({ replica: number }, Number(isUsable(replica)))
    },
  })
  return {
    choose(): Send | undefined {
      const usable = replicas.filter((each) => isUsable(each) && each.sql.state().pressure < PRESSURE)
      turn += 1
      const replica = usable[turn % usable.length]
      return replica && ((query) => sendTo(replica, query))
    },
    state: () => ({ configured: replicas.length, usable: replicas.filter(isUsable).length }),
    async close() {
      isClosed = true
      await Promise.all(
        replicas.flatMap(({ sql, watch }) => [sql.end({ timeout: 1 }), watch.end({ timeout: 0 })]),
      )
    },
  }
}

/** Omits replicas whose details PostgreSQL hides from the database role of Kith. */
export const findReplicaLags = (sql: Db) => sql<{ replica: string; seconds: number }[]>`
  select coalesce(nullif(application_name, ''), 'unnamed') as replica,
         max(coalesce(extract(epoch from replay_lag), 0))::double precision as seconds
  from pg_stat_replication where state is not null group by 1`

import { LRUCache } from 'lru-cache'
import { Counter, Gauge } from 'prom-client'
import type { Log, Metrics } from '#platform/observability'
import { type DatabaseOptions, openDatabase, type Sql } from './database.ts'
import { type OwnWrites, shareOwnWrites } from './own-writes.ts'
import type { RequestScope } from './request-scope.ts'

/** Read replicas, with the minimum position for each user. */
export type Replicas = {
  /** Returns a replica that has replayed the user's last write; undefined for the primary. */
  choose(userId: number): Promise<NonNullable<RequestScope['replica']> | undefined>
  /**
   * Counts a read: on a replica, on the primary for lack of one, or on the primary after a replica failed.
   */
  count(by: 'replica' | 'primary' | 'fallback'): void
  /** Records a write, before its reply is sent. */
  wrote(userId: number): Promise<void>
  state(): { configured: number; usable: number }
  close(): Promise<void>
}

type Replica = {
  sql: Sql
  watch: Sql
  /** Replayed position; undefined while it is excluded. */
  position: number | undefined
  lagMs: number
}

const LOOK_MS = 50
const LOOK_TIMEOUT_MS = 2_000
/** How long a write is remembered. No replica in use lags further behind. */
const REMEMBER_MS = 120_000
const MOST_PEOPLE = 200_000
/** Skips a replica with waiting callers. */
const PRESSURE = 0.25

/** A write-ahead log position (`16/B374D848`) as a number. */
function positionOf(lsn: string): number {
  const [high = '0', low = '0'] = lsn.split('/')
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
}

export function openReplicas({
  urls,
  primary,
  options,
  maxLagMs,
  metrics,
  log,
  redisUrl,
}: {
  urls: string[]
  primary: Sql
  options: Omit<DatabaseOptions, 'connection'>
  maxLagMs: number
  metrics: Metrics
  log: Log
  redisUrl?: string | undefined
}): Replicas {
  const replicas = urls.map<Replica>((connection) => ({
    sql: openDatabase({ ...options, connection }),
    watch: openDatabase({ connection, poolSize: 1, statementTimeoutMs: LOOK_TIMEOUT_MS }),
    position: undefined,
    lagMs: Number.POSITIVE_INFINITY,
  }))
  let isClosed = false
  const whenReplayed = async (position: number) => {
    const isReplayed = (replica: Replica) => replica.position === undefined || replica.position >= position
    for (const until = performance.now() + maxLagMs; performance.now() < until; await pause(LOOK_MS))
      if (isClosed || replicas.every(isReplayed)) return
  }
  const own: OwnWrites = shareOwnWrites(
    new LRUCache<number, number>({ max: MOST_PEOPLE, ttl: REMEMBER_MS }),
    log,
    { redisUrl, maxLagMs: maxLagMs + LOOK_MS * 10, whenReplayed },
  )
  /** Positions of the primary with their times, newest last. */
  let samples: { at: number; position: number }[] = []
  let turn = 0
  const counts = { replica: 0, primary: 0, fallback: 0 }

  const judge = (replica: Replica, position: number) => {
    const now = performance.now()
    // The lag is the age of the oldest missing write.
    const lacking = samples.find((sample) => sample.position > position)
    replica.lagMs = lacking ? now - lacking.at : 0
    const wasFit = replica.position !== undefined
    replica.position = replica.lagMs <= maxLagMs ? position : undefined
    if (wasFit && replica.position === undefined)
      log.warn({ lagMs: replica.lagMs }, 'a replica lags and is left out')
  }
  const look = async (replica: Replica, number: number): Promise<void> => {
    while (!isClosed) {
      try {
        const [row] = await replica.watch<[{ position: string | null; reads: boolean }]>`
          select pg_last_wal_replay_lsn()::text as position, pg_is_in_recovery() as reads`
        // A promoted server is no longer a replica.
        if (!row.reads || row.position === null) throw new Error('it is no replica')
        judge(replica, positionOf(row.position))
      } catch (error) {
        if (isClosed) return
        if (replica.position !== undefined) log.warn({ err: error, replica: number }, 'a replica is left out')
        replica.position = undefined
        replica.lagMs = Number.POSITIVE_INFINITY
        await pause(LOOK_MS * 10)
      }
      await pause(LOOK_MS)
    }
  }
  let asking: Promise<number> | undefined
  let next: Promise<number> | undefined
  const ask = async () => {
    const [row] = await primary<[{ position: string }]>`select pg_current_wal_insert_lsn()::text as position`
    const position = positionOf(row.position)
    samples.push({ at: performance.now(), position })
    const oldest = Math.min(...replicas.map((replica) => replica.position ?? Number.POSITIVE_INFINITY))
    if (samples.length > 400) samples = samples.filter((sample) => sample.position > oldest).slice(-400)
    return position
  }
  /**
   * Reads the position of the primary with a query that starts after this call; concurrent calls share it.
   */
  const currentPosition = (): Promise<number> => {
    if (!asking) {
      asking = ask().finally(() => {
        asking = undefined
      })
      return asking
    }
    next ??= asking
      .then(undefined, () => {})
      .then(() => {
        next = undefined
        return currentPosition()
      })
    return next
  }
  const watchPrimary = async () => {
    while (!isClosed) {
      await currentPosition().catch(() => {})
      await pause(LOOK_MS)
    }
  }
  for (const [number, replica] of replicas.entries()) void look(replica, number)
  void watchPrimary()

  new Gauge({
    name: 'database_replica_lag_seconds',
    help: 'How far each replica is behind the primary; absent while it cannot be asked',
    labelNames: ['replica'],
    registers: [metrics.registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const [number, { lagMs }] of replicas.entries())
        if (Number.isFinite(lagMs)) this.set({ replica: number }, lagMs / 1000)
    },
  })
  new Gauge({
    name: 'database_replica_usable',
    help: 'Whether reads go to each replica',
    labelNames: ['replica'],
    registers: [metrics.registry],
    aggregator: 'min',
    collect() {
      for (const [number, { position }] of replicas.entries())
        this.set({ replica: number }, position === undefined ? 0 : 1)
    },
  })
  new Counter({
    name: 'database_replica_reads_total',
    help: 'Requests of routes that may read from replicas: by a replica, by the primary because no replica was fit, or by it after a replica failed',
    labelNames: ['by'],
    registers: [metrics.registry],
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(counts)) this.inc({ by }, count)
    },
  })

  return {
    async choose(userId) {
      const needed = userId === 0 ? 0 : await own.last(userId)
      for (let n = 0; n < replicas.length; n += 1) {
        turn = (turn + 1) % replicas.length
        const { position, sql } = replicas[turn] as Replica
        if (position !== undefined && position >= needed && sql.state().pressure < PRESSURE)
          return sql.sendAlone
      }
      return undefined
    },
    count(by) {
      counts[by] += 1
    },
    async wrote(userId) {
      // Without a position, the user reads from the primary for a while.
      await own.note(userId, await currentPosition().catch(() => Number.MAX_SAFE_INTEGER))
    },
    state: () => ({
      configured: replicas.length,
      usable: replicas.filter(({ position }) => position !== undefined).length,
    }),
    async close() {
      isClosed = true
      await own.close()
      await Promise.all(
        replicas.flatMap(({ sql, watch }) => [sql.end({ timeout: 1 }), watch.end({ timeout: 0 })]),
      )
    },
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())

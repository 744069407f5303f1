import { type ParsedCronItem, parseCrontab } from 'graphile-worker'
import type { Pool } from 'pg'
import { type Db, logFailure } from '#platform/database'
import type { Log } from '#platform/observability'

/**
 * `pattern` is five crontab fields in UTC. Missed runs are skipped. `deletes` marks a task that deletes what users have,
 * because its time has come. It waits while the clocks of node and database differ, so that one wrong clock deletes nothing.
 */
export type Schedule = { task: string; pattern: string; deletes?: true }

const MINUTE_MS = 60_000
/** Minutes that a slow process catches up on. It skips earlier ones. */
const CATCH_UP = 10
/** Maximum delay between readings of the database's clock, which an operator may set right meanwhile. */
const LOOK_MS = 15_000
/** Difference of the clocks in milliseconds above which nothing is deleted because of its age. */
const MOST_SKEW_MS = 3_600_000

/** `skewMs` is the time by which the clock of the database is ahead of this node's. */
type Clock = { minute: number; msToNext: number; skewMs: number }

async function readClock(pool: Pool): Promise<Clock> {
  const { rows } = await pool.query<{ ms: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms',
  )
  const ms = Number(rows[0]?.ms)
  return { minute: ms - (ms % MINUTE_MS), msToNext: MINUTE_MS - (ms % MINUTE_MS), skewMs: ms - Date.now() }
}

const isDue = ({ match }: ParsedCronItem, at: Date): boolean =>
  match({
    min: at.getUTCMinutes(),
    hour: at.getUTCHours(),
    date: at.getUTCDate(),
    month: at.getUTCMonth() + 1,
    dow: at.getUTCDay(),
  })

/**
 * Enqueues the jobs of one minute that no other node has enqueued. A `last_execution` in the future comes from a clock
 * that was ahead, and holds nothing up.
 */
const ENQUEUE = `
with due as (
  select * from json_to_recordset($1::json) as d
    (identifier text, task text, payload json, max_attempts smallint, queue_name text, job_key text, job_key_mode text,
      priority smallint)
),
claimed as (
  insert into graphile_worker._private_known_crontabs as k (identifier, known_since, last_execution)
  select identifier, $2::timestamptz, $2::timestamptz from due
  on conflict (identifier) do update set last_execution = excluded.last_execution
  where k.last_execution is null or k.last_execution < excluded.last_execution
    or k.last_execution > $3::timestamptz
  returning k.identifier
)
select graphile_worker.add_job(d.task, d.payload, d.queue_name, now(), d.max_attempts, d.job_key, d.priority, null,
  d.job_key_mode)
from due d join claimed using (identifier)`

/** Longer than the delay of graphile-worker before the retry of a failed job. */
const LONGEST_RETRY = '7 hours'

/**
 * Sets waiting jobs right whose times come from a clock that was ahead. Otherwise they would wait for as long as it was
 * ahead, and hold up later jobs with the same key. A job keeps its delay, and a failed one is retried at once.
 */
const SET_RIGHT = `
update graphile_worker._private_jobs set
  run_at = case when attempts > 0 then now()
    else now() + greatest(run_at - greatest(created_at, updated_at), interval '0') end,
  created_at = least(created_at, now()), updated_at = least(updated_at, now())
where locked_at is null and case when attempts > 0 then run_at > now() + interval '${LONGEST_RETRY}'
  else greatest(created_at, updated_at) > now() + interval '1 minute' end`

/**
 * Enqueues scheduled jobs by the clock of the database, because the clocks of the nodes may differ. graphile-worker's own
 * scheduler reads the clock of the node: one that was ahead for a minute stopped all schedules for as long as it was ahead.
 */
export function createSchedules(
  pool: Pool,
  schedules: readonly Schedule[],
  { now = () => readClock(pool), log }: { now?: () => Promise<Clock>; log: Pick<Log, 'warn'> },
) {
  const items = parseCrontab(schedules.map(({ pattern, task }) => `${pattern} ${task}`).join('\n'))
  const deleting = new Set(schedules.flatMap(({ task, deletes }) => (deletes ? [task.split(' ')[0]] : [])))
  let handled: number | undefined

  async function enqueue(minute: number, current: number, skewMs: number) {
    const at = new Date(minute)
    const dueByTime = items.filter((item) => isDue(item, at))
    const maySkip = Math.abs(skewMs) > MOST_SKEW_MS
    const due = dueByTime.filter(({ task }) => !(maySkip && deleting.has(task)))
    if (due.length < dueByTime.length)
      log.warn(
        {
          seconds: Math.round(skewMs / 1000),
          tasks: dueByTime.filter((item) => !due.includes(item)).map(({ task }) => task),
        },
        'the clocks of this server and of the database differ: nothing is deleted because of its age',
      )
    if (due.length === 0) return
    const rows = due.map(({ identifier, task, payload, options }) => ({
      identifier,
      task,
      payload: { ...payload, _cron: { ts: at.toISOString(), backfilled: false } },
      max_attempts: options.maxAttempts ?? null,
      queue_name: options.queueName ?? null,
      job_key: options.jobKey ?? null,
      job_key_mode: options.jobKeyMode ?? null,
      priority: options.priority ?? null,
    }))
    const future = new Date(current + MINUTE_MS)
    await pool.query(ENQUEUE, [JSON.stringify(rows), at.toISOString(), future.toISOString()])
  }

  return {
    /** Enqueues the jobs of the minutes that began since the last call. Returns the time until the next minute. */
    async look(): Promise<number> {
      const { minute, msToNext, skewMs } = await now()
      // Begins again when the clock was set back, or forward by more than a slow process can explain.
      if (handled === undefined || handled > minute) {
        await pool.query(SET_RIGHT)
        handled = minute
      }
      if (minute - handled > CATCH_UP * MINUTE_MS) handled = minute - MINUTE_MS
      while (handled < minute) {
        await enqueue(handled + MINUTE_MS, minute, skewMs)
        handled += MINUTE_MS
      }
      return msToNext
    },
  }
}

export function runSchedules(pool: Pool, schedules: readonly Schedule[], log: Log): { close(): void } {
  const { look } = createSchedules(pool, schedules, { log })
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  const loop = async () => {
    const msToNext = await look().catch((error) => {
      if (!isClosed) logFailure(log, error, 'enqueueing scheduled jobs failed')
      return 1000
    })
    if (!isClosed) timer = setTimeout(() => void loop(), Math.min(msToNext + 10, LOOK_MS))
  }
  void loop()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

const GAP_DAYS = 62

const gaps = new Map<string, number>()

/** Returns the longest time in milliseconds between two runs of a crontab pattern, at most `GAP_DAYS`. */
export const longestGap = (pattern: string): number => gaps.getOrInsertComputed(pattern, findLongestGap)

function findLongestGap(pattern: string): number {
  const [item] = parseCrontab(`${pattern} gap`)
  const end = GAP_DAYS * 86_400_000
  let longest = 0
  let last = 0
  for (let at = 0; at <= end; at += MINUTE_MS) {
    if (at < end && !(item && isDue(item, new Date(at)))) continue
    longest = Math.max(longest, at - last)
    last = at
  }
  return longest
}

/** Returns the seconds since the last schedule ran by the database's clock, or null before the first run. */
export async function sinceLastSchedule(sql: Db): Promise<number | null> {
  const [row] = await sql<[{ seconds: number | null }]>`
    select extract(epoch from now() - max(last_execution))::double precision as seconds
    from graphile_worker._private_known_crontabs where last_execution <= now() + interval '1 minute'`
  return row.seconds
}

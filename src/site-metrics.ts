import { Gauge } from 'prom-client'
import { findBackupState, promisedBackupAge } from '#backup/jobs.ts'
import { exactTime } from '#lib/time.ts'
import { countImBacklog } from '#modules/im/index.ts'
import { listPartStates, measureStatistics } from '#modules/statistics/index.ts'
import { measureSkews } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import { findReplicaLags, logFailure } from '#platform/database'
import { countJobs, sinceLastSchedule } from '#platform/jobs'
import { addGauge } from '#platform/observability'
import { SITE } from './site.ts'

/**
 * Cache lifetime of the site's metrics in milliseconds, so that frequent scrapes do not load the database.
 */
const KEPT_MS = 10_000

async function look(ctx: Context) {
  const promised = promisedBackupAge(ctx.config)
  const [jobs, site, im, backup, replicas, skews, schedules, health] = await Promise.all([
    countJobs(ctx.sql),
    measureStatistics(ctx, SITE.statistics),
    countImBacklog(ctx.sql),
    findBackupState(ctx.sql),
    findReplicaLags(ctx.sql),
    measureSkews(ctx),
    sinceLastSchedule(ctx.sql),
    listPartStates(ctx, SITE.probes),
  ])
  return { health, jobs, site, im, backup, promised, replicas, skews, schedules }
}

type Seen = Awaited<ReturnType<typeof look>>
type Value = { labels?: Record<string, string>; value: number }

type GaugeOf = {
  name: string
  help: string
  labels?: string[]
  of: (seen: Seen) => Value[]
  /** Values while the database does not respond. */
  whenDown?: Value[]
}

const GAUGES: GaugeOf[] = [
  {
    name: 'kith_jobs',
    help: 'Background jobs by task and state: due, later, running, failed permanently',
    labels: ['task', 'state'],
    of: ({ jobs }) =>
      jobs.flatMap(({ task, due, later, running, failed }) =>
        Object.entries({ due, later, running, failed }).map(([state, value]) => ({
          labels: { task, state },
          value,
        })),
      ),
  },
  {
    name: 'kith_jobs_oldest_seconds',
    help: 'Waiting time of the oldest due job of a task',
    labels: ['task'],
    of: ({ jobs }) => jobs.map(({ task, oldest }) => ({ labels: { task }, value: oldest })),
  },
  {
    name: 'kith_decisions_waiting',
    help: 'Items waiting for a decision of administrators, such as reports and withdrawals',
    labels: ['queue'],
    of: ({ site }) => site.waiting.map(({ name, count }) => ({ labels: { queue: name }, value: count })),
  },
  {
    name: 'kith_decisions_oldest_seconds',
    help: 'Waiting time of the oldest item that waits for a decision',
    labels: ['queue'],
    of: ({ site }) => site.waiting.map(({ name, seconds }) => ({ labels: { queue: name }, value: seconds })),
  },
  {
    name: 'kith_today',
    help: 'Activity since midnight UTC: sign-ups, posts, points and money moved',
    labels: ['series'],
    of: ({ site }) => site.today.map(({ name, value }) => ({ labels: { series: name }, value })),
  },
  {
    name: 'kith_im_waiting',
    help: 'Changes that the instant-messaging provider has not confirmed',
    labels: ['kind'],
    of: ({ im }) => [
      { labels: { kind: 'accounts' }, value: im.accounts },
      { labels: { kind: 'groups' }, value: im.groups },
    ],
  },
  {
    name: 'kith_backup_last_success_timestamp_seconds',
    help: 'Time of the last complete backup; 0 without one',
    of: ({ backup }) => [
      { value: backup.finished_at === null ? 0 : Date.parse(exactTime(backup.finished_at)) / 1000 },
    ],
  },
  {
    name: 'kith_backup_promised_seconds',
    help: 'Age that the newest backup never exceeds by BACKUP_AT; absent without BACKUP_TO',
    of: ({ promised }) => (promised === undefined ? [] : [{ value: promised / 1000 }]),
  },
  {
    name: 'kith_backup_size_bytes',
    help: 'Size of the last backup',
    of: ({ backup }) => [{ value: backup.bytes ?? 0 }],
  },
  {
    name: 'kith_backup_duration_seconds',
    help: 'Duration of the last backup',
    of: ({ backup }) => [{ value: backup.seconds ?? 0 }],
  },
  {
    name: 'kith_clock_skew_seconds',
    help: 'Seconds by which the clock of this node is ahead of another one',
    labels: ['clock'],
    of: ({ skews }) => Object.entries(skews).map(([clock, value]) => ({ labels: { clock }, value })),
  },
  {
    name: 'kith_health',
    help: 'Last check of a configured part: 0 good, 1 needs attention, 2 failing',
    labels: ['part'],
    of: ({ health }) => health.map(({ part, level }) => ({ labels: { part }, value: level })),
    whenDown: [{ labels: { part: 'database' }, value: 2 }],
  },
  {
    name: 'kith_schedules_last_run_seconds',
    help: 'Time since a schedule last enqueued a job, at most a minute while a worker runs',
    of: ({ schedules }) => (schedules === null ? [] : [{ value: schedules }]),
  },
  {
    name: 'kith_replica_lag_seconds',
    help: 'Lag of a database replica, if the database user may see it',
    labels: ['replica'],
    of: ({ replicas }) => replicas.map(({ replica, seconds }) => ({ labels: { replica }, value: seconds })),
  },
]

export function exportSiteMetrics(ctx: Context): void {
  let kept: { until: number; seen: Promise<Seen | undefined> } | undefined
  const see = () => {
    if (kept === undefined || kept.until < performance.now())
      kept = {
        until: performance.now() + KEPT_MS,
        // A failed query must not fail the scrape, because process metrics matter most during a database
        // outage.
        seen: look(ctx).catch((error) => {
          logFailure(ctx.log, error, 'reading site metrics failed')
          return undefined
        }),
      }
    return kept.seen
  }
  addGauge(
    ctx.metrics.registry,
    'kith_database_up',
    '1 when the database responded to the last check, else 0',
    async () => ((await see()) ? 1 : 0),
  )
  for (const { name, help, labels = [], of, whenDown = [] } of GAUGES)
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [ctx.metrics.registry],
      async collect() {
        const seen = await see()
        this.reset()
        for (const { labels: named = {}, value } of seen ? of(seen) : whenDown) this.set(named, value)
      },
    })
}

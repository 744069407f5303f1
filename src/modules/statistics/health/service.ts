import pTimeout from 'p-timeout'
import { type BackupState, findBackupState, promisedBackupAge } from '#backup/jobs.ts'
import type { Probe } from '#contracts/health-check.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type ClockSkews, measureSkews, skewFault } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import type { Row, Sql } from '#platform/database'
import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/http'
import { findJobsState, type JobsState, sinceLastSchedule } from '#platform/jobs'

const STATES = ['good', 'warning', 'failing', 'off', 'unknown'] as const

const Figure = Shared('HealthFigure', { name: Type.String(), value: Type.Number() })

const HealthPart = Shared('HealthPart', {
  name: Type.String({ description: 'database, writes, clocks, jobs, mail, sms, push, im, uploads, backups' }),
  state: OneOf(STATES, { description: '`unknown` until the first check' }),
  since: Nullable({ ...Time, description: 'Start of the current failure, if known' }),
  fault: Nullable(Type.String({ description: 'Error message of the last check' })),
  good_at: Nullable({
    ...Time,
    description: 'Time of the last successful check, or of the last complete backup',
  }),
  checked_at: Nullable(Time),
  figures: Type.Array(Figure),
})
export type HealthPart = Static<typeof HealthPart>

export const ServerHealth = Shared('ServerHealth', { parts: Type.Array(HealthPart) })
export type ServerHealth = Static<typeof ServerHealth>

export type CheckRow = Row<'health_checks', 'part' | 'checked_at' | 'good_at' | 'failing_since' | 'fault'>

const saveCheck = (sql: Sql, part: string, fault: string | null) => sql`
  insert into health_checks as h (part, checked_at, good_at, failing_since, fault)
  values (${part}, now(), case when ${fault}::text is null then now() end, case when ${fault}::text is not null then now() end,
    ${fault})
  on conflict (part) do update set checked_at = excluded.checked_at, fault = excluded.fault,
    good_at = coalesce(excluded.good_at, h.good_at),
    failing_since = case when excluded.fault is not null then coalesce(h.failing_since, excluded.failing_since) end`

const listChecks = (sql: Sql) => sql<CheckRow[]>`
  select part, checked_at, good_at, failing_since, fault from health_checks`

async function findDatabaseSize(sql: Sql): Promise<{ bytes: number; clients: number }> {
  const [row] = await sql<[{ bytes: number; clients: number }]>`
    select pg_database_size(current_database())::bigint as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as clients`
  return row
}

const PROBE_MS = 10_000
const FAULT_MAX = 300
/** Maximum delay of a due job in milliseconds. A longer delay means that no worker is running. */
const LATE_MS = 5 * 60_000
/** Maximum age of a check result in milliseconds. An older result means that no worker is running. */
const STALE_MS = 15 * 60_000

export async function faultOf(ctx: Context, { check }: Pick<Probe, 'check'>): Promise<string | null> {
  try {
    const message = `no reply within ${PROBE_MS / 1000} seconds`
    await pTimeout((async () => check(ctx))(), { milliseconds: PROBE_MS, message })
    return null
  } catch (error) {
    return (String((error as Error)?.message) || 'the check failed').slice(0, FAULT_MAX)
  }
}

export async function checkHealth(ctx: Context, probes: readonly Probe[]): Promise<void> {
  await Promise.all(
    probes
      .filter(({ isUsed }) => isUsed(ctx))
      .map(async (probe) => saveCheck(ctx.sql, probe.part, await faultOf(ctx, probe))),
  )
}

type Bare = Pick<HealthPart, 'state'> & Partial<HealthPart>

const partOf = (name: string, { figures = [], ...rest }: Bare): HealthPart => ({
  name,
  since: null,
  fault: null,
  good_at: null,
  checked_at: null,
  figures: figures.filter(({ value }) => value !== null),
  ...rest,
})

function probedPart(ctx: Context, { part, isUsed }: Probe, row: CheckRow | undefined): HealthPart {
  if (!isUsed(ctx)) return partOf(part, { state: 'off' })
  if (!row) return partOf(part, { state: 'unknown' })
  return partOf(part, {
    state: row.fault === null ? 'good' : 'failing',
    since: wireTimeOrNull(row.failing_since),
    fault: row.fault,
    good_at: wireTimeOrNull(row.good_at),
    checked_at: wireTime(row.checked_at),
  })
}

const writesPart = (fault: string | undefined): HealthPart =>
  partOf('writes', { state: fault === undefined ? 'good' : 'failing', fault: fault ?? null })

function clocksPart(skews: ClockSkews): HealthPart {
  const fault = skewFault(skews)
  return partOf('clocks', { state: fault === null ? 'good' : 'warning', fault })
}

function jobsPart(
  { due, running, failed, ...jobs }: JobsState,
  checks: CheckRow[],
  sinceSchedule: number | null,
  now: number,
): HealthPart {
  const figures = Object.entries({ due, running, failed }).map(([name, value]) => ({ name, value }))
  const lastLook = checks
    .map((row) => row.checked_at)
    .sort()
    .at(-1)
  const isLate = jobs.due_since !== null && now - Date.parse(jobs.due_since) > LATE_MS
  const isStale = lastLook !== undefined && now - Date.parse(lastLook) > STALE_MS
  const good_at = wireTimeOrNull(lastLook ?? null)
  if (sinceSchedule !== null && sinceSchedule * 1000 > LATE_MS) {
    const since = wireTime(new Date(now - sinceSchedule * 1000).toISOString())
    return partOf('jobs', {
      state: 'failing',
      since,
      fault: 'no schedule has run since then',
      good_at,
      figures,
    })
  }
  if (isLate || isStale) {
    const since = wireTimeOrNull(isLate ? jobs.due_since : (lastLook ?? null))
    return partOf('jobs', { state: 'failing', since, good_at, figures })
  }
  if (failed > 0) {
    const fault = jobs.fault?.slice(0, FAULT_MAX) ?? null
    return partOf('jobs', {
      state: 'warning',
      since: wireTimeOrNull(jobs.failed_at),
      fault,
      good_at,
      figures,
    })
  }
  return partOf('jobs', { state: lastLook === undefined ? 'unknown' : 'good', good_at, figures })
}

function backupsPart(
  { config }: Context,
  { bytes, seconds, ...backup }: BackupState,
  now: number,
): HealthPart {
  const made = backup.finished_at
  const figures =
    made === null
      ? []
      : [
          { name: 'bytes', value: bytes ?? 0 },
          { name: 'seconds', value: seconds ?? 0 },
        ]
  const good_at = wireTimeOrNull(made)
  if (backup.fault !== null)
    return partOf('backups', {
      state: 'failing',
      since: wireTimeOrNull(backup.failing_since),
      fault: backup.fault.slice(0, FAULT_MAX),
      good_at,
      figures,
    })
  // Reports backups as off when no target is configured, because operators may make backups by hand.
  const promised = promisedBackupAge(config)
  if (promised === undefined) return partOf('backups', { state: 'off', good_at, figures })
  if (made === null) return partOf('backups', { state: 'unknown' })
  const isLate = now - Date.parse(made) > promised
  return partOf('backups', {
    state: isLate ? 'warning' : 'good',
    since: isLate ? good_at : null,
    good_at,
    figures,
  })
}

export async function readHealth(ctx: Context, probes: readonly Probe[]): Promise<ServerHealth> {
  const started = performance.now()
  const checks = await listChecks(ctx.sql)
  const ms = Math.round((performance.now() - started) * 10) / 10
  const [{ bytes, clients }, jobs, backup, skews, sinceSchedule] = await Promise.all([
    findDatabaseSize(ctx.sql),
    findJobsState(ctx.sql),
    findBackupState(ctx.sql),
    measureSkews(ctx),
    sinceLastSchedule(ctx.sql),
  ])
  // All ages on this page are those of times that the database wrote.
  const now = Date.now() - skews.database * 1000
  const { busy, waiting } = ctx.sql.state()
  const figures = Object.entries({ ms, busy, waiting, clients, bytes }).map(([name, value]) => ({
    name,
    value,
  }))
  const probed = probes.map((probe) =>
    probedPart(
      ctx,
      probe,
      checks.find((row) => row.part === probe.part),
    ),
  )
  const database = partOf('database', { state: waiting > 0 ? 'warning' : 'good', figures })
  return {
    parts: [
      database,
      writesPart(ctx.sql.writeFault()),
      clocksPart(skews),
      jobsPart(jobs, checks, sinceSchedule, now),
      ...probed,
      backupsPart(ctx, backup, now),
    ],
  }
}

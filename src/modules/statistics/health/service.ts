import pTimeout from 'p-timeout'
import { type BackupState, findBackupState, promisedBackupAge } from '#backup/jobs.ts'
import { type Probe, probeFault } from '#contracts/health-check.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type ClockSkews, databaseTime, measureSkews, skewFault } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import type { Row, Sql } from '#platform/database'
import { type Details, describeFault, HealthFault } from '#platform/health'
import { Nullable, OneOf, Shared, type Static, Time, Type } from '#platform/http'
import { findJobsState, type JobsState, sinceLastSchedule } from '#platform/jobs'
import { databaseProbe } from './database.ts'

const STATES = ['good', 'warning', 'failing', 'off', 'unknown'] as const

const Figure = Shared('HealthFigure', { name: Type.String(), value: Type.Number() })

const InBothLanguages = Shared('HealthText', { en: Type.String(), zh: Type.String() })

const HealthPart = Shared('HealthPart', {
  name: Type.String({ description: 'Such as database, jobs, mail, uploads, address or backups' }),
  state: OneOf(STATES, { description: '`unknown` until the first check' }),
  since: Nullable({ ...Time, description: 'Start of the current failure, if known' }),
  fault: Nullable(Type.String({ description: 'Error message of the last check' })),
  code: Nullable(Type.String({ description: 'Stable name of the fault, such as `port_closed`' })),
  /** Describes the fault. */
  sentence: Nullable(InBothLanguages),
  /** Names the action of the operator. */
  remedy: Nullable(InBothLanguages),
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

export type CheckRow = Row<
  'health_checks',
  'part' | 'checked_at' | 'good_at' | 'failing_since' | 'fault' | 'code' | 'details'
>

async function saveCheck(sql: Sql, part: string, found: HealthFault | undefined): Promise<void> {
  const fault = found?.message.slice(0, FAULT_MAX) ?? null
  await sql`
  insert into health_checks as h (part, checked_at, good_at, failing_since, fault, code, details)
  values (${part}, now(), case when ${fault}::text is null then now() end, case when ${fault}::text is not null then now() end,
    ${fault}, ${found?.code ?? null}, ${found ? sql.json(found.details as never) : null}::jsonb)
  on conflict (part) do update set checked_at = excluded.checked_at, fault = excluded.fault, code = excluded.code,
    details = excluded.details, good_at = coalesce(excluded.good_at, h.good_at),
    failing_since = case when excluded.fault is not null then coalesce(h.failing_since, excluded.failing_since) end`
}

const listChecks = (sql: Sql) => sql<CheckRow[]>`
  select part, checked_at, good_at, failing_since, fault, code, details from health_checks`

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

/** Runs a probe within its time. */
export async function faultOf(ctx: Context, probe: Probe): Promise<HealthFault | undefined> {
  const { settings } = probe
  try {
    const message = new HealthFault('check_timeout', { seconds: PROBE_MS / 1000, settings })
    const milliseconds = probe.isWeekly ? Number.POSITIVE_INFINITY : PROBE_MS
    await pTimeout((async () => probe.check(ctx))(), { milliseconds, message })
    return undefined
  } catch (error) {
    return probeFault(probe, error)
  }
}

export async function checkHealth(ctx: Context, probes: readonly Probe[]): Promise<void> {
  await Promise.all(
    probes
      .filter(({ part, isUsed }) => !LIVE.has(part) && isUsed(ctx))
      .map(async (probe) => saveCheck(ctx.sql, probe.part, await faultOf(ctx, probe))),
  )
}

type Bare = Pick<HealthPart, 'state'> & Partial<HealthPart> & { details?: Details }

const partOf = (name: string, { figures = [], details = {}, code = null, ...rest }: Bare): HealthPart => ({
  name,
  since: null,
  fault: null,
  code,
  ...diagnosisOf(code, details),
  good_at: null,
  checked_at: null,
  figures: figures.filter(({ value }) => value !== null),
  ...rest,
})

function diagnosisOf(code: string | null, details: Details): Pick<HealthPart, 'sentence' | 'remedy'> {
  const known = code === null ? undefined : describeFault(code, details)
  return { sentence: known?.sentence ?? null, remedy: known?.remedy ?? null }
}

/** Parts that `GET /admin/health` checks itself, because their state is obsolete within minutes. */
const LIVE = new Set(['database'])

function faultPart(name: string, found: HealthFault | undefined, figures: HealthPart['figures']): HealthPart {
  if (!found) return partOf(name, { state: 'good', figures })
  const { code, details, message: fault } = found
  return partOf(name, {
    state: describeFault(code, details)?.state ?? 'failing',
    fault,
    code,
    details,
    figures,
  })
}

/** Age of a weekly check in milliseconds, above which it did not run. */
const WEEKLY_MS = 8 * 86_400_000

function probedPart(ctx: Context, { part, isUsed, isWeekly }: Probe, row: CheckRow | undefined): HealthPart {
  if (!isUsed(ctx)) return partOf(part, { state: 'off' })
  if (!row) return partOf(part, { state: 'unknown' })
  const isOld = isWeekly && Date.now() - Date.parse(row.checked_at) > WEEKLY_MS
  if (isOld && row.fault === null)
    return partOf(part, {
      state: 'warning',
      code: 'backup_unchecked',
      good_at: wireTimeOrNull(row.good_at),
      checked_at: wireTime(row.checked_at),
    })
  const details = (row.details ?? {}) as Details
  // A server of the previous version clears only the fault.
  const code = row.fault === null ? null : row.code
  const known = code === null ? undefined : describeFault(code, details)
  return partOf(part, {
    state: row.fault === null ? 'good' : (known?.state ?? 'failing'),
    since: wireTimeOrNull(row.failing_since),
    fault: row.fault,
    code,
    details,
    good_at: wireTimeOrNull(row.good_at),
    checked_at: wireTime(row.checked_at),
  })
}

const writesPart = (fault: string | undefined): HealthPart =>
  partOf('writes', {
    state: fault === undefined ? 'good' : 'failing',
    fault: fault ?? null,
    code: fault === undefined ? null : 'writes_fail',
  })

function clocksPart(skews: ClockSkews): HealthPart {
  const fault = skewFault(skews)
  return partOf('clocks', {
    state: fault === null ? 'good' : 'warning',
    fault,
    code: fault === null ? null : 'clock_differs',
  })
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
      code: 'schedules_stopped',
      good_at,
      figures,
    })
  }
  if (isLate || isStale) {
    const since = wireTimeOrNull(isLate ? jobs.due_since : (lastLook ?? null))
    return partOf('jobs', { state: 'failing', since, code: 'jobs_late', good_at, figures })
  }
  if (failed > 0) {
    const fault = jobs.fault?.slice(0, FAULT_MAX) ?? null
    return partOf('jobs', {
      state: 'warning',
      since: wireTimeOrNull(jobs.failed_at),
      fault,
      code: 'jobs_failed',
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
      code: 'backup_failed',
      details: { reason: backup.fault.slice(0, FAULT_MAX).replace(/[.\s]+$/, '') },
      good_at,
      figures,
    })
  // Reports backups as off when no target is configured, because operators may make backups by hand.
  const promised = promisedBackupAge(config)
  if (config.backupPromises.length > 0)
    return partOf('backups', {
      state: 'warning',
      code: 'backup_nowhere',
      details: { settings: config.backupPromises.join(', ') },
      good_at,
      figures,
    })
  if (promised === undefined) return partOf('backups', { state: 'off', good_at, figures })
  if (made === null) return partOf('backups', { state: 'unknown', code: 'backup_missing' })
  const isLate = now - Date.parse(made) > promised
  return partOf('backups', {
    state: isLate ? 'warning' : 'good',
    since: isLate ? good_at : null,
    code: isLate ? 'backup_late' : null,
    good_at,
    figures,
  })
}

/** Reads the age and the result of the backups. */
export async function readBackupHealth(ctx: Context): Promise<HealthPart> {
  const [backup, now] = await Promise.all([findBackupState(ctx.sql), databaseTime(ctx.sql)])
  return backupsPart(ctx, backup, now)
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
  const probed = probes
    .filter(({ part }) => !LIVE.has(part))
    .map((probe) =>
      probedPart(
        ctx,
        probe,
        checks.find((row) => row.part === probe.part),
      ),
    )
  const unfit =
    (await faultOf(ctx, databaseProbe)) ?? (waiting > 0 ? new HealthFault('database_busy') : undefined)
  const database = faultPart('database', unfit, figures)
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

const LEVELS: Partial<Record<HealthPart['state'], number>> = { good: 0, warning: 1, failing: 2 }

/**
 * Levels of the database, the backups and the parts that a job checks, for alerts. Omits parts that are off or were not
 * checked yet. Writes, clocks and jobs have metrics of their own.
 */
export async function listPartStates(
  ctx: Context,
  probes: readonly Probe[],
): Promise<{ part: string; level: number }[]> {
  const [rows, fault, backups] = await Promise.all([
    listChecks(ctx.sql),
    faultOf(ctx, databaseProbe),
    readBackupHealth(ctx),
  ])
  const probed = probes
    .filter(({ part }) => !LIVE.has(part))
    .map((probe) =>
      probedPart(
        ctx,
        probe,
        rows.find(({ part }) => part === probe.part),
      ),
    )
  return [faultPart('database', fault, []), backups, ...probed].flatMap(({ name, state }) => {
    const level = LEVELS[state]
    return level === undefined ? [] : [{ part: name, level }]
  })
}

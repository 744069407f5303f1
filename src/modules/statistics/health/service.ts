import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type BackupState, findBackupState } from '#platform/backup/history.ts'
import type { Context } from '#platform/context.ts'
import { findJobsState, type JobsState } from '#platform/jobs/counts.ts'
import type { Probe } from '#platform/probe.ts'
import { type CheckRow, findDatabaseSize, listChecks, saveCheck } from './queries.ts'
import type { HealthPart, ServerHealth } from './schema.ts'

/** A part that takes longer to answer does not work. */
const PROBE_MS = 10_000
const FAULT_MAX = 300
/** Jobs that are due wait seconds; after this nobody works on them. */
const LATE_MS = 5 * 60_000
/** Every look at the parts is a job: without one for so long, nobody works. */
const STALE_MS = 15 * 60_000
/** When a backup is too old, which the alerts of `deploy/prometheus` hold too. */
const BACKUP_LATE_MS = 2 * 86_400_000

async function faultOf(ctx: Context, { check }: Probe): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_MS / 1000} seconds`)), PROBE_MS)
  })
  try {
    await Promise.race([check(ctx), late])
    return null
  } catch (error) {
    return (String((error as Error)?.message) || 'it failed').slice(0, FAULT_MAX)
  } finally {
    clearTimeout(timer)
  }
}

/** Looks at every part that is used, and keeps what was found (administration-20). */
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

function jobsPart({ due, running, failed, ...jobs }: JobsState, checks: CheckRow[]): HealthPart {
  const figures = Object.entries({ due, running, failed }).map(([name, value]) => ({ name, value }))
  const lastLook = checks
    .map((row) => row.checked_at)
    .sort()
    .at(-1)
  const isLate = jobs.due_since !== null && Date.now() - Date.parse(jobs.due_since) > LATE_MS
  const isStale = lastLook !== undefined && Date.now() - Date.parse(lastLook) > STALE_MS
  const good_at = wireTimeOrNull(lastLook ?? null)
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

function backupsPart({ config }: Context, { bytes, seconds, ...backup }: BackupState): HealthPart {
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
  // Without a place for scheduled ones, somebody may make them by hand.
  if (config.backupTo === undefined) return partOf('backups', { state: 'off', good_at, figures })
  if (made === null) return partOf('backups', { state: 'unknown' })
  const isLate = Date.now() - Date.parse(made) > BACKUP_LATE_MS
  return partOf('backups', {
    state: isLate ? 'warning' : 'good',
    since: isLate ? good_at : null,
    good_at,
    figures,
  })
}

/** How each part of the server is, and since when one is not in order (administration-20). */
export async function readHealth(ctx: Context, probes: readonly Probe[]): Promise<ServerHealth> {
  const started = performance.now()
  const checks = await listChecks(ctx.sql)
  const ms = Math.round((performance.now() - started) * 10) / 10
  const [{ bytes, clients }, jobs, backup] = await Promise.all([
    findDatabaseSize(ctx.sql),
    findJobsState(ctx.sql),
    findBackupState(ctx.sql),
  ])
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
  return { parts: [database, jobsPart(jobs, checks), ...probed, backupsPart(ctx, backup)] }
}

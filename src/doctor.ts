import type { Probe } from '#contracts/health-check.ts'
import { faultOf, readBackupHealth } from '#modules/statistics/index.ts'
import { measureSkews, skewFault } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import { listPendingMigrations, longTransaction, type Sql } from '#platform/database'
import { examineEpoch } from '#platform/epoch.ts'
import { describeFault, type HealthFault } from '#platform/health'
import { deleteFailedJobs, findJobsState, sinceLastSchedule } from '#platform/jobs'
import { listNodes } from '#platform/nodes.ts'
import type { Leftover } from './module.ts'
import { COUNTERS, LEFTOVERS } from './site.ts'

const SHOWN = 10

type Print = (line: string) => void

async function findBrokenParts(sql: Sql): Promise<string[]> {
  const rows = await sql<{ fault: string }[]>`
    select 'constraint ' || conname || ' of ' || conrelid::regclass || ' is not validated' as fault
    from pg_constraint where not convalidated and connamespace = 'public'::regnamespace
    union all
    select 'index ' || indexrelid::regclass || ' is not valid'
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not (indisvalid and indisready) and c.relnamespace = 'public'::regnamespace
    order by 1`
  return rows.map((row) => row.fault)
}

export async function diagnose(
  sql: Sql,
  { mend, print }: { mend: boolean; print: (line: string) => void },
): Promise<boolean> {
  const pending = await listPendingMigrations(sql)
  if (pending.length > 0) {
    print(`${pending.length} migrations are pending: run \`kith migrate\` first.`)
    return false
  }
  const broken = await findBrokenParts(sql)
  for (const fault of broken) print(`✗ ${fault}`)
  let left = 0
  let wrong = 0
  for (const check of COUNTERS) {
    const found = await longTransaction(sql, (tx) => check.find(tx))
    if (found.length === 0) {
      print(`✓ ${check.name}`)
      continue
    }
    print(`✗ ${check.name}: ${found.length}${found.length === 100 ? ' or more' : ''} differ`)
    for (const { key, kept, counted } of found.slice(0, SHOWN))
      print(`    ${key}: stored ${kept}, counted ${counted}`)
    if (check.mendable === false) wrong += 1
    else if (mend) print(`    mended ${await longTransaction(sql, (tx) => check.mend(tx))}`)
    else left += 1
  }
  if (left > 0) print('Run `kith doctor --mend` to repair the counters.')
  if (wrong > 0)
    print('Differences in the ledger are not repaired: docs/ledger.md describes how to examine them.')
  return broken.length === 0 && left === 0 && wrong === 0
}

/** Prints a fault, and what to do. Returns false when it fails, and not only warns. */
function reportFault(name: string, { code, details, message }: HealthFault, print: Print): boolean {
  const known = describeFault(code, details)
  print(`${known?.state === 'warning' ? '!' : '✗'} ${name}: ${message}`)
  if (known) print(`    ${known.remedy.en}`)
  return known?.state === 'warning'
}

/** Runs all probes at once, so that a service without a reply delays no other one. */
export async function reportChannels(
  ctx: Context,
  { probes, print }: { probes: readonly Probe[]; print: Print },
): Promise<boolean> {
  const found = await Promise.all(
    probes.map(async (probe) => {
      const names = probe.services?.(ctx) ?? []
      const name = names.length > 0 ? `${probe.part} (${names.join(', ')})` : probe.part
      const isUsed = probe.isUsed(ctx)
      return { name, isUsed, isSilent: probe.isSilent, fault: isUsed ? await faultOf(ctx, probe) : undefined }
    }),
  )
  let isWell = true
  for (const { name, isUsed, isSilent, fault } of found)
    if (!isUsed) print(`· ${name} is not configured`)
    else if (fault) isWell = reportFault(name, fault, print) && isWell
    else print(isSilent ? `✓ ${name}` : `✓ ${name} answers`)
  return isWell
}

/** Settings that concern a process and not the site, so that commands run without them. */
const OF_PROCESS = new Set([
  ...['HOST', 'PORT', 'METRICS', 'METRICS_HOST', 'METRICS_PORT', 'PROCESSES', 'WORKER', 'MIGRATE'],
  ...['LOG_LEVEL', 'DRAIN_NOTICE_MS', 'FOUNDER_PASSWORD', 'DATABASE_POOL_SIZE'],
])

/** Warns when running servers have settings that this command lacks, because the services of those would look absent. */
export async function reportSettings({ sql, config }: Context, print: Print): Promise<boolean> {
  const names = new Set((await listNodes(sql)).flatMap(({ settings }) => settings))
  const lacking = [...names].filter((name) => !config.given.includes(name) && !OF_PROCESS.has(name)).sort()
  if (lacking.length === 0) return true
  print(`! settings: a running server has ${lacking.join(', ')}, but this command does not.`)
  print('    Run the doctor with the environment of the server, so that it checks the same services.')
  return true
}

/** Reports backups that are late, failed or missing. */
export async function reportBackups(ctx: Context, print: Print): Promise<boolean> {
  const { state, sentence, remedy } = await readBackupHealth(ctx)
  if (state === 'off') print('· backups have no schedule (BACKUP_TO)')
  else if (sentence === null) print('✓ backups')
  else print(`${state === 'failing' ? '✗' : '!'} backups: ${sentence.en}`)
  if (remedy) print(`    ${remedy.en}`)
  return state !== 'failing'
}

/** Reports data in another place than the one that a server recorded. The next start of a server settles it. */
export async function reportEpoch(sql: Sql, print: (line: string) => void): Promise<boolean> {
  const { name, began_at, reason, isHere, isAhead } = await examineEpoch(sql)
  if (reason !== null) print(`· epoch ${name} since ${began_at.slice(0, 19)}: ${reason}`)
  if (isHere && !isAhead) return true
  print(
    `✗ ${isHere ? 'chat messages have positions that this database has not reached' : 'the data moved to another database'}: restart every server, so that a new epoch begins`,
  )
  return false
}

/** Seconds without a scheduled job, after which the schedules count as stopped. They run at least each minute. */
const MOST_SCHEDULE_DELAY = 300

/** Reports clocks that differ, and schedules that stopped. */
export async function reportTime(ctx: Context, print: (line: string) => void): Promise<boolean> {
  const fault = skewFault(await measureSkews(ctx))
  print(fault === null ? '✓ clocks' : `✗ ${fault}`)
  const seconds = await sinceLastSchedule(ctx.sql)
  // Without a server or worker, no schedule runs.
  const serving = await ctx.sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'kith'
      and backend_start < now() - interval '1 minute' limit 1`
  const isLate = serving.length > 0 && seconds !== null && seconds > MOST_SCHEDULE_DELAY
  if (isLate) print(`✗ no schedule has run for ${Math.round(seconds / 60)} minutes: restart the worker`)
  return fault === null && !isLate
}

const AT_ONCE = 1000

const failedJobs: Leftover = {
  text: 'jobs failed permanently and are retained for inspection',
  find: async ({ sql }) => ({ count: (await findJobsState(sql)).failed }),
  async clear({ sql }) {
    let gone = 0
    for (let some = AT_ONCE; some === AT_ONCE; gone += some) some = await deleteFailedJobs(sql, 0, AT_ONCE)
    return gone
  },
}

export async function reportLeftovers(
  ctx: Context,
  { mend, print }: { mend: boolean; print: (line: string) => void },
): Promise<void> {
  for (const { text, find, clear } of [failedJobs, ...LEFTOVERS]) {
    const { count, doubt } = await find(ctx)
    if (count === 0) continue
    print(`· ${count} ${text}`)
    if (mend) print(doubt === undefined ? `    deleted ${await clear(ctx)}` : `    not deleted: ${doubt}`)
  }
}

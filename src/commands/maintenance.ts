import { readFile } from 'node:fs/promises'
import { messageOf } from '#lib/faults.ts'
import { type Anchor, verifyAuditChain } from '#modules/audit/index.ts'
import { findDrift, findImState, reconcile } from '#modules/im/index.ts'
import { paymentHealth } from '#modules/ledger/index.ts'
import { readConfig } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { listPendingMigrations } from '#platform/database'
import { beginEpoch, examineEpoch } from '#platform/epoch.ts'
import { createLog } from '#platform/observability'
import { StartFault } from '#platform/start-fault.ts'
import { createDetachedContext } from '#startup/detached-context.ts'
import {
  diagnose,
  reportBackups,
  reportChannels,
  reportEpoch,
  reportLeftovers,
  reportSettings,
  reportTime,
} from '../doctor.ts'
import { SITE } from '../site.ts'
import { type Environment, withContext } from './context.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** Runs a step of the doctor. A step that fails does not hide the others. */
async function attempt(name: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    print(`✗ ${name}: ${messageOf(error)}`)
    return false
  }
}

/**
 * Implements `kith doctor`. Returns exit code 1 when a fault of the installation remains. Checks the other services
 * too when the database cannot be opened.
 */
export async function runDoctor(env: Environment, { mend = false }: { mend?: boolean }): Promise<number> {
  try {
    return await withContext(env, async ({ ctx }) => {
      const isCurrent = (await listPendingMigrations(ctx.sql)).length === 0
      const steps: [string, () => Promise<boolean>][] = [
        ['settings', () => reportSettings(ctx, print)],
        ['counters', () => diagnose(ctx.sql, { mend, print })],
        ['leftovers', async () => reportLeftovers(ctx, { mend, print }).then(() => true)],
        ['epoch', () => reportEpoch(ctx.sql, print)],
        ['clocks and schedules', () => reportTime(ctx, print)],
        ['backups', () => reportBackups(ctx, print)],
        [
          'services',
          () => reportChannels(ctx, { probes: SITE.probes.filter(({ isWeekly }) => !isWeekly), print }),
        ],
      ]
      let isWell = true
      // The other steps read tables that a pending migration creates.
      for (const [name, work] of steps)
        if (isCurrent || name === 'counters' || name === 'services')
          isWell = (await attempt(name, work)) && isWell
      return isWell ? 0 : 1
    })
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    print(`✗ database: ${error.message}`)
    const config = readConfig(env)
    const log = createLog({ level: env.LOG_LEVEL ? config.logLevel : 'warn', destination: process.stderr })
    const probes = SITE.probes.filter(({ worksAlone }) => worksAlone)
    await reportChannels(createDetachedContext(config, log), { probes, print })
    return 1
  }
}

/**
 * Implements `kith epoch`. A snapshot of a volume, or a recovery to a point in time, keeps the identity of the cluster, so
 * that the server cannot see that commits are missing.
 */
export const beginSiteEpoch = (env: Environment): Promise<void> =>
  withContext(env, async ({ ctx }) => {
    await beginEpoch(ctx.sql, 'an operator set the database back')
    const { name } = await examineEpoch(ctx.sql)
    print(`✓ epoch ${name} began: clients drop their positions and read again`)
  })

const SHOWN = 20

/**
 * Implements `kith doctor im`. Returns exit code 1 when the chat provider is unreachable or, without `--mend`,
 * differs from the database.
 */
export function examineIm(env: Environment, { mend = false }: { mend?: boolean }): Promise<number> {
  return withContext(env, async ({ ctx }) => {
    const state = await findImState(ctx)
    if (state.fault !== null) {
      print(`✗ ${state.provider}: ${state.fault}`)
      return 1
    }
    print(`✓ ${state.provider} responds`)
    const waiting = state.waiting_accounts + state.waiting_groups
    print(
      `${waiting === 0 ? '✓' : '✗'} changes not yet at the provider: ${state.waiting_accounts} of ${state.accounts} accounts, ` +
        `${state.waiting_groups} of ${state.groups} groups${state.last_error ? ` (${state.last_error})` : ''}`,
    )
    if (state.unregistered > 0)
      print(`  ${state.unregistered} users have no confirmed account at the provider`)
    const { drift, restored } = mend ? await reconcile(ctx) : { drift: await findDrift(ctx), restored: 0 }
    for (const { group, difference } of drift.slice(0, SHOWN)) print(`✗ group ${group} ${difference}`)
    if (drift.length === 0) print('✓ every confirmed group matches the provider')
    else if (drift.length > SHOWN) print(`  and ${drift.length - SHOWN} more`)
    if (restored > 0) print(`  restored ${restored} accounts`)
    if (mend && drift.length > 0) print('  the server is repairing these groups')
    const wrong = waiting + drift.length > 0
    if (wrong && !mend) print('Run `kith doctor im --mend` to repair it.')
    return wrong && !mend ? 1 : 0
  })
}

type Print = (line: string) => void

export async function reportPayments(ctx: Context, print: Print): Promise<boolean> {
  const states = await paymentHealth(ctx)
  if (states.length === 0) print('· no payment provider is configured (docs/payments.md)')
  for (const { provider, fault, last_statement: last, lost, ...counts } of states) {
    print(fault === null ? `✓ ${provider} responds` : `✗ ${provider}: ${fault}`)
    const found = {
      'open payments are overdue': counts.waiting,
      'payments arrived but were not credited': counts.uncredited,
      'differences are listed in the console': counts.differences,
      'refunds were requested more than a day ago and have no result': counts.refunds,
      'payments are in dispute; the provider decides': counts.disputes,
    }
    for (const [what, count] of Object.entries(found)) if (count > 0) print(`✗ ${provider}: ${count} ${what}`)
    for (const { kind, number, fault, day } of lost.notices)
      print(
        `✗ ${provider}: ${kind} of ${number} on ${day} ${
          fault === null
            ? 'has no payment here'
            : fault === 'other_session'
              ? 'belongs to another checkout than that of its order'
              : 'belongs to another payment than that of its order'
        }`,
      )
    if (lost.count > lost.notices.length)
      print(`✗ ${provider}: ${lost.count - lost.notices.length} more notices are listed in the console`)
    print(
      `  ${provider}: ${last === null ? 'no statement has been compared yet' : `last compared statement ${last}`}`,
    )
  }
  return states.every(
    ({ fault, waiting, uncredited, differences, refunds, disputes, lost }) =>
      fault === null && waiting + uncredited + differences + refunds + disputes + lost.count === 0,
  )
}

/**
 * Implements `kith doctor payments`. Returns exit code 1 when a provider does not respond or a payment needs a
 * manual check.
 */
export const examinePayments = (env: Environment): Promise<number> =>
  withContext(env, async ({ ctx }) => ((await reportPayments(ctx, print)) ? 0 : 1))

const anchorsIn = (text: string): Anchor[] =>
  [...text.matchAll(/^anchor (\d+) ([0-9a-f]{64})$/gm)].map(([, position, hash = '']) => ({
    position: Number(position),
    hash,
  }))

/**
 * Implements `kith doctor audit [FILE]`. Returns exit code 1 when the audit log contradicts its hashes or the
 * anchors in FILE.
 */
export async function examineAudit(env: Environment, file?: string): Promise<number> {
  const kept = file === undefined ? [] : anchorsIn(await readFile(file, 'utf8'))
  if (file !== undefined && kept.length === 0) throw new Error(`${file} has no line "anchor POSITION HASH"`)
  return withContext(env, async ({ ctx }) => {
    const { records, waiting, redacted, anchor, faults } = await verifyAuditChain(ctx.sql, kept)
    for (const fault of faults) print(`✗ ${fault}`)
    if (faults.length === 0)
      print(
        `✓ ${records} records, none changed (${redacted} redacted when accounts were deleted, ${waiting} not yet in the chain)`,
      )
    if (faults.length === 0 && kept.length > 0) print(`✓ matches ${kept.length} anchors of ${file}`)
    if (anchor) print(`anchor ${anchor.position} ${anchor.hash}`)
    return faults.length === 0 ? 0 : 1
  })
}

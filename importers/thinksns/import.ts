import { isTimeZone } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { prepareDatabase } from '#startup/prepare.ts'
import { type Environment, withContext } from '../../src/commands/context.ts'
import { NO_FILES, openFiles } from './database/files.ts'
import {
  type Progress,
  patientTransactions,
  runPlan,
  type Transactions,
  withoutTrace,
} from './database/run.ts'
import { openSource, type Source } from './database/source.ts'
import {
  acceptDecisions,
  beginRun,
  closeImport,
  findImport,
  finishRun,
  listReadTables,
} from './database/state.ts'
import type { TableImport } from './database/table.ts'
import { findOpen, listDecisions, readAccepted } from './decisions.ts'
import { LEFT_OUT } from './left-out.ts'
import { listFounders } from './modules/accounts/steps.ts'
import { hasPaymentsHere, sumBalances } from './modules/ledger/balances.ts'
import { PLAN, THINGS } from './plan.ts'
import {
  type LeftTable,
  type Money,
  printDecisions,
  printFounders,
  printMoney,
  printReasons,
  printTotals,
  writeReport,
} from './report.ts'
import { listUnread, noteUnknown } from './unread.ts'

export type ThinkSnsOptions = {
  database?: string
  files?: string
  timeZone?: string
  prefix?: string
  dryRun?: boolean
  report?: string
  resume?: boolean
  again?: boolean
  close?: boolean
  unverified?: boolean
  accept?: string
  waiting?: string
  oldWallets?: boolean
  oldPrices?: boolean
  lockDisablers?: boolean
  tls?: boolean
  tlsCa?: string
}

const SOURCE = 'thinksns'

export type Output = { line(text: string): void; progress(state: Progress): void }

export async function importThinkSns(env: Environment, given: ThinkSnsOptions): Promise<number> {
  // Validates options before the start of a database, which is slow.
  if (!given.close && given.accept === undefined) choicesOf(given)
  return withContext(env, async ({ ctx, forJobs, connection }) => {
    await prepareDatabase(forJobs, connection)
    if (given.accept !== undefined) await acceptMove(ctx, given.accept)
    if (given.close) return closeMove(ctx, given)
    if (given.accept !== undefined) return 0
    return bringOver(ctx, given, consoleOutput())
  })
}

/** Confirms the decisions of a report. Lists those that it lacks, or that concern other rows by now. */
export async function acceptMove({ sql }: Context, path: string, { line }: Pick<Output, 'line'> = printed) {
  const given = await readAccepted(path)
  const decisions = await listDecisions(sql)
  const accepted = Object.fromEntries(
    decisions.flatMap(({ id }) => (given[id] === undefined ? [] : [[id, given[id]]])),
  )
  await acceptDecisions(sql, accepted)
  const open = findOpen(decisions, (await findImport(sql))?.accepted ?? {})
  line(`${decisions.length - open.length} of ${decisions.length} decisions are confirmed.`)
  for (const { id, rows } of open) line(`not confirmed: ${id} (${rows} rows)`)
}

export async function closeMove(
  ctx: Context,
  { unverified = false }: Pick<ThinkSnsOptions, 'unverified'> = {},
): Promise<number> {
  const before = await findImport(ctx.sql)
  const isOpen = before?.finished_at && !before.closed_at
  const open = isOpen ? findOpen(await listDecisions(ctx.sql), before.accepted) : []
  if (open.length > 0)
    throw new Error(
      `${open.length} decisions are not confirmed, such as "${open[0]?.id}": read them in the report of the last run, then give it with --accept`,
    )
  if (isOpen && before.verified_run !== before.runs && !unverified)
    throw new Error(
      'after the last run, `kith import verify` has not ended with go: run it, or give --unverified to close without it',
    )
  if (!(await closeImport(ctx.sql, SOURCE)))
    throw new Error('no import to close: none has finished, or it is already closed')
  process.stdout.write('The import is closed. This database accepts no further runs.\n')
  return 0
}

function choicesOf(given: ThinkSnsOptions) {
  const zone = given.timeZone ?? ''
  if (!isTimeZone(zone))
    throw new Error('give the time zone of the old database with --time-zone, such as Asia/Shanghai or UTC')
  const waiting = given.waiting ?? 'keep'
  if (waiting !== 'keep' && waiting !== 'refund') throw new Error('--waiting must be keep or refund')
  return {
    zone,
    prefix: given.prefix ?? '',
    waiting,
    oldWallets: given.oldWallets ?? false,
    oldPrices: given.oldPrices ?? false,
    lockDisablers: given.lockDisablers ?? false,
  } as const
}

/** Shows stored options as an operator gives them. */
const shownOptions = ({ zone, prefix, waiting, ...flags }: Record<string, unknown>): string =>
  [
    `--time-zone ${zone}`,
    ...(prefix ? [`--prefix ${prefix}`] : []),
    `--waiting ${waiting}`,
    ...Object.entries(flags)
      .filter(([, isOn]) => isOn)
      .map(([name]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
  ].join(' ')

export async function bringOver(ctx: Context, given: ThinkSnsOptions, out: Output): Promise<number> {
  const choices = choicesOf(given)
  const dryRun = given.dryRun ?? false
  await refuseWrongMoment(ctx, choices, given)
  const files = given.files === undefined ? NO_FILES : await openFiles(given.files, ctx.config.s3)
  const source = await openSource(
    { database: given.database ?? '', tls: given.tls, tlsCa: given.tlsCa },
    choices,
  )
  try {
    if (!source.tables.has('users') || !source.tables.has('migrations'))
      throw new Error('this database contains no ThinkSNS+ tables: check --prefix')
    // A run would remove everything that it brought from them.
    const lost = (await listReadTables(ctx.sql)).filter((table) => !source.tables.has(table))
    if (lost.length > 0)
      throw new Error(
        `this database lacks tables that an earlier run read: ${lost.join(', ')}. Load the whole dump, or create a table ` +
          'without rows if the old site removed it',
      )
    const left = await countLeft(source)
    const { zone: _, prefix: __, ...kept } = choices
    const inFen = !source.tables.has('currencies')
    if (inFen)
      out.line(
        'The old site has no points (before 1.9): pending payments of requests are refunded into the wallet, because Kith takes points for them.',
      )
    const hasPayments = await hasPaymentsHere(ctx.sql)
    if (hasPayments)
      out.line(
        'Users paid or earned here since the last run. This run undoes that, and reads everything again, as with --again.',
      )
    const run = async (transactions: Transactions) => {
      await transactions((tx) => beginRun(tx, SOURCE, choices))
      const unread = listUnread(source, TABLES)
      await transactions((tx) => noteUnknown(tx, source, unread))
      await runPlan(PLAN, {
        ctx,
        source,
        transactions,
        options: { ...kept, ...(inFen ? { waiting: 'refund' as const } : {}), inFen, dryRun },
        files,
        things: THINGS,
        again: hasPayments || (given.again ?? false),
        progress: out.progress,
      })
      await transactions(async (tx) => {
        await finishRun(tx)
        await printReasons(tx, left, out.line)
        await printTotals(tx, knownTables(source), left, out.line)
        const money = await countMoney(tx, source, choices)
        isWhole = printMoney(money, out.line)
        const decisions = await listDecisions(tx)
        printDecisions(decisions, findOpen(decisions, (await findImport(tx))?.accepted ?? {}), out.line)
        printFounders(await listFounders(tx), out.line)
        if (given.report !== undefined)
          await writeReport(tx, { left, unread, money, decisions }, given.report)
      })
    }
    let isWhole = true
    if (dryRun) await withoutTrace(ctx.sql, run)
    else {
      await holdingTheLock(ctx, () => run(patientTransactions(ctx.sql)))
      // `analyze` on millions of rows exceeds the timeout of requests.
      await patientTransactions(ctx.sql)((tx) => tx`analyze`)
    }
    out.line(
      dryRun
        ? 'Nothing was written: this was a dry run.'
        : 'Check the result with `kith import verify` and `kith doctor`. Run the same command again to import later changes.',
    )
    return isWhole ? 0 : 1
  } finally {
    await source.close()
  }
}

async function refuseWrongMoment(ctx: Context, choices: object, given: ThinkSnsOptions): Promise<void> {
  const before = await findImport(ctx.sql)
  if (before?.closed_at) throw new Error('the import into this database is closed')
  if (before && before.source !== SOURCE)
    throw new Error(`this database already contains an import from ${before.source}`)
  if (before) {
    const earlier = JSON.stringify(Object.entries(before.options).sort())
    if (earlier !== JSON.stringify(Object.entries(choices).sort()))
      throw new Error(
        `the options differ from those of the first run: ${shownOptions(before.options)}. Give the same, or start again with ` +
          'an empty database and DATA_DIR',
      )
    if (given.resume && before.finished_at) throw new Error('the last run has finished: omit --resume')
    return
  }
  if (given.resume) throw new Error('no run to resume: omit --resume')
  const [row] = await ctx.sql<[{ people: number }]>`select count(*)::int as people from users`
  if (row.people > 0)
    throw new Error(
      `this database already contains ${row.people} users, but the import keeps ids and needs an empty database. ` +
        'Set another DATA_DIR or DATABASE_URL, and do not start the server before the import',
    )
}

/** Runs `work` under an advisory lock, because concurrent imports would overwrite each other's rows. */
async function holdingTheLock(ctx: Context, work: () => Promise<void>): Promise<void> {
  const held = await ctx.sql.reserve()
  try {
    const [row] = await held<[{ locked: boolean }]>`select pg_try_advisory_lock(4127013) as locked`
    if (!row.locked) throw new Error('another import into this database is running')
    try {
      await work()
    } finally {
      // Unlocks explicitly, because the pooled connection would retain the advisory lock.
      await held`select pg_advisory_unlock(4127013)`
    }
  } finally {
    held.release()
  }
}

const knownTables = ({ tables }: Source) =>
  [...new Set(PLAN.flatMap((part) => ('table' in part && tables.has(part.table) ? [part.table] : [])))].sort()

async function countMoney(
  sql: Db,
  source: Source,
  { oldWallets }: { oldWallets: boolean },
): Promise<Money[]> {
  const there = {
    points: await source.sum('currencies', 'sum', { column: 'type', value: 1 }),
    wallet:
      (await source.sum('wallet', 'balance')) + (oldWallets ? await source.sum('wallets', 'balance') : 0),
  }
  return (await sumBalances(sql)).map((each) => ({ ...each, source: there[each.currency] }))
}

const TABLES = PLAN.filter((part): part is TableImport => 'table' in part)

async function countLeft(source: Source): Promise<LeftTable[]> {
  const known = new Set(PLAN.flatMap((part) => ('table' in part ? [part.table] : [])))
  const left: LeftTable[] = []
  for (const table of [...source.tables.keys()].sort())
    if (!known.has(table))
      left.push({
        table,
        rows: await source.count(table),
        reason: LEFT_OUT[table] ?? 'not a table of ThinkSNS+',
      })
  return left
}

const printed = { line: (text: string) => void process.stdout.write(`${text}\n`) }

const SECOND = 1000

function consoleOutput(): Output {
  const begun = Date.now()
  let shown = 0
  let first: { at: number; done: number } | undefined
  return {
    ...printed,
    progress({ at, done, total }) {
      const now = Date.now()
      if (now - shown < SECOND) return
      shown = now
      if (done > 0) first ??= { at: now, done }
      const pace = first && now > first.at ? ((done - first.done) / (now - first.at)) * SECOND : 0
      const left = pace > 0 ? `, ${duration((total - done) / pace)} left` : ''
      process.stderr.write(
        `${duration((now - begun) / SECOND)} ${at}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows${left}\n`,
      )
    },
  }
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(hours)}:${two(minutes)}:${two(seconds % 60)}`
}

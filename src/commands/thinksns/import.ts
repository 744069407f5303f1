import { isTimeZone } from '#lib/zoned-time.ts'
import { sumBalances } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { NO_FILES, openFiles } from '#platform/database-import/files.ts'
import {
  type Progress,
  patientTransactions,
  runPlan,
  type Transactions,
  withoutTrace,
} from '#platform/database-import/run.ts'
import { openSource, type Source } from '#platform/database-import/source.ts'
import { beginRun, closeImport, findImport, finishRun } from '#platform/database-import/state.ts'
import { prepareDatabase } from '../../prepare.ts'
import { type Environment, withContext } from '../context.ts'
import { LEFT_OUT } from './left-out.ts'
import { PLAN, THINGS } from './plan.ts'
import { type LeftTable, type Money, printMoney, printReasons, printTotals, writeReport } from './report.ts'

export type ThinkSnsOptions = {
  database?: string
  files?: string
  'time-zone'?: string
  prefix?: string
  'dry-run'?: boolean
  report?: string
  resume?: boolean
  again?: boolean
  close?: boolean
  waiting?: string
  'old-wallets'?: boolean
  'old-prices'?: boolean
  tls?: boolean
  'tls-ca'?: string
}

const SOURCE = 'thinksns'

export type Output = { line(text: string): void; progress(state: Progress): void }

/** `kith import thinksns`: brings a community over, or brings what is here up to date with where it came from. */
export function importThinkSns(env: Environment, given: ThinkSnsOptions): Promise<number> {
  return withContext(env, async ({ ctx, forJobs, connection }) => {
    await prepareDatabase(forJobs, connection)
    if (given.close) return closeMove(ctx)
    return bringOver(ctx, given, consoleOutput())
  })
}

/** Ends the move for good: the database goes its own way from then on. */
export async function closeMove(ctx: Context): Promise<number> {
  if (!(await closeImport(ctx.sql, SOURCE)))
    throw new Error('there is no move to close: none was finished, or it was closed before')
  process.stdout.write('The move is closed: nothing is imported into this database any more.\n')
  return 0
}

/** The choices that every run of a move has to make alike. */
function choicesOf(given: ThinkSnsOptions) {
  const zone = given['time-zone'] ?? ''
  if (!isTimeZone(zone))
    throw new Error(
      'say with --time-zone in which zone the old site wrote its times, such as Asia/Shanghai or UTC',
    )
  const waiting = given.waiting ?? 'keep'
  if (waiting !== 'keep' && waiting !== 'refund') throw new Error('--waiting is keep or refund')
  return {
    zone,
    prefix: given.prefix ?? '',
    waiting,
    oldWallets: given['old-wallets'] ?? false,
    oldPrices: given['old-prices'] ?? false,
  } as const
}

/**
 * Runs the import on a database that is prepared. Exit code 0 also when rows had to be left out: the report says so;
 * 1 when people own another sum here than was brought along.
 */
export async function bringOver(ctx: Context, given: ThinkSnsOptions, out: Output): Promise<number> {
  const choices = choicesOf(given)
  const dryRun = given['dry-run'] ?? false
  await refuseWrongMoment(ctx, choices, given)
  const files = given.files === undefined ? NO_FILES : await openFiles(given.files, ctx.config.s3)
  const source = await openSource(
    { database: given.database ?? '', tls: given.tls, tlsCa: given['tls-ca'] },
    choices,
  )
  try {
    if (!source.tables.has('users') || !source.tables.has('migrations'))
      throw new Error('there is no ThinkSNS+ in this database: look at --prefix')
    const left = await countLeft(source)
    const { waiting, oldWallets, oldPrices } = choices
    const run = async (transactions: Transactions) => {
      await transactions((tx) => beginRun(tx, SOURCE, choices))
      await runPlan(PLAN, {
        ctx,
        source,
        transactions,
        options: { waiting, oldWallets, oldPrices, dryRun },
        files,
        things: THINGS,
        again: given.again ?? false,
        progress: out.progress,
      })
      await transactions(async (tx) => {
        await finishRun(tx)
        await printReasons(tx, left, out.line)
        await printTotals(tx, knownTables(source), left, out.line)
        const money = await countMoney(tx, source, choices)
        isWhole = printMoney(money, out.line)
        if (given.report !== undefined) await writeReport(tx, left, money, given.report)
      })
    }
    let isWhole = true
    if (dryRun) await withoutTrace(ctx.sql, run)
    else {
      await holdingTheLock(ctx, () => run(patientTransactions(ctx.sql)))
      // Over millions of rows it takes longer than a request may.
      await patientTransactions(ctx.sql)((tx) => tx`analyze`)
    }
    out.line(
      dryRun
        ? 'Nothing was written: this was a dry run.'
        : 'Run `kith doctor` to see that all is well. Run the same command again to bring what changed meanwhile.',
    )
    return isWhole ? 0 : 1
  } finally {
    await source.close()
  }
}

async function refuseWrongMoment(ctx: Context, choices: object, given: ThinkSnsOptions): Promise<void> {
  const before = await findImport(ctx.sql)
  if (before?.closed_at) throw new Error('the move is closed: this database goes its own way now')
  if (before && before.source !== SOURCE) throw new Error(`this database was moved from ${before.source}`)
  if (before) {
    const earlier = JSON.stringify(Object.entries(before.options).sort())
    if (earlier !== JSON.stringify(Object.entries(choices).sort()))
      throw new Error(`the first run was told otherwise: ${JSON.stringify(before.options)}`)
    if (given.resume && before.finished_at) throw new Error('the last run was finished: leave out --resume')
    return
  }
  if (given.resume) throw new Error('there is no run to go on with: leave out --resume')
  const [row] = await ctx.sql<[{ people: number }]>`select count(*)::int as people from users`
  if (row.people > 0)
    throw new Error(
      `there are ${row.people} people in this database already, and ids come along: a community moves into an empty one, ` +
        'before the server is started for the first time (another DATA_DIR or DATABASE_URL makes one)',
    )
}

/** Two runs at once would write over each other. */
async function holdingTheLock(ctx: Context, work: () => Promise<void>): Promise<void> {
  const held = await ctx.sql.reserve()
  try {
    const [row] = await held<[{ locked: boolean }]>`select pg_try_advisory_lock(4127013) as locked`
    if (!row.locked) throw new Error('another import into this database is running')
    try {
      await work()
    } finally {
      // The connection goes back to the pool, where the lock would outlive a run that was broken off.
      await held`select pg_advisory_unlock(4127013)`
    }
  } finally {
    held.release()
  }
}

/** Tables that come along, as far as the source has them. */
const knownTables = ({ tables }: Source) =>
  [...new Set(PLAN.flatMap((part) => ('table' in part && tables.has(part.table) ? [part.table] : [])))].sort()

/** What people owned in the source, by its own sums, beside what they own here. */
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

const SECOND = 1000

/** A line on stderr once a second: what is done, how much of all, and how long the rest takes at this pace. */
function consoleOutput(): Output {
  const begun = Date.now()
  let shown = 0
  let first: { at: number; done: number } | undefined
  return {
    line: (text) => void process.stdout.write(`${text}\n`),
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

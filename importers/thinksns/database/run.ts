import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Context } from '#platform/context.ts'
import { type Sql, type Tx, transaction } from '#platform/database'
import { type Change, findChanges, reasonOf } from './changes.ts'
import type { FileSource } from './files.ts'
import { type Originals, originalOf } from './originals.ts'
import { type Chunk, rangeOf, type Source } from './source.ts'
import {
  addFacts,
  addNotes,
  type ChunkRow,
  changedFacts,
  compareFacts,
  dropChunk,
  dropNotes,
  dropNotesOf,
  findImport,
  keepFacts,
  listChunks,
  markChunk,
  type Note,
  saveChunk,
} from './state.ts'
import type { Batch, FindOwners, ImportOptions, ImportStep, SourceRow, TableImport } from './table.ts'

export type Plan = (TableImport | ImportStep)[]

export type Progress = {
  at: string
  done: number
  total: number
}

export type Transactions = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const patiently = async <T>(tx: Tx, work: (tx: Tx) => Promise<T>) => {
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
  return work(tx)
}

/** Runs transactions without the timeouts of requests, which large batches exceed. */
export const patientTransactions =
  (sql: Sql): Transactions =>
  (work) =>
    transaction(sql, (tx) => patiently(tx, work))

class Undone extends Error {}

export async function withoutTrace(sql: Sql, work: (run: Transactions) => Promise<void>): Promise<void> {
  try {
    await sql.begin((tx) =>
      patiently(tx, async () => {
        await work((part) => part(tx))
        throw new Undone()
      }),
    )
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

const HEAP_GROWTH = 60_000_000
let collect: (() => void) | undefined
let heapKept = 0

/**
 * Collects garbage, because V8 otherwise grows its heap to a large part of the memory, and the import shares the
 * machine with a server. A collection of a heap that has not grown frees nothing.
 */
function tidyMemory(): void {
  if (process.memoryUsage().heapUsed < heapKept + HEAP_GROWTH) return
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  heapKept = process.memoryUsage().heapUsed
}

const keyOf = (table: TableImport, row: object) =>
  table.key.map((name) => String((row as SourceRow)[name] ?? '')).join('/')

export type RunEnvironment = {
  ctx: Context
  source: Source
  transactions: Transactions
  options: ImportOptions
  files: FileSource
  things: Record<string, FindOwners>
  /** Imports ranges of rows again even if their checksum is unchanged. */
  again: boolean
  progress(state: Progress): void
}

export async function runPlan(plan: Plan, given: RunEnvironment): Promise<void> {
  const before = await given.transactions((tx) => findImport(tx))
  const env = { ...given, mirrors: (before?.finished_runs ?? 0) > 0 }
  const tables = plan.filter((part) => 'table' in part).filter(({ table }) => env.source.tables.has(table))
  const chunks = new Map<string, Chunk[]>()
  let [done, total] = [0, 0]
  const say = (at: string) => env.progress({ at, done, total })
  for (const table of tables) {
    const found = await env.source.chunks(table)
    chunks.set(table.table, found)
    total += found.reduce((sum, { rows }) => sum + rows, 0)
    say(`checking ${table.table}`)
  }
  for (const part of plan) {
    if ('run' in part) {
      say(part.name)
      await explained(`the step "${part.name}"`, () =>
        runStep(part, env, (text) => say(`${part.name}: ${text}`)),
      )
      continue
    }
    await importTable(part, chunks.get(part.table) ?? [], env, (rows) => {
      done += rows
      say(part.table)
    })
  }
}

/** Describes an error of Kith's database in sentences, with the place in the source and what to do. */
async function explained<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, message, detail } = error as { code?: unknown; message: string; detail?: unknown }
    if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) throw error
    throw new Error(
      `Kith's database rejected ${place}: ${message}${typeof detail === 'string' ? ` (${detail})` : ''}. ` +
        'Nothing of it was written, and the old site is unchanged. Run the same command again. If it fails again, ' +
        'this is an error of the import: report it with this message.',
      { cause: error },
    )
  }
}

const NOTES_AT_ONCE = 500

async function runStep(
  step: ImportStep,
  env: RunEnvironment & { mirrors: boolean },
  progress: (text: string) => void,
): Promise<void> {
  let [notes, forgotten]: [Note[], string[]] = [[], []]
  const saveNotes = async (tx: Tx) => {
    const [given, dropped] = [notes, forgotten]
    ;[notes, forgotten] = [[], []]
    await dropNotesOf(tx, step.name, dropped)
    await addNotes(tx, step.name, 0, given)
  }
  const write = () => env.transactions(saveNotes)
  if (!step.keeps) await env.transactions((tx) => dropChunk(tx, step.name, 0))
  await step.run({
    ctx: env.ctx,
    options: env.options,
    files: env.files,
    transaction: env.transactions,
    async changed(kind, ids) {
      if (env.mirrors) await env.transactions((tx) => addFacts(tx, step.name, kind, ids))
    },
    async note(key, reason, change) {
      notes.push({ key, outcome: 'mended', reason, change })
      if (!step.keeps && notes.length >= NOTES_AT_ONCE) await write()
    },
    forget: (keys) => void forgotten.push(...keys),
    saveNotes,
    progress,
  })
  await write()
}

/** Returns the ranges to read: those that changed, and those that depend on what changed elsewhere. */
async function findStale(
  table: TableImport,
  found: Chunk[],
  known: Map<number, ChunkRow>,
  { source, transactions, again }: RunEnvironment,
): Promise<Set<number>> {
  const every = () => new Set(found.map(({ chunk }) => chunk))
  if (again || table.reread === 'always' || known.size === 0) return every()
  const stale = new Set<number>()
  for (const { chunk, checksum } of found) if (known.get(chunk)?.checksum !== checksum) stale.add(chunk)
  const there = every()
  if (table.reread === 'whole') {
    const last = Math.max(...known.keys())
    // Rows do not depend on later ones, so new ranges at the end change nothing before them.
    const inside = [...stale].some((chunk) => known.has(chunk) || chunk < last)
    if (inside || [...known.keys()].some((chunk) => !there.has(chunk))) return there
  }
  for (const [kind, columns] of Object.entries(table.reads ?? {})) {
    const ids = await transactions((tx) => changedFacts(tx, kind))
    if (ids.length === 0) continue
    for (const column of columns)
      for (const chunk of await source.chunksWith(table, column, ids))
        if (there.has(chunk)) {
          if (table.reread === 'whole' && known.has(chunk)) return there
          stale.add(chunk)
        }
  }
  return stale
}

/**
 * Brings the imported rows of a table to what a first run would leave: what depends on other rows is cleared in all
 * ranges that are read again before the first is written, so that names and places that changed hands are free.
 */
async function importTable(
  table: TableImport,
  found: Chunk[],
  env: RunEnvironment & { mirrors: boolean },
  advance: (rows: number) => void,
): Promise<void> {
  const { transactions } = env
  const known = await transactions((tx) => listChunks(tx, table.table))
  const stale = await findStale(table, found, known, env)
  const there = new Set(found.map(({ chunk }) => chunk))
  const vanished = [...known.keys()].filter((chunk) => !there.has(chunk))
  const { gone, states } = table
  const made = await dropBeyond(table, Math.max(-1, ...there, ...known.keys()), env)
  const changing = (work: (tx: Tx) => Promise<unknown>) =>
    explained(`changes of ${table.table}`, () => transactions(work))
  for (const chunk of [...vanished, ...[...stale].filter((each) => known.has(each))])
    await changing(async (tx) => {
      const range = rangeOf(table, chunk)
      if (states) await keepFacts(tx, table.table, chunk, states(tx, range))
      await markChunk(tx, table.table, chunk)
      await gone.before?.(tx, range)
    })
  for (const chunk of vanished)
    await changing(async (tx) => {
      const range = rangeOf(table, chunk)
      const keys = (await gone.after?.(tx, range, [], [])) ?? []
      if (states) await compareFacts(tx, table.table, chunk, states(tx, range))
      await dropChunk(tx, table.table, chunk)
      await addNotes(tx, table.table, chunk, vanishedNotes(table, keys))
    })
  for (const chunk of found) {
    if (stale.has(chunk.chunk)) {
      const { from, to } = rangeOf(table, chunk.chunk)
      const rows =
        table.by === null ? 'all rows' : `rows with ${table.by} from ${Math.max(from, 0)} to ${to - 1}`
      await explained(`${table.table} (${rows})`, () =>
        transactions((tx) => importChunk(tx, table, chunk, known.has(chunk.chunk), env)),
      )
    }
    advance(chunk.rows)
    tidyMemory()
  }
  const last = found.at(-1)?.chunk ?? 0
  if (made.length > 0) await transactions((tx) => addNotes(tx, table.table, last, vanishedNotes(table, made)))
}

/** Removes rows that users made here since the last run, and whose ids no range of the source has reached. Returns their keys. */
async function dropBeyond(
  table: TableImport,
  last: number,
  { again, mirrors, transactions }: RunEnvironment & { mirrors: boolean },
): Promise<string[]> {
  if (!again || !mirrors || table.by === null) return []
  const range = { from: rangeOf(table, last + 1).from, to: Number.MAX_SAFE_INTEGER }
  return explained(`rows of ${table.table} that were made here`, () =>
    transactions(async (tx) => {
      await table.gone.before?.(tx, range)
      return (await table.gone.after?.(tx, range, [], [])) ?? []
    }),
  )
}

async function importChunk(
  tx: Tx,
  table: TableImport,
  { chunk, checksum, rows: there }: Chunk,
  repeated: boolean,
  { source, ctx, options, files, things, mirrors }: RunEnvironment & { mirrors: boolean },
): Promise<void> {
  let notes: Note[] = []
  const outcomes = new Map<object, 'merged' | 'left out'>()
  const reasons = new Map<object, Mended[]>()
  const originals: Originals = new WeakMap()
  const conclude = (row: object, outcome: 'merged' | 'left out', reason: string, column?: string) => {
    if (outcomes.has(row)) return
    outcomes.set(row, outcome)
    const lost = column && { column, old: (row as SourceRow)[column], new: null }
    notes.push({ key: keyOf(table, row), outcome, reason, ...(lost ? { change: lost } : {}) })
  }
  const batch: Batch = {
    ctx,
    options,
    files,
    memory: new Map(),
    has: (column) => source.tables.get(table.table)?.has(column) ?? false,
    async find(kind, ids) {
      const wanted = [...new Set(ids)].filter((id): id is number => id !== null && id > 0)
      return wanted.length === 0 ? new Map() : ((await things[kind]?.(tx, wanted)) ?? new Map())
    },
    leaveOut: (row, reason, column) => conclude(row, 'left out', reason, column),
    merge: (row, reason, column) => conclude(row, 'merged', reason, column),
    mend(row, reason, at) {
      const given = typeof at === 'string' ? { reason, column: at } : { reason, ...at }
      reasons.set(row, [...(reasons.get(row) ?? []), given])
    },
  }
  const counts = { rows: 0, merged: 0, left_out: 0 }
  const kept: SourceRow[] = []
  const known: SourceRow[] = []
  await dropNotes(tx, table.table, chunk)
  for await (const rows of source.read(table, chunk, originals)) {
    await table.write(tx, rows, batch)
    counts.rows += rows.length
    for (const outcome of outcomes.values()) counts[outcome === 'merged' ? 'merged' : 'left_out'] += 1
    const imported = rows.filter((row) => !outcomes.has(row))
    if (repeated && table.gone.after) {
      kept.push(...imported)
      known.push(...rows.filter((row) => outcomes.get(row) !== 'left out'))
    }
    notes.push(...mendedNotes(table, reasons, await findChanges(tx, table, imported, originals), originals))
    await addNotes(tx, table.table, chunk, notes)
    notes = []
    outcomes.clear()
    reasons.clear()
  }
  // The count and the rows come from one snapshot, so a difference means that the import lost or repeated
  // rows.
  if (counts.rows !== there)
    throw new Error(`${table.table} has ${there} rows in range ${chunk}, but ${counts.rows} were read`)
  const range = rangeOf(table, chunk)
  const vanished = repeated ? ((await table.gone.after?.(tx, range, kept, known)) ?? []) : []
  await addNotes(tx, table.table, chunk, vanishedNotes(table, vanished))
  if (table.states && (repeated || mirrors))
    await compareFacts(tx, table.table, chunk, table.states(tx, range))
  const imported = counts.rows - counts.merged - counts.left_out
  await saveChunk(tx, table.table, { chunk, checksum, imported, ...counts })
}

const vanishedNotes = ({ gone }: TableImport, keys: string[]): Note[] =>
  keys.map((key) => ({
    key,
    outcome: 'mended',
    reason: `no longer in the source: ${gone.means === 'hide' ? 'disabled' : 'removed'}`,
  }))

type Mended = { reason: string; column?: string; new?: unknown }

function mendedNotes(
  table: TableImport,
  reasons: Map<object, Mended[]>,
  changes: Change[],
  originals: Originals,
): Note[] {
  const outcome = 'mended'
  const notes = changes.flatMap((change): Note[] => {
    const { row, column } = change
    const given = reasons.get(row) ?? []
    const own = given.filter((each) => each.column === column && !('new' in each))
    reasons.set(
      row,
      given.filter((each) => !own.includes(each)),
    )
    const found =
      own.length > 0 ? own.map((each) => each.reason) : [reasonOf(change, table.columns[column] === 'time')]
    return found.map((reason) => ({ key: keyOf(table, row), outcome, reason, change }))
  })
  for (const [row, rest] of reasons)
    for (const { reason, column, ...shown } of rest) {
      const old =
        column && (originalOf(originals, row as SourceRow, column) ?? (row as SourceRow)[column] ?? null)
      const change = column === undefined ? undefined : { column, old, new: 'new' in shown ? shown.new : old }
      notes.push({ key: keyOf(table, row), outcome, reason, change })
    }
  return notes
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Context } from '#platform/context.ts'
import { type Sql, type Tx, transaction } from '#platform/database'
import { type Change, findChanges, reasonOf } from './changes.ts'
import type { FileSource } from './files.ts'
import { type Originals, originalOf } from './originals.ts'
import { type Chunk, rangeOf, type Source } from './source.ts'
import { addNotes, dropChunk, dropNotes, listChunks, type Note, saveChunk } from './state.ts'
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

const HEAP_KEPT = 60_000_000
let collect: (() => void) | undefined

/**
 * Collects garbage, because V8 otherwise grows its heap to a large part of the memory, and the import shares the
 * machine with a server.
 */
function tidyMemory(): void {
  if (process.memoryUsage().heapUsed < HEAP_KEPT) return
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
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

export async function runPlan(plan: Plan, env: RunEnvironment): Promise<void> {
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
      await runStep(part, env, (text) => say(`${part.name}: ${text}`))
      continue
    }
    await importTable(part, chunks.get(part.table) ?? [], env, (rows) => {
      done += rows
      say(part.table)
    })
  }
}

const NOTES_AT_ONCE = 500

async function runStep(
  step: ImportStep,
  env: RunEnvironment,
  progress: (text: string) => void,
): Promise<void> {
  let notes: Note[] = []
  const write = async () => {
    const given = notes
    notes = []
    await env.transactions((tx) => addNotes(tx, step.name, 0, given))
  }
  await env.transactions((tx) => dropChunk(tx, step.name, 0))
  await step.run({
    ctx: env.ctx,
    options: env.options,
    files: env.files,
    transaction: env.transactions,
    async note(key, reason, change) {
      notes.push({ key, outcome: 'mended', reason, change })
      if (notes.length >= NOTES_AT_ONCE) await write()
    },
    progress,
  })
  await write()
}

async function importTable(
  table: TableImport,
  found: Chunk[],
  env: RunEnvironment,
  advance: (rows: number) => void,
): Promise<void> {
  const known = await env.transactions((tx) => listChunks(tx, table.table))
  for (const chunk of found) {
    const before = known.get(chunk.chunk)
    known.delete(chunk.chunk)
    if (before?.checksum !== chunk.checksum || env.again)
      await env.transactions((tx) => importChunk(tx, table, chunk, before !== undefined, env))
    advance(chunk.rows)
    tidyMemory()
  }
  for (const { chunk } of known.values())
    await env.transactions(async (tx) => {
      await table.sweep?.(tx, rangeOf(table, chunk), [])
      await dropChunk(tx, table.table, chunk)
    })
}

async function importChunk(
  tx: Tx,
  table: TableImport,
  { chunk, checksum, rows: there }: Chunk,
  repeated: boolean,
  { source, ctx, options, files, things }: RunEnvironment,
): Promise<void> {
  let notes: Note[] = []
  const outcomes = new Map<object, 'merged' | 'left out'>()
  const reasons = new Map<object, Mended[]>()
  const originals: Originals = new WeakMap()
  const conclude = (row: object, outcome: 'merged' | 'left out', reason: string) => {
    if (outcomes.has(row)) return
    outcomes.set(row, outcome)
    notes.push({ key: keyOf(table, row), outcome, reason })
  }
  const batch: Batch = {
    ctx,
    options,
    files,
    memory: new Map(),
    async find(kind, ids) {
      const wanted = [...new Set(ids)].filter((id): id is number => id !== null && id > 0)
      return wanted.length === 0 ? new Map() : ((await things[kind]?.(tx, wanted)) ?? new Map())
    },
    leaveOut: (row, reason) => conclude(row, 'left out', reason),
    merge: (row, reason) => conclude(row, 'merged', reason),
    mend(row, reason, at) {
      const given = typeof at === 'string' ? { reason, column: at } : { reason, ...at }
      reasons.set(row, [...(reasons.get(row) ?? []), given])
    },
  }
  const counts = { rows: 0, merged: 0, left_out: 0 }
  const kept: SourceRow[] = []
  await dropNotes(tx, table.table, chunk)
  for await (const rows of source.read(table, chunk, originals)) {
    await table.write(tx, rows, batch)
    counts.rows += rows.length
    for (const outcome of outcomes.values()) counts[outcome === 'merged' ? 'merged' : 'left_out'] += 1
    const imported = rows.filter((row) => !outcomes.has(row))
    if (repeated && table.sweep) kept.push(...imported)
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
  if (repeated) await table.sweep?.(tx, rangeOf(table, chunk), kept)
  const imported = counts.rows - counts.merged - counts.left_out
  await saveChunk(tx, table.table, { chunk, checksum, imported, ...counts })
}

type Mended = { reason: string; column?: string; new?: unknown }

function mendedNotes(
  table: TableImport,
  reasons: Map<object, Mended[]>,
  changes: Change[],
  originals: Originals,
): Note[] {
  const outcome = 'mended'
  const notes = changes.map((change): Note => {
    const { row, column } = change
    const given = reasons.get(row) ?? []
    const own = given.filter((each) => each.column === column && !('new' in each))
    reasons.set(
      row,
      given.filter((each) => !own.includes(each)),
    )
    const reason =
      own.map((each) => each.reason).join('; ') || reasonOf(change, table.columns[column] === 'time')
    return { key: keyOf(table, row), outcome, reason, change }
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

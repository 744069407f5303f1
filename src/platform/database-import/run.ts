import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Context } from '#platform/context.ts'
import { type Sql, type Tx, transaction } from '#platform/database.ts'
import type { FileSource } from './files.ts'
import { type Chunk, rangeOf, type Source } from './source.ts'
import { addNotes, dropChunk, listChunks, type Note, saveChunk } from './state.ts'
import type { Batch, FindOwners, ImportOptions, ImportStep, SourceRow, TableImport } from './table.ts'

/** One thing after another: tables in the order of what refers to what, and steps between them. */
export type Plan = (TableImport | ImportStep)[]

export type Progress = {
  /** What is being done. */
  at: string
  /** Rows looked at so far, of all that there are. */
  done: number
  total: number
}

/** Transactions of a run: those of the pool, or parts of one that is undone in the end. */
export type Transactions = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const patiently = async <T>(tx: Tx, work: (tx: Tx) => Promise<T>) => {
  await tx`set local statement_timeout = 0`
  await tx`set local idle_in_transaction_session_timeout = 0`
  return work(tx)
}

/** Transactions without the limits of requests. */
export const patientTransactions =
  (sql: Sql): Transactions =>
  (work) =>
    transaction(sql, (tx) => patiently(tx, work))

class Undone extends Error {}

/** Runs `work` with transactions that later ones see the result of, and undoes all of them in the end. */
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
 * Frees what earlier ranges left behind. V8 lets its heap grow as long as the machine has memory, and an import has to
 * fit beside a server on a small one.
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
  /** Things that people comment on, like or collect, by the name of their kind. */
  things: Record<string, FindOwners>
  /** Whether ranges that did not change are read again. */
  again: boolean
  progress(state: Progress): void
}

/** Brings everything of a plan here that is not here yet as it is in the source. */
export async function runPlan(plan: Plan, env: RunEnvironment): Promise<void> {
  const tables = plan.filter((part) => 'table' in part).filter(({ table }) => env.source.tables.has(table))
  const chunks = new Map<string, Chunk[]>()
  let [done, total] = [0, 0]
  const say = (at: string) => env.progress({ at, done, total })
  for (const table of tables) {
    const found = await env.source.chunks(table)
    chunks.set(table.table, found)
    total += found.reduce((sum, { rows }) => sum + rows, 0)
    say(`looking at ${table.table}`)
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
  // A step is done anew by every run, and so is what it has to say.
  await env.transactions((tx) => dropChunk(tx, step.name, 0))
  await step.run({
    ctx: env.ctx,
    options: env.options,
    files: env.files,
    transaction: env.transactions,
    async note(key, reason) {
      notes.push({ key, outcome: 'mended', reason })
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
  const notes: Note[] = []
  const outcomes = new Map<object, 'merged' | 'left out'>()
  const note = (row: object, outcome: Note['outcome'], reason: string) => {
    if (outcome !== 'mended') {
      if (outcomes.has(row)) return
      outcomes.set(row, outcome)
    }
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
    leaveOut: (row, reason) => note(row, 'left out', reason),
    merge: (row, reason) => note(row, 'merged', reason),
    mend: (row, reason) => note(row, 'mended', reason),
  }
  const counts = { rows: 0, merged: 0, left_out: 0 }
  const kept: SourceRow[] = []
  for await (const rows of source.read(table, chunk)) {
    await table.write(tx, rows, batch)
    counts.rows += rows.length
    for (const outcome of outcomes.values()) counts[outcome === 'merged' ? 'merged' : 'left_out'] += 1
    if (repeated && table.sweep) for (const row of rows) if (!outcomes.has(row)) kept.push(row)
    outcomes.clear()
  }
  // Both are of one snapshot: a row that is counted and not read would be lost without a word.
  if (counts.rows !== there)
    throw new Error(`${table.table} has ${there} rows in range ${chunk}, and ${counts.rows} were read`)
  if (repeated) await table.sweep?.(tx, rangeOf(table, chunk), kept)
  const imported = counts.rows - counts.merged - counts.left_out
  await saveChunk(tx, table.table, { chunk, checksum, imported, ...counts }, notes)
}

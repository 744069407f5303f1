import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import type { FileSource } from './files.ts'

/** How a column of a source is read: `time` in the zone of the source, and given as UTC. */
export type ColumnKind = 'int' | 'text' | 'time'
export type Columns = Record<string, ColumnKind>

/** A row of a source; what an older version of it lacks is null. */
export type SourceRow<C extends Columns = Columns> = {
  [Name in keyof C]: (C[Name] extends 'int' ? number : string) | null
}

/** Which of these ids there are here, with who published each (0 when nobody did). */
export type FindOwners = (sql: Db, ids: number[]) => Promise<Map<number, number>>

/** What importers of every module are told. */
export type ImportOptions = {
  /** Whether payments that wait for a decision stay so, or are given back. */
  waiting: 'keep' | 'refund'
  /** Whether the balance of an old table counts where the new one is empty and was never used. */
  oldWallets: boolean
  /** Whether prices of an old version hold that the last one no longer knew of. */
  oldPrices: boolean
  /** Whether the bytes of files are only looked for. */
  dryRun: boolean
}

/** What happens to the rows of one batch; whatever is not said of a row, it was imported. */
export type Outcomes = {
  leaveOut(row: object, reason: string): void
  merge(row: object, reason: string): void
  /** Imported, but not as it was. */
  mend(row: object, reason: string): void
}

export type Batch = Outcomes & {
  ctx: Context
  options: ImportOptions
  files: FileSource
  /** Which of these things of a kind there are here, with who published each; people are of the kind `users`. */
  find(kind: string, ids: Iterable<number | null>): Promise<Map<number, number>>
  /** What earlier batches of the same range leave to later ones. */
  memory: Map<string, unknown>
}

/** How one table of a source gets here. */
export type TableImport<C extends Columns = Columns> = {
  /** Its name in the source, without a prefix. */
  table: string
  /** The whole-number column by whose ranges it is read; null for a small table that is read at once. */
  by: string | null
  /** How many values of it make a range. */
  width?: number
  /** A column that comes before `by` in the index of the source. */
  scope?: string
  columns: C
  /** What names a row in the report, and orders the rows of a range after `by`. */
  key: string[]
  /** Another order of the rows of a range. */
  order?: string[]
  /** How many rows are written at once: fewer where they hold long texts. */
  batch?: number
  write(tx: Tx, rows: SourceRow<C>[], batch: Batch): Promise<void>
  /** Removes what an earlier run brought of a range and is not among these rows, which the source still has. */
  sweep?(tx: Tx, range: { from: number; to: number }, rows: SourceRow<C>[]): Promise<unknown>
}

/** Lets a table be listed among others, whatever its columns. */
export const defineTable = <const C extends Columns>(table: TableImport<C>): TableImport =>
  table as unknown as TableImport

/** Reads other sources than rows, such as bytes on a disk, or brings in line what rows alone cannot: runs after tables. */
export type ImportStep = {
  name: string
  run(step: StepContext): Promise<void>
}

export type StepContext = {
  ctx: Context
  options: ImportOptions
  files: FileSource
  /** Runs in a transaction of its own. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** A line of the report about something that is here, but not as it was. */
  note(key: string, reason: string): Promise<void>
  progress(text: string): void
}

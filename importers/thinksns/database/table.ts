import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import type { FileSource } from './files.ts'

/** Type of a source column. The importer converts `time` values from the source's time zone to UTC. */
export type ColumnKind = 'int' | 'text' | 'time'
export type Columns = Record<string, ColumnKind>

export type SourceRow<C extends Columns = Columns> = {
  [Name in keyof C]: (C[Name] extends 'int' ? number : string) | null
}

export type FindOwners = (sql: Db, ids: number[]) => Promise<Map<number, number>>

export type ImportOptions = {
  waiting: 'keep' | 'refund'
  oldWallets: boolean
  /** If true, imports feed prices of old ThinkSNS+ versions. The latest version does not charge them. */
  oldPrices: boolean
  lockDisablers: boolean
  /** True for a source without points, whose payments were in fen of the wallet. */
  inFen?: boolean
  dryRun: boolean
}

/** Reports outcomes of a batch's rows. A row without a reported outcome counts as imported. */
export type Outcomes = {
  /** `column` names the value that is lost, which the report shows. */
  leaveOut(row: object, reason: string, column?: string): void
  merge(row: object, reason: string, column?: string): void
  /** Reports why the import changed a column. `new` is the imported value if the target table lacks the column. */
  mend(row: object, reason: string, column?: string | { column: string; new: unknown }): void
}

export type Batch = Outcomes & {
  ctx: Context
  options: ImportOptions
  files: FileSource
  find(kind: string, ids: Iterable<number | null>): Promise<Map<number, number>>
  memory: Map<string, unknown>
  /** Returns true if the source has a column. Its absence is an older version, not an unknown value. */
  has(column: string): boolean
}

/** Compares a source column, converted by `as`, with a target column, converted by `of`. Null skips the comparison. */
export type Kept =
  | string
  | null
  | {
      column?: string
      as?(value: string | number | null, row: SourceRow): unknown
      of?(value: unknown): unknown
    }

export type Into = {
  table: string
  key?: Record<string, string | ((row: SourceRow) => unknown)>
  through?: string
  when?(row: SourceRow): boolean
  only?: string[]
  columns?: Record<string, Kept>
}

export type Range = { from: number; to: number }

/** Treatment of imported rows whose source row vanished. */
export type Gone = {
  means: 'remove' | 'hide' | 'end' | 'release' | 'reset' | 'keep'
  /** Runs for all ranges that are read again, before the first of them is written. */
  before?(tx: Tx, range: Range): Promise<unknown>
  /**
   * Runs after a range is written. `rows` are those that are here under their own key, and `known` also those that were
   * merged into others. Returns the keys of those that vanished.
   */
  after?(tx: Tx, range: Range, rows: SourceRow[], known: SourceRow[]): Promise<string[]>
}

export type TableImport<C extends Columns = Columns> = {
  table: string
  /** Integer column that splits the table into ranges. Null reads a small table as one range. */
  by: string | null
  width?: number
  /** Leading column of the source's index, when `by` is the index's second column. */
  scope?: string
  columns: C
  /** Target tables whose written rows the importer compares with the source. Null skips the comparison. */
  into: Into[] | null
  key: string[]
  order?: string[]
  batch?: number
  write(tx: Tx, rows: SourceRow<C>[], batch: Batch): Promise<void>
  gone: Gone
  /**
   * `whole` reads all ranges again if one changed, because rows depend on rows of other ranges. `always` does so in
   * each run, because rows also depend on other tables or on the time.
   */
  reread?: 'whole' | 'always'
  /** Facts of other tables that the rows depend on, with the columns that refer to them. */
  reads?: Record<string, (keyof C & string)[]>
  /** Facts that this table decides for the tables after it, as rows `kind`, `id` and `fact`. */
  states?(sql: Db, range: Range): Fragment
}

export const defineTable = <const C extends Columns>(table: TableImport<C>): TableImport =>
  table as unknown as TableImport

/** Import step without a source table, such as copying files. */
export type ImportStep = {
  name: string
  /** Keeps notes of earlier runs, about what this run does not look at again. */
  keeps?: true
  run(step: StepContext): Promise<unknown>
}

export type StepContext = {
  ctx: Context
  options: ImportOptions
  files: FileSource
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Has later tables read rows again that depend on these facts. */
  changed(kind: string, ids: number[]): Promise<void>
  note(key: string, reason: string, change?: { column: string; old: unknown; new: unknown }): Promise<void>
  /** Drops the notes of earlier runs about these keys, with the next notes that are saved. */
  forget(keys: string[]): void
  /** Saves notes with the work that they describe, so that a killed run loses neither. */
  saveNotes(tx: Tx): Promise<void>
  progress(text: string): void
}

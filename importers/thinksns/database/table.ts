import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import type { FileSource } from './files.ts'

/** Type of a source column. `time` is in the source's zone, and Kith reads it as UTC. */
export type ColumnKind = 'int' | 'text' | 'time'
export type Columns = Record<string, ColumnKind>

/** A source row. Columns missing in an older version are null. */
export type SourceRow<C extends Columns = Columns> = {
  [Name in keyof C]: (C[Name] extends 'int' ? number : string) | null
}

/** Returns which of these ids exist here, with their authors (0 for none). */
export type FindOwners = (sql: Db, ids: number[]) => Promise<Map<number, number>>

export type ImportOptions = {
  waiting: 'keep' | 'refund'
  /** Counts the old balance table for users without a new balance. */
  oldWallets: boolean
  /** Applies prices of an old version that the latest one dropped. */
  oldPrices: boolean
  /** Locks holders of the role `disabler`. */
  lockDisablers: boolean
  /** Checks only that files exist. */
  dryRun: boolean
}

/** Outcomes of the rows of a batch. A row without an outcome counts as imported. */
export type Outcomes = {
  leaveOut(row: object, reason: string): void
  merge(row: object, reason: string): void
  /**
   * Reports the reason for a changed column, whose values are read back. `new` reports a change outside the
   * target's columns.
   */
  mend(row: object, reason: string, column?: string | { column: string; new: unknown }): void
}

export type Batch = Outcomes & {
  ctx: Context
  options: ImportOptions
  files: FileSource
  /** Returns which targets of a kind exist here, with their authors. `users` is a kind too. */
  find(kind: string, ids: Iterable<number | null>): Promise<Map<number, number>>
  memory: Map<string, unknown>
}

/**
 * Comparison of a source column with the written value. A string names the target column. `as` converts the source
 * value, and `of` reads the target. Null means that the importer reports changes itself.
 */
export type Kept =
  | string
  | null
  | {
      column?: string
      as?(value: string | number | null, row: SourceRow): unknown
      of?(value: unknown): unknown
    }

/** The target table of a row. Columns are compared by name unless `columns` differs. */
export type Into = {
  table: string
  /** Key of the target, from source columns; `id` by default. */
  key?: Record<string, string | ((row: SourceRow) => unknown)>
  /** Name under which `assignIds` stored the new ids. */
  through?: string
  when?(row: SourceRow): boolean
  /** Source columns of this target, when another target has the rest. */
  only?: string[]
  columns?: Record<string, Kept>
}

export type TableImport<C extends Columns = Columns> = {
  table: string
  /** Integer column that splits the table into ranges; null for a small table that is read at once. */
  by: string | null
  width?: number
  /** Column before `by` in the source's index. */
  scope?: string
  columns: C
  /**
   * Targets to compare rows with after writing, so that the report lists every change. Null for rows without a
   * target.
   */
  into: Into[] | null
  key: string[]
  order?: string[]
  batch?: number
  write(tx: Tx, rows: SourceRow<C>[], batch: Batch): Promise<void>
  /** Removes imported rows of a range that the source no longer has. */
  sweep?(tx: Tx, range: { from: number; to: number }, rows: SourceRow<C>[]): Promise<unknown>
}

/** Erases the column types, so that all tables fit into one list. */
export const defineTable = <const C extends Columns>(table: TableImport<C>): TableImport =>
  table as unknown as TableImport

/** Work without a source table, such as reading files or reconciling totals. Runs after the tables before it. */
export type ImportStep = {
  name: string
  run(step: StepContext): Promise<void>
}

export type StepContext = {
  ctx: Context
  options: ImportOptions
  files: FileSource
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  note(key: string, reason: string, change?: { column: string; old: unknown; new: unknown }): Promise<void>
  progress(text: string): void
}

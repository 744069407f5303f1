import type { SourceRow } from './table.ts'

/** Source values that PostgreSQL cannot store, such as zero dates and texts with NUL bytes. */
export type Originals = WeakMap<object, Record<string, string>>

export function noteOriginal(originals: Originals, row: object, column: string, value: string): void {
  originals.set(row, { ...originals.get(row), [column]: value })
}

export const originalOf = (originals: Originals, row: SourceRow, column: string): string | undefined =>
  originals.get(row)?.[column]

import type { SourceRow } from './table.ts'

/** Source values that the import cannot keep: zero dates, texts with NUL characters and integers beyond 2^53. */
export type Originals = WeakMap<object, Record<string, string>>

export function noteOriginal(originals: Originals, row: object, column: string, value: string): void {
  originals.set(row, { ...originals.get(row), [column]: value })
}

export const originalOf = (originals: Originals, row: SourceRow, column: string): string | undefined =>
  originals.get(row)?.[column]

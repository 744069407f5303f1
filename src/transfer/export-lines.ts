export type ExportBatch = { lines: object[]; files: { key: string; name: string }[] }

export async function* readPages<Row extends { id: number }>(
  read: (after: number) => PromiseLike<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = 0; ; ) {
    const rows = await read(after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.id
  }
}

/** Removes null fields, because an absent field means null. */
export const withoutNulls = (line: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null && value !== undefined))

/** A batch of an export: the lines, and where the bytes of the files are that they name. */
export type Exported = { lines: object[]; files: { key: string; name: string }[] }

/** Reads all pages of a list that is ordered by id. */
export async function* pages<Row extends { id: number }>(
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

/** An object without its fields that are null: absent in a line means the same. */
export const withoutNulls = (line: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null && value !== undefined))

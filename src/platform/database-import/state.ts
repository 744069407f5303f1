import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** What is known of the move that this database takes part in. */
export type ImportState = Row<'imports', 'source' | 'options' | 'runs' | 'finished_at' | 'closed_at'> & {
  options: Record<string, unknown>
}

export type Note = { key: string; outcome: 'merged' | 'left out' | 'mended'; reason: string }
export type ChunkRow = Row<
  'import_chunks',
  'chunk' | 'checksum' | 'rows' | 'imported' | 'merged' | 'left_out'
>

export async function findImport(sql: Db): Promise<ImportState | undefined> {
  const [row] = await sql<ImportState[]>`select source, options, runs, finished_at, closed_at from imports`
  return row
}

/** Notes that a run begins. */
export const beginRun = (sql: Db, source: string, options: object) => sql`
  insert into imports (source, options, runs) values (${source}, ${JSON.stringify(options)}::text::jsonb, 1)
  on conflict (one) do update set runs = imports.runs + 1, finished_at = null`

export const finishRun = (sql: Db) => sql`update imports set finished_at = now()`

/** Ends the move: true unless there is none, or it was ended before. */
export async function closeImport(sql: Db, source: string): Promise<boolean> {
  const { count } = await sql`
    update imports set closed_at = now() where source = ${source} and closed_at is null and finished_at is not null`
  return count === 1
}

export async function listChunks(sql: Db, table: string): Promise<Map<number, ChunkRow>> {
  const rows = await sql<ChunkRow[]>`
    select chunk, checksum, rows, imported, merged, left_out from import_chunks where source_table = ${table}`
  return new Map(rows.map((row) => [row.chunk, row]))
}

/** Notes what became of a range, in the transaction that wrote it; what was said of it before is forgotten. */
export async function saveChunk(sql: Db, table: string, row: ChunkRow, notes: Note[]): Promise<void> {
  await sql`delete from import_notes where source_table = ${table} and chunk = ${row.chunk}`
  await sql`
    insert into import_chunks (source_table, chunk, checksum, rows, imported, merged, left_out)
    values (${table}, ${row.chunk}, ${row.checksum}, ${row.rows}, ${row.imported}, ${row.merged}, ${row.left_out})
    on conflict (source_table, chunk) do update set checksum = excluded.checksum, rows = excluded.rows,
      imported = excluded.imported, merged = excluded.merged, left_out = excluded.left_out`
  await addNotes(sql, table, row.chunk, notes)
}

export async function addNotes(sql: Db, table: string, chunk: number, notes: Note[]): Promise<void> {
  if (notes.length === 0) return
  await sql`
    insert into import_notes (source_table, chunk, row_key, outcome, reason)
    select ${table}, ${chunk}, key, outcome, reason
    from json_to_recordset(${JSON.stringify(notes)}::text::json) as n (key text, outcome text, reason text)`
}

/** Forgets ranges that the source has no more rows in. */
export const dropChunk = (sql: Db, table: string, chunk: number) => sql`
  with notes as (delete from import_notes where source_table = ${table} and chunk = ${chunk})
  delete from import_chunks where source_table = ${table} and chunk = ${chunk}`

export type TableTotals = {
  table: string
  rows: number
  imported: number
  merged: number
  left_out: number
  mended: number
}

/** What became of each table so far. */
export const listTotals = (sql: Db) => sql<TableTotals[]>`
  select c.source_table as table, sum(rows)::bigint as rows, sum(imported)::bigint as imported,
    sum(merged)::bigint as merged, sum(left_out)::bigint as left_out, coalesce(max(n.mended), 0)::bigint as mended
  from import_chunks c left join (
    select source_table, count(*) as mended from import_notes where outcome = 'mended' group by source_table
  ) n on n.source_table = c.source_table
  group by c.source_table order by c.source_table`

/** How often each reason was given, the most frequent first. */
export const listReasons = (sql: Db) => sql<{ table: string; outcome: string; reason: string; n: number }[]>`
  select source_table as table, outcome, reason, count(*) as n from import_notes
  group by 1, 2, 3 order by 1, 4 desc`

type NoteRow = { id: number; table: string; row: string; outcome: string; reason: string }
const NOTES_PAGE = 1000

/** Every note, a page at a time. */
export async function* readNotes(sql: Db): AsyncGenerator<Omit<NoteRow, 'id'>[]> {
  for (let after = 0; ; ) {
    const rows = await sql<NoteRow[]>`
      select id, source_table as table, row_key as row, outcome, reason from import_notes
      where id > ${after} order by id limit ${NOTES_PAGE}`
    const last = rows.at(-1)
    if (!last) return
    after = last.id
    yield rows.map(({ id: _, ...note }) => note)
  }
}

import type { Db, Fragment, Row } from '#platform/database'

export type ImportState = Row<
  'imports',
  'source' | 'options' | 'runs' | 'verified_run' | 'finished_runs' | 'finished_at' | 'closed_at' | 'accepted'
> & {
  options: Record<string, unknown>
  accepted: Record<string, string>
}

export type Note = {
  key: string
  outcome: 'merged' | 'left out' | 'mended'
  reason: string
  change?: { column: string; old: unknown; new: unknown } | undefined
}
export type ChunkRow = Row<
  'import_chunks',
  'chunk' | 'checksum' | 'rows' | 'imported' | 'merged' | 'left_out'
>

export async function findImport(sql: Db): Promise<ImportState | undefined> {
  const [row] = await sql<
    ImportState[]
  >`select source, options, runs, verified_run, finished_runs, finished_at, closed_at, accepted from imports`
  return row
}

export const beginRun = (sql: Db, source: string, options: object) => sql`
  insert into imports (source, options, runs) values (${source}, ${JSON.stringify(options)}::text::jsonb, 1)
  on conflict (one) do update set runs = imports.runs + 1, finished_at = null`

export async function finishRun(sql: Db): Promise<void> {
  await sql`update imports set finished_at = now(), finished_runs = finished_runs + 1`
  await sql`delete from import_facts`
}

/** Remembers that later postings of the ledger are not those of the import. */
export const markBooked = (sql: Db) => sql`
  update imports set booked_up_to = coalesce(pg_sequence_last_value('ledger_order_ids'), 0)`

/** Marks a range as not read, so that an interrupted run reads it again. */
export const markChunk = (sql: Db, table: string, chunk: number) => sql`
  update import_chunks set checksum = '' where source_table = ${table} and chunk = ${chunk}`

/** Remembers what a range decides before it is read again. */
export const keepFacts = (sql: Db, table: string, chunk: number, facts: Fragment) => sql`
  insert into import_facts (source_table, chunk, kind, id, was)
  select ${table}, ${chunk}, kind, id, string_agg(fact, ' ' order by fact) from (${facts}) f group by kind, id
  on conflict do nothing`

/** Compares what a range decides now with what it decided before, and keeps what changed. */
export async function compareFacts(sql: Db, table: string, chunk: number, facts: Fragment): Promise<void> {
  await sql`
    insert into import_facts (source_table, chunk, kind, id, changed)
    select ${table}, ${chunk}, kind, id, n.fact is distinct from b.was or (n.id is null) <> (b.id is null)
    from (select kind, id, string_agg(fact, ' ' order by fact) as fact from (${facts}) f group by kind, id) n
    full join (
      select kind, id, was from import_facts where source_table = ${table} and chunk = ${chunk}
    ) b using (kind, id)
    on conflict (source_table, chunk, kind, id) do update set changed = import_facts.changed or excluded.changed`
  await sql`
    delete from import_facts where source_table = ${table} and chunk = ${chunk} and not changed`
}

export const addFacts = (sql: Db, step: string, kind: string, ids: number[]) => sql`
  insert into import_facts (source_table, chunk, kind, id, changed)
  select distinct ${step}, 0, ${kind}, id, true from unnest(${ids}::bigint[]) as i (id)
  on conflict (source_table, chunk, kind, id) do update set changed = true`

export async function changedFacts(sql: Db, kind: string): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select distinct id from import_facts where changed and kind = ${kind}`
  return rows.map(({ id }) => id)
}

export const acceptDecisions = (sql: Db, accepted: Record<string, string>) => sql`
  update imports set accepted = accepted || ${JSON.stringify(accepted)}::text::jsonb`

/** Remembers that the last run equals its source, which the end of the import requires. */
export const markVerified = (sql: Db) => sql`
  update imports set verified_run = runs where finished_at is not null and closed_at is null`

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

/** Lists the tables of the source in which the last run found rows. */
export async function listReadTables(sql: Db): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct source_table as name from import_chunks where rows > 0 order by 1`
  return rows.map(({ name }) => name)
}

export async function saveChunk(sql: Db, table: string, row: ChunkRow): Promise<void> {
  await sql`
    insert into import_chunks (source_table, chunk, checksum, rows, imported, merged, left_out)
    values (${table}, ${row.chunk}, ${row.checksum}, ${row.rows}, ${row.imported}, ${row.merged}, ${row.left_out})
    on conflict (source_table, chunk) do update set checksum = excluded.checksum, rows = excluded.rows,
      imported = excluded.imported, merged = excluded.merged, left_out = excluded.left_out`
}

export const dropNotes = (sql: Db, table: string, chunk: number) => sql`
  delete from import_notes where source_table = ${table} and chunk = ${chunk}`

export const dropNotesOf = (sql: Db, table: string, keys: string[]) => sql`
  delete from import_notes where source_table = ${table} and chunk = 0 and row_key = any(${keys})`

/** Drops notes of a step about things that are gone. `there` selects the keys of those that are not. */
export const pruneNotes = (sql: Db, step: string, there: Fragment) => sql`
  delete from import_notes where source_table = ${step} and chunk = 0 and not row_key in (${there})`

export const dropNotesIn = (sql: Db, step: string, keys: Fragment) => sql`
  delete from import_notes where source_table = ${step} and chunk = 0 and row_key in (${keys})`

/** Replaces the notes of a step with one reason. `found` selects `key`, `name` of the column, `was` and `became` as JSON. */
export async function replaceNotes(
  sql: Db,
  { step, reason, outcome = 'mended' }: { step: string; reason: string; outcome?: Note['outcome'] },
  found: Fragment,
): Promise<void> {
  await sql`delete from import_notes where source_table = ${step} and chunk = 0 and reason = ${reason}`
  await sql`
    insert into import_notes (source_table, chunk, row_key, outcome, reason, source_column, was, became)
    select ${step}, 0, key, ${outcome}, ${reason}, name, coalesce(was::text, 'null'), coalesce(became::text, 'null')
    from (${found}) f order by key, name`
}

const VALUE_MAX = 2000

function shownValue(value: unknown, other: unknown): string {
  if (typeof value !== 'string' || value.length <= VALUE_MAX) return JSON.stringify(value ?? null)
  let at = 0
  while (typeof other === 'string' && at < other.length && other[at] === value[at]) at += 1
  const from = Math.max(0, Math.min(at - VALUE_MAX / 2, value.length - VALUE_MAX))
  return JSON.stringify(`[${value.length} characters, from ${from}] ${value.slice(from, from + VALUE_MAX)}`)
}

export async function addNotes(sql: Db, table: string, chunk: number, notes: Note[]): Promise<void> {
  if (notes.length === 0) return
  const changes = notes.map(({ change }) => change)
  await sql`
    insert into import_notes (source_table, chunk, row_key, outcome, reason, source_column, was, became)
    select ${table}, ${chunk}, n.* from unnest(${notes.map(({ key }) => key)}::text[],
      ${notes.map(({ outcome }) => outcome)}::text[], ${notes.map(({ reason }) => reason)}::text[],
      ${changes.map((change) => change?.column ?? null)}::text[],
      ${changes.map((change) => (change ? shownValue(change.old, change.new) : null))}::text[],
      ${changes.map((change) => (change ? shownValue(change.new, change.old) : null))}::text[]) as n`
}

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

export const listTotals = (sql: Db) => sql<TableTotals[]>`
  select c.source_table as table, sum(rows)::bigint as rows, sum(imported)::bigint as imported,
    sum(merged)::bigint as merged, sum(left_out)::bigint as left_out, coalesce(max(n.mended), 0)::bigint as mended
  from import_chunks c left join (
    select source_table, count(distinct (chunk, row_key)) as mended from import_notes
    where outcome = 'mended' and reason not like 'no longer in the source: %' group by source_table
  ) n on n.source_table = c.source_table
  group by c.source_table order by c.source_table`

type Reason = { table: string; column: string | null; outcome: string; reason: string }

/** Counts the notes of each reason. `digest` changes with the rows and values that they name. */
export const listReasons = (sql: Db) => sql<(Reason & { n: number; digest: string })[]>`
  select source_table as table, source_column as column, outcome, reason, count(*) as n,
    sum(hashtextextended(concat_ws(' ', row_key, was), 0)::numeric)::text as digest
  from import_notes group by 1, 2, 3, 4 order by 1, 5 desc, 2, 4`

const EXAMPLES = 5

export async function listExamples(sql: Db, { table, column, outcome, reason }: Reason) {
  const rows = await sql<{ row: string; was: string | null; became: string | null }[]>`
    select row_key as row, was, became from import_notes
    where source_table = ${table} and outcome = ${outcome} and reason = ${reason}
      and source_column is not distinct from ${column}
    order by id limit ${EXAMPLES}`
  return rows.map(({ row, was, became }) =>
    was === null ? { row } : { row, old: JSON.parse(was), new: JSON.parse(became ?? 'null') },
  )
}

type NoteRow = {
  id: number
  table: string
  row: string
  outcome: string
  reason: string
  column: string | null
  was: string | null
  became: string | null
}
const NOTES_PAGE = 500

export type Told = Pick<NoteRow, 'table' | 'row' | 'outcome' | 'reason'> & {
  column?: string
  old?: unknown
  new?: unknown
}

export async function* readNotes(sql: Db): AsyncGenerator<Told[]> {
  for (let after = 0; ; ) {
    const rows = await sql<NoteRow[]>`
      select id, source_table as table, row_key as row, outcome, reason, source_column as column, was, became
      from import_notes where id > ${after} order by id limit ${NOTES_PAGE}`
    const last = rows.at(-1)
    if (!last) return
    after = last.id
    yield rows.map(({ table, row, outcome, reason, column, was, became }) => ({
      table,
      row,
      outcome,
      reason,
      ...(column === null
        ? {}
        : { column, old: JSON.parse(was ?? 'null'), new: JSON.parse(became ?? 'null') }),
    }))
  }
}

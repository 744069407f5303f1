import type { Db, Fragment } from '#platform/database.ts'
import type { FindOwners } from './table.ts'

/** The name and type of each column that is written. */
export type Target = Record<string, string>

/** Rows as a relation `r` with these columns, in one parameter. */
export function relation(sql: Db, columns: Target, rows: readonly object[]): Fragment {
  const list = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
  return sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as r (${sql.unsafe(list.join(', '))})`
}

/**
 * Writes rows by their key: new ones are added, others changed where they differ. `keep` names columns that a later run
 * leaves as they are here. A row without a value for a column that may not be null is a fault of the caller.
 */
export async function upsert(
  sql: Db,
  table: string,
  columns: Target,
  rows: readonly object[],
  { key = ['id'], keep = [] }: { key?: string[]; keep?: string[] } = {},
): Promise<void> {
  if (rows.length === 0) return
  const names = Object.keys(columns)
  const changed = names.filter((name) => !key.includes(name) && !keep.includes(name))
  const quoted = (list: string[], prefix = '') => list.map((name) => `${prefix}"${name}"`).join(', ')
  const onConflict =
    changed.length === 0
      ? 'do nothing'
      : `do update set ${changed.map((name) => `"${name}" = excluded."${name}"`).join(', ')}
         where (${quoted(changed, 't.')}) is distinct from (${quoted(changed, 'excluded.')})`
  await sql`
    insert into ${sql(table)} as t (${sql.unsafe(quoted(names))})
    select ${sql.unsafe(quoted(names))} from ${relation(sql, columns, rows)}
    on conflict (${sql.unsafe(quoted(key))}) ${sql.unsafe(onConflict)}`
}

/** Rows of a table by id, with who published each; without a column for that, nobody did. */
export const ownersOf =
  (table: string, column?: string): FindOwners =>
  async (sql, ids) => {
    const rows = await sql<{ id: number; owner: number }[]>`
      select id, ${column === undefined ? sql`0::bigint` : sql(column)} as owner from ${sql(table)}
      where id = any(${ids})`
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }

/** Lets an identity go on after the highest number that was brought along; it never goes back. */
export async function advanceIdentity(sql: Db, table: string, column = 'id'): Promise<void> {
  await sql`
    select setval(s.name, m.top) from (select pg_get_serial_sequence(${table}, ${column}) as name) s,
      (select coalesce(max(${sql(column)}), 0) as top from ${sql(table)}) m
    where m.top > coalesce(pg_sequence_last_value(s.name::regclass), 0)`
}

/** Notes what rows of the source became here that could not keep their id. */
export async function saveTargets(
  sql: Db,
  table: string,
  targets: Map<number, number | string>,
): Promise<void> {
  const rows = [...targets].map(([source_id, target]) => ({
    source_table: table,
    source_id,
    target: String(target),
  }))
  await upsert(sql, 'import_targets', { source_table: 'text', source_id: 'bigint', target: 'text' }, rows, {
    key: ['source_table', 'source_id'],
  })
}

/** What rows of the source became here. */
export async function findTargets(
  sql: Db,
  table: string,
  ids: Iterable<number | null>,
): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  const rows = await sql<{ source_id: number; target: string }[]>`
    select source_id, target from import_targets where source_table = ${table} and source_id = any(${wanted})`
  return new Map(rows.map(({ source_id, target }) => [source_id, target]))
}

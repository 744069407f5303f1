import { nameKey } from '#lib/text.ts'
import type { Db, Fragment } from '#platform/database'
import type { Batch, FindOwners, Outcomes } from './table.ts'

export type Target = Record<string, string>

export function relation(sql: Db, columns: Target, rows: readonly object[]): Fragment {
  const list = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
  return sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as r (${sql.unsafe(list.join(', '))})`
}

/** Upserts rows and skips unchanged rows. `keep` names columns that a repeated import does not overwrite. */
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

export const ownersOf =
  (table: string, column?: string): FindOwners =>
  async (sql, ids) => {
    const rows = await sql<{ id: number; owner: number }[]>`
      select id, ${column === undefined ? sql`0::bigint` : sql(column)} as owner from ${sql(table)}
      where id = any(${ids})`
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }

/** Raises an identity sequence to the highest id, because inserts of explicit ids do not advance it. */
export async function advanceIdentity(sql: Db, table: string, column = 'id'): Promise<void> {
  await sql`
    select setval(s.name, m.top) from (select pg_get_serial_sequence(${table}, ${column}) as name) s,
      (select coalesce(max(${sql(column)}), 0) as top from ${sql(table)}) m
    where m.top > coalesce(pg_sequence_last_value(s.name::regclass), 0)`
}

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

/** Adds the targets that `rows` selects with all columns, unless they exist. Returns the source ids of the new ones. */
export async function addTargets(sql: Db, rows: Fragment): Promise<number[]> {
  const added = await sql<{ source_id: number }[]>`
    insert into import_targets (source_table, source_id, target) ${rows} on conflict do nothing returning source_id`
  return added.map(({ source_id }) => source_id)
}

/** Selects all targets as `source_table`, `source_id` and `target`. */
export const allTargets = (sql: Db): Fragment =>
  sql`select source_table, source_id, target from import_targets`

/** Forgets the targets of a range of rows in `sources`, the names of tables. */
export const dropTargetsOf = (sql: Db, sources: Fragment, { from, to }: { from: number; to: number }) => sql`
  delete from import_targets where source_table in (${sources}) and source_id >= ${from} and source_id < ${to}`

/** Selects the ids that the rows of a source became. */
export const targetIds = (sql: Db, source: string): Fragment => sql`
  select target::bigint from import_targets where source_table = ${source}`

/** Forgets all targets of a source, and returns them by id. */
export async function takeTargets(sql: Db, source: string): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; target: string }[]>`
    delete from import_targets where source_table = ${source} returning source_id as id, target`
  return new Map(rows.map(({ id, target }) => [id, target]))
}

/** Forgets the targets of some rows. Returns the ids of those that had one. */
export async function dropTargetsById(sql: Db, source: string, ids: readonly number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    delete from import_targets where source_table = ${source} and source_id = any(${ids}) returning source_id as id`
  return rows.map(({ id }) => id)
}

/** Forgets which rows of a source became one of `targets`. */
export const dropTargets = (sql: Db, source: string, targets: number[]) => sql`
  delete from import_targets where source_table = ${source} and target = any(${targets.map(String)})`

export async function hasTarget(sql: Db, source: string, target: string): Promise<boolean> {
  const { count } =
    await sql`select from import_targets where source_table = ${source} and target = ${target}`
  return count > 0
}

export async function findHeir(sql: Db): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select u.id from users u
    order by u.deleted_at is null and exists (
      select from user_roles x join roles r on r.id = x.role_id where x.user_id = u.id and r.name = 'founder'
    ) desc, u.deleted_at is null desc, u.id limit 1`
  return row?.id ?? 0
}

export async function uniqueNames<R extends { id: number | null; name: string | null }>(
  sql: Db,
  table: string,
  rows: readonly R[],
  noun: string,
  outcomes: Outcomes,
): Promise<Map<R, string>> {
  const shown = (row: R) => {
    const name = (row.name ?? '').trim()
    return nameKey(name) === '' ? `${noun} ${row.id}` : name
  }
  const ids = rows.map(({ id }) => id ?? 0)
  // Frees the unique names first, because two rows may have swapped names since the last run.
  await sql`
    update ${sql(table)} t set name_key = 'moving ' || t.id
    from ${relation(
      sql,
      { id: 'bigint', name_key: 'text' },
      rows.map((row) => ({ id: row.id, name_key: nameKey(shown(row)) })),
    )}
    where t.id = r.id and t.name_key <> r.name_key`
  const keys = rows.map((row) => nameKey(shown(row)))
  const held = await sql<{ key: string }[]>`
    select name_key as key from ${sql(table)} where name_key = any(${keys}) and not id = any(${ids})`
  const taken = new Set(held.map(({ key }) => key))
  const names = new Map<R, string>()
  for (const row of rows) {
    let name = shown(row)
    if (name !== (row.name ?? '').trim()) outcomes.mend(row, `no name: renamed to ${noun} ID`, 'name')
    if (taken.has(nameKey(name))) {
      name = `${name} ${row.id}`
      outcomes.mend(row, 'duplicate name: id appended', 'name')
    }
    taken.add(nameKey(name))
    names.set(row, name)
  }
  return names
}

export async function findByKind<R extends object>(
  batch: Pick<Batch, 'find'>,
  rows: readonly R[],
  referenceOf: (row: R) => { kind: string | undefined; id: number | null },
): Promise<Map<R, { kind: string; owner: number }>> {
  const found = new Map<R, { kind: string; owner: number }>()
  const byKind = Map.groupBy(
    rows.map((row) => ({ row, ...referenceOf(row) })),
    ({ kind }) => kind,
  )
  for (const [kind, references] of byKind) {
    if (kind === undefined) continue
    const owners = await batch.find(
      kind,
      references.map(({ id }) => id),
    )
    for (const { row, id } of references) {
      const owner = owners.get(id ?? 0)
      if (owner !== undefined) found.set(row, { kind, owner })
    }
  }
  return found
}

/**
 * Returns true if an earlier row of the group (content id and user) has the same kind. Remembers all kinds of
 * the group, because rows of another kind may lie between duplicates.
 */
export function isRepeated(memory: Batch['memory'], group: string, kind: string): boolean {
  const last = memory.get('group') as { group: string; kinds: Set<string> } | undefined
  const kinds = last?.group === group ? last.kinds : new Set<string>()
  const seen = kinds.has(kind)
  memory.set('group', { group, kinds: kinds.add(kind) })
  return seen
}

export async function assignIds(
  sql: Db,
  source: string,
  table: string,
  ids: Iterable<number | null>,
): Promise<Map<number, number>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  await sql`
    insert into import_targets (source_table, source_id, target)
    select ${source}, id, nextval(pg_get_serial_sequence(${table}, 'id'))::text
    from unnest(${wanted}::bigint[]) as w (id)
    where not exists (select from import_targets t where t.source_table = ${source} and t.source_id = w.id)
    order by id`
  const targets = await findTargets(sql, source, wanted)
  return new Map([...targets].map(([id, target]) => [id, Number(target)]))
}

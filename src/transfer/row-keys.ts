import type { Db, Fragment } from '#platform/database'

const OWN = /^kith-(\d{1,15})-(\d{1,16})$/

/**
 * Returns an export key that is unique across databases. For an imported row, the key is its original id. For
 * other rows, the key is the id with the creation time in microseconds.
 */
export const rowKey = (sql: Db, name: string): Fragment => {
  const row = sql(name)
  return sql`coalesce(${row}.external_id,
    'kith-' || ${row}.id || '-' || (extract(epoch from ${row}.created_at) * 1000000)::bigint)`
}

export function rowsByKey(sql: Db, table: string, keys: string[]): Fragment {
  const own = keys.flatMap((key) => {
    const [, id, created] = OWN.exec(key) ?? []
    return id === undefined ? [] : [{ key, id: Number(id), created: Number(created) }]
  })
  return sql`
    select external_id as key, id from ${sql(table)} where external_id = any(${keys})
    union all
    select o.key, t.id
    from unnest(${own.map(({ key }) => key)}::text[], ${own.map(({ id }) => id)}::bigint[],
      ${own.map(({ created }) => created)}::bigint[]) as o (key, id, created)
    join ${sql(table)} t on t.id = o.id
    where t.external_id is null and (extract(epoch from t.created_at) * 1000000)::bigint = o.created`
}

import type { Db, Fragment } from '#platform/database'

export type Drift = { key: string; kept: number; counted: number }

export type CounterCheck = {
  name: string
  find(sql: Db): Promise<Drift[]>
  mend(sql: Db): Promise<number>
  /**
   * False for checks of money, because an administrator must investigate a wrong balance instead of
   * overwriting it.
   */
  mendable?: boolean
}

/**
 * `counted` selects `key` and `n`. The repair adds the difference to the stored counter instead of setting
 * it, so that concurrent changes are not lost.
 */
export function recount(options: {
  table: string
  key: string
  column: string
  counted: (sql: Db) => Fragment
}): CounterCheck {
  const { table, key, column, counted } = options
  const drift = (sql: Db) => sql`
    select t.${sql(key)} as key, t.${sql(column)} as kept, coalesce(c.n, 0)::bigint as counted
    from ${sql(table)} t left join (${counted(sql)}) c on c.key = t.${sql(key)}
    where t.${sql(column)} <> coalesce(c.n, 0)`
  return {
    name: `${table}.${column}`,
    async find(sql) {
      const rows = await sql<Drift[]>`
        select key::text as key, kept, counted from (${drift(sql)}) d order by d.key limit 100`
      return [...rows]
    },
    async mend(sql) {
      const mended = await sql`
        with d as materialized (${drift(sql)})
        update ${sql(table)} t set ${sql(column)} = ${sql(column)} + d.counted - d.kept
        from d where t.${sql(key)} = d.key`
      return mended.count
    },
  }
}

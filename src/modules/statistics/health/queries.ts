import type { Sql } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

export type CheckRow = Row<'health_checks', 'part' | 'checked_at' | 'good_at' | 'failing_since' | 'fault'>

/** Keeps what a look at a part found; since when it fails stays as it is until it is in order again. */
export const saveCheck = (sql: Sql, part: string, fault: string | null) => sql`
  insert into health_checks as h (part, checked_at, good_at, failing_since, fault)
  values (${part}, now(), case when ${fault}::text is null then now() end, case when ${fault}::text is not null then now() end,
    ${fault})
  on conflict (part) do update set checked_at = excluded.checked_at, fault = excluded.fault,
    good_at = coalesce(excluded.good_at, h.good_at),
    failing_since = case when excluded.fault is not null then coalesce(h.failing_since, excluded.failing_since) end`

/** What was found at the last look at each part. */
export const listChecks = (sql: Sql) => sql<CheckRow[]>`
  select part, checked_at, good_at, failing_since, fault from health_checks`

/** The size of the database in bytes, and how many clients it has. */
export async function findDatabaseSize(sql: Sql): Promise<{ bytes: number; clients: number }> {
  const [row] = await sql<[{ bytes: number; clients: number }]>`
    select pg_database_size(current_database())::bigint as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as clients`
  return row
}

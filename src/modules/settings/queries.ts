import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** What was ever set. */
export const listSettings = (sql: Db) =>
  sql<Row<'settings', 'name' | 'value'>[]>`select name, value from settings`

/** Writes all changes in one statement; a null in them is kept as the null of JSON. */
export async function saveSettings(sql: Db, changes: Record<string, unknown>): Promise<void> {
  const rows = Object.entries(changes).map(([name, value]) => ({ name, value }))
  await sql`
    insert into settings (name, value)
    select name, coalesce(value, 'null') from jsonb_to_recordset(${sql.json(rows as never)}) as changes (name text, value jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`
}

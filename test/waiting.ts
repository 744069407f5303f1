import type { Sql } from '#platform/database'

export async function untilWaiting(sql: Sql, statements = 1): Promise<void> {
  for (let tries = 0; tries < 6000; tries += 1) {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length >= statements) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nothing waits')
}

import type { Db } from '#platform/database.ts'

/** How many jobs have failed for good: nobody tries them again, and their payloads stay. */
export async function countFailedJobs(sql: Db): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null`
  return row.count
}

/** Deletes up to `limit` jobs that failed for good longer ago than `days`; answers how many. */
export async function deleteFailedJobs(sql: Db, days: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and updated_at <= now() - make_interval(days => ${days})
      order by id limit ${limit} for update skip locked
    ) returning id`
  return gone.length
}

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

/** The jobs of a task: due, for later, in hand and failed for good; and for how many seconds the first has been due. */
export type JobCounts = {
  task: string
  due: number
  later: number
  running: number
  failed: number
  oldest: number
}

/** Counts the jobs of each task that has any. */
export const countJobs = (sql: Db) => sql<JobCounts[]>`
  select t.identifier as task,
         count(*) filter (where open and run_at <= now())::int as due,
         count(*) filter (where open and run_at > now())::int as later,
         count(*) filter (where locked_at is not null)::int as running,
         count(*) filter (where not open and locked_at is null)::int as failed,
         coalesce(extract(epoch from now() - min(run_at) filter (where open and run_at <= now())), 0)::double precision
           as oldest
  from (select *, attempts < max_attempts and locked_at is null as open from graphile_worker._private_jobs) j
  join graphile_worker._private_tasks t on t.id = j.task_id
  group by 1`

/** All jobs together: those that are due, in hand and failed for good, since when the first is due, and what failed last. */
export type JobsState = {
  due: number
  running: number
  failed: number
  due_since: string | null
  fault: string | null
  failed_at: string | null
}

/** How the jobs stand. */
export async function findJobsState(sql: Db): Promise<JobsState> {
  const [row] = await sql<[JobsState]>`
    with jobs as (
      select *, attempts < max_attempts and locked_at is null as open from graphile_worker._private_jobs
    ),
    last as (
      select j.updated_at, t.identifier || ': ' || coalesce(j.last_error, '') as fault
      from jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where not j.open and j.locked_at is null order by j.updated_at desc limit 1
    )
    select count(*) filter (where open and run_at <= now())::int as due,
      count(*) filter (where locked_at is not null)::int as running,
      count(*) filter (where not open and locked_at is null)::int as failed,
      min(run_at) filter (where open and run_at <= now()) as due_since,
      (select fault from last) as fault, (select updated_at from last) as failed_at
    from jobs`
  return row
}

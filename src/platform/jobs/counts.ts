import type { Db } from '#platform/database'

export async function deleteFailedJobs(sql: Db, days: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where attempts >= max_attempts and locked_at is null and updated_at <= now() - make_interval(days => ${days})
      order by id limit ${limit} for update skip locked
    ) returning id`
  return gone.length
}

/** Jobs of one task by state. `oldest` is the time in seconds since the first due job became due. */
export type JobCounts = {
  task: string
  due: number
  later: number
  running: number
  failed: number
  oldest: number
}

export const countJobs = (sql: Db) => sql<JobCounts[]>`
  select task_identifier as task,
         count(*) filter (where open and run_at <= now())::int as due,
         count(*) filter (where open and run_at > now())::int as later,
         count(*) filter (where locked_at is not null)::int as running,
         count(*) filter (where not open and locked_at is null)::int as failed,
         coalesce(extract(epoch from now() - min(run_at) filter (where open and run_at <= now())), 0)::double precision
           as oldest
  from (select *, attempts < max_attempts and locked_at is null as open from graphile_worker.jobs) j
  group by 1`

export type JobsState = {
  due: number
  running: number
  failed: number
  due_since: string | null
  fault: string | null
  failed_at: string | null
}

export async function findJobsState(sql: Db): Promise<JobsState> {
  const [row] = await sql<[JobsState]>`
    with jobs as (
      select *, attempts < max_attempts and locked_at is null as open from graphile_worker.jobs
    ),
    last as (
      select updated_at, task_identifier || ': ' || coalesce(last_error, '') as fault
      from jobs where not open and locked_at is null order by updated_at desc limit 1
    )
    select count(*) filter (where open and run_at <= now())::int as due,
      count(*) filter (where locked_at is not null)::int as running,
      count(*) filter (where not open and locked_at is null)::int as failed,
      min(run_at) filter (where open and run_at <= now()) as due_since,
      (select fault from last) as fault, (select updated_at from last) as failed_at
    from jobs`
  return row
}

/** Lists waiting and running jobs of some tasks. Waiting includes a retry after a failure. */
export const listOpenJobs = (sql: Db, tasks: string[]) => sql<
  { task: string; key: string | null; running: boolean }[]
>`
  select task_identifier as task, key, locked_at is not null as running from graphile_worker.jobs
  where task_identifier = any(${tasks}) and (locked_at is not null or attempts < max_attempts)`

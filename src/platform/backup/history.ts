import type { Db } from '#platform/database.ts'

/** A backup that was made, or failed. */
export type BackupRun = { place: string; bytes: number; seconds: number; fault?: string }

const KEPT_DAYS = 400

/** Notes that a backup was made or failed. */
export async function recordBackup(sql: Db, { place, bytes, seconds, fault }: BackupRun): Promise<void> {
  await sql`
    with old as (delete from backup_runs where finished_at < now() - make_interval(days => ${KEPT_DAYS}))
    insert into backup_runs (place, bytes, seconds, fault) values (${place}, ${bytes}, ${seconds}, ${fault ?? null})`
}

/** When the last backup was whole, how large it was and how long it took; undefined while there is none. */
export async function findLastBackup(
  sql: Db,
): Promise<{ finished: number; bytes: number; seconds: number } | undefined> {
  const [row] = await sql<{ finished: number; bytes: number; seconds: number }[]>`
    select extract(epoch from finished_at)::double precision as finished, bytes, seconds
    from backup_runs where fault is null order by finished_at desc limit 1`
  return row
}

/** The last backup that was whole, and since when those after it have failed and why; nulls for what there is none of. */
export type BackupState = {
  finished_at: string | null
  bytes: number | null
  seconds: number | null
  failing_since: string | null
  fault: string | null
}

/** How backups stand. */
export async function findBackupState(sql: Db): Promise<BackupState> {
  const [row] = await sql<[BackupState]>`
    with whole as (
      select finished_at, bytes, seconds from backup_runs where fault is null order by finished_at desc limit 1
    ),
    failed as (
      select finished_at, fault from backup_runs
      where fault is not null and finished_at > coalesce((select finished_at from whole), '-infinity')
    )
    select w.finished_at, w.bytes, w.seconds, (select min(finished_at) from failed) as failing_since,
      (select fault from failed order by finished_at desc limit 1) as fault
    from (values (1)) one (n) left join whole w on true`
  return row
}

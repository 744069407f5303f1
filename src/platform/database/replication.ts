import type { Db } from '#platform/database.ts'

/** How far each server that follows this database is behind, in seconds; those that this user may not see are left out. */
export const findReplicaLags = (sql: Db) => sql<{ replica: string; seconds: number }[]>`
  select coalesce(nullif(application_name, ''), 'unnamed') as replica,
         max(coalesce(extract(epoch from replay_lag), 0))::double precision as seconds
  from pg_stat_replication where state is not null group by 1`

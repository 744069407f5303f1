import type { Db } from './database.ts'

/** Returns the lag of each replica in seconds, without those hidden from this user. */
export const findReplicaLags = (sql: Db) => sql<{ replica: string; seconds: number }[]>`
  select coalesce(nullif(application_name, ''), 'unnamed') as replica,
         max(coalesce(extract(epoch from replay_lag), 0))::double precision as seconds
  from pg_stat_replication where state is not null group by 1`

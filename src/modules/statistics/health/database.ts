import type { Probe } from '#contracts/health-check.ts'
import { findReplicaLags, OLDEST_POSTGRES, type Sql } from '#platform/database'
import { HealthFault } from '#platform/health'

/** Share of the connections in use that leaves too few for a restart or a second node. */
const CROWDED = 0.9
/** Lag of a replica in seconds that no burst of writes explains. */
const MOST_LAG = 30

type Found = { version: number; isReplica: boolean; mayCreate: boolean; used: number; most: number }

async function checkDatabaseFitness(sql: Sql): Promise<void> {
  const [found] = await sql<[Found]>`
    select current_setting('server_version_num')::int / 10000 as version,
           pg_is_in_recovery() as "isReplica",
           coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
           (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
           current_setting('max_connections')::int as most`
  const { version, isReplica, mayCreate, used, most } = found
  if (isReplica) throw new HealthFault('database_replica')
  if (version < OLDEST_POSTGRES) throw new HealthFault('database_old', { version, oldest: OLDEST_POSTGRES })
  if (!mayCreate) throw new HealthFault('database_rights')
  if (used > most * CROWDED) throw new HealthFault('database_connections', { used, most })
  const [slowest] = (await findReplicaLags(sql)).toSorted((a, b) => b.seconds - a.seconds)
  if (slowest && slowest.seconds > MOST_LAG)
    throw new HealthFault('database_lag', { replica: slowest.replica, seconds: Math.round(slowest.seconds) })
}

export const databaseProbe: Probe = {
  part: 'database',
  settings: 'DATABASE_URL',
  isUsed: () => true,
  check: ({ sql }) => checkDatabaseFitness(sql),
}

import type { Probe } from '#contracts/health-check.ts'
import type { Config } from '#platform/config'
import { findReplicaLags, OLDEST_POSTGRES, type Sql } from '#platform/database'
import { HealthFault } from '#platform/health'
import { connectionsOfProcess, listNodes, WORKER_CONNECTIONS } from '#platform/nodes.ts'

/** Share of the connections in use that leaves too few for a restart or a second node. */
const CROWDED = 0.9
/** Lag of a replica in seconds that no burst of writes explains. */
const MOST_LAG = 30

type Found = {
  version: number
  isReplica: boolean
  mayCreate: boolean
  used: number
  most: number
  usable: number
}

type Sized = Pick<Config, 'processes' | 'databasePoolSize' | 'databaseDirectUrl'>

/** Counts the connections that all servers and workers may open. Without any, counts those of this configuration. */
async function findPlannedConnections(sql: Sql, config: Sized): Promise<number> {
  const nodes = await listNodes(sql)
  const planned =
    nodes.length === 0
      ? config.processes * connectionsOfProcess(config)
      : nodes.reduce((sum, { connections }) => sum + connections, 0)
  return planned + WORKER_CONNECTIONS
}

async function checkDatabaseFitness(sql: Sql, config: Sized): Promise<void> {
  const [found] = await sql<[Found]>`
    select current_setting('server_version_num')::int / 10000 as version,
           pg_is_in_recovery() as "isReplica",
           coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
           (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
           current_setting('max_connections')::int as most,
           least(
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true)::int, 0),
             (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
             (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user and not rolsuper)
           ) as usable`
  const { version, isReplica, mayCreate, used, most, usable } = found
  if (isReplica) throw new HealthFault('database_replica')
  if (version < OLDEST_POSTGRES) throw new HealthFault('database_old', { version, oldest: OLDEST_POSTGRES })
  if (!mayCreate) throw new HealthFault('database_rights')
  if (used > most * CROWDED) throw new HealthFault('database_connections', { used, most })
  const [slowest] = (await findReplicaLags(sql)).toSorted((a, b) => b.seconds - a.seconds)
  if (slowest && slowest.seconds > MOST_LAG)
    throw new HealthFault('database_lag', { replica: slowest.replica, seconds: Math.round(slowest.seconds) })
  const planned = await findPlannedConnections(sql, config)
  if (planned > usable) throw new HealthFault('database_pools', { planned, most: usable })
}

export const databaseProbe: Probe = {
  part: 'database',
  settings: 'DATABASE_URL',
  isUsed: () => true,
  check: ({ sql, config }) => checkDatabaseFitness(sql, config),
}

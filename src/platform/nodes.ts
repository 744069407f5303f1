import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { type Db, logFailure, type Row } from '#platform/database'
import { identifyStore } from '#platform/files'

/** Connections of a process beside its pool: signals, the readiness check, and three for background work. */
const BESIDE_POOL = 5
/** The same behind PgBouncer, which serves the pool and the readiness check. */
const BESIDE_POOLER = 4
/** Further connections of the process that runs the jobs of the site. */
export const WORKER_CONNECTIONS = 3

const RENEW_MS = 30_000
/** Longer than several renewals, so that a slow statement does not hide a node. */
const ALIVE = '2 minutes'

/** Maximum number of connections to PostgreSQL of one process (docs/scaling.md#connections). */
export const connectionsOfProcess = ({
  databasePoolSize,
  databaseDirectUrl,
}: Pick<Config, 'databasePoolSize' | 'databaseDirectUrl'>): number =>
  databaseDirectUrl === undefined ? databasePoolSize + BESIDE_POOL : BESIDE_POOLER

export type ServerNode = Row<'server_nodes', 'host' | 'connections' | 'store' | 'settings'>

/** Lists the servers and workers that run now. */
export const listNodes = (sql: Db) => sql<ServerNode[]>`
  select host, connections, store, settings from server_nodes
  where seen_at between now() - ${ALIVE}::interval and now() + ${ALIVE}::interval order by host, id`

/** Renews the row of a node, and deletes those of nodes that were killed long ago. */
async function renew(ctx: Context, id: string, processes: number): Promise<void> {
  const { config, sql } = ctx
  // Each commit without its synchronous standby would leave one more backend that waits.
  if (sql.writeFault() !== undefined) return
  // A folder that cannot be written is a fault of the uploads, and the node is alive nevertheless.
  const store = await identifyStore(config).catch(() => null)
  const connections = processes * connectionsOfProcess(config)
  await sql`
    insert into server_nodes as n (id, host, connections, store, settings)
    values (${id}, ${hostname()}, ${connections}, ${store}, ${config.given})
    on conflict (id) do update set seen_at = excluded.seen_at, store = excluded.store`
  await sql`delete from server_nodes where seen_at < now() - interval '1 day'`
}

/**
 * Announces a server of `processes` processes, or a worker, until the context closes. Returns after the first attempt,
 * which a start need not await.
 */
export async function announceNode(ctx: Context, { processes }: { processes: number }): Promise<void> {
  const id = randomUUID()
  let running = Promise.resolve()
  const look = () => {
    running = renew(ctx, id, processes).catch((error) =>
      logFailure(ctx.log, error, 'announcing this node failed'),
    )
    return running
  }
  const timer = setInterval(() => void look(), RENEW_MS)
  timer.unref()
  ctx.onClose.push(async () => {
    clearInterval(timer)
    await running
    if (ctx.sql.writeFault() === undefined) await ctx.sql`delete from server_nodes where id = ${id}`
  })
  await look()
}

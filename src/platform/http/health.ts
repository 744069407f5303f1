import { once } from 'node:events'
import { createServer } from 'node:http'
import { Counter, Gauge } from 'prom-client'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import type { Secrets } from '#platform/crypto.ts'
import type { Metrics } from '#platform/observability'
import { VERSION } from '#platform/version.ts'
import type { Server } from './instance.ts'

const READY_TIMEOUT_MS = 1500

const isChallenge = (given: unknown): given is string =>
  typeof given === 'string' && /^[0-9a-f]{32}$/.test(given)

/** Proves that an address leads to a server of this site. The prefix keeps the signature apart from all others. */
export const signSite = (secrets: Secrets, challenge: string): string => secrets.sign(`site ${challenge}`)

export function addHealth(
  server: Server,
  { sql, config, metrics, replicas, signals, secrets }: Context,
): void {
  server.get('/health', () => ({ status: 'ok', version: VERSION }))
  // Does not check the database. The orchestrator restarts a process that fails this check, which would not
  // repair the database.
  server.get('/health/live', ({ query }) => {
    const { challenge } = (query ?? {}) as { challenge?: unknown }
    return isChallenge(challenge) ? { status: 'ok', site: signSite(secrets, challenge) } : { status: 'ok' }
  })
  server.get('/health/ready', async (_request, reply) => {
    if (server.isDraining() || !(await sql.isAnswering(READY_TIMEOUT_MS)))
      return reply.code(503).send({ status: 'unavailable' })
    // A process that lost its LISTEN connection misses invalidations and would serve stale replies.
    if (signals.state().isLost) return reply.code(503).send({ status: 'unavailable', signals: 'lost' })
    // Stays ready while writes fail, because reads succeed and another node would not do better.
    const writes = sql.writeFault() === undefined ? {} : { writes: 'failing' }
    return { status: 'ok', ...writes, ...(replicas ? { replicas: replicas.state() } : {}) }
  })
  new Gauge({
    name: 'database_listening',
    help: '1 when this process receives the signals of other processes',
    registers: [metrics.registry],
    aggregator: 'min',
    collect() {
      this.set(signals.state().isLost ? 0 : 1)
    },
  })
  new Gauge({
    name: 'database_writable',
    help: '0 while writes of this process fail although reads succeed',
    registers: [metrics.registry],
    aggregator: 'min',
    collect() {
      this.set(sql.writeFault() === undefined ? 1 : 0)
    },
  })
  new Counter({
    name: 'database_listener_losses_total',
    help: 'Connections for signals that broke or did not answer',
    registers: [metrics.registry],
    collect() {
      this.reset()
      this.inc(signals.state().losses)
    },
  })
  if (config.metricsPublic)
    server.get('/metrics', async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.render()),
    )
}

/**
 * Serves `/metrics` on a separate port. Also serves `/health/live` there, because worker processes have no
 * public port.
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  { metricsHost, metricsPort }: Pick<Config, 'metricsHost' | 'metricsPort'>,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined
    if (path === '/health/live')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    if (path !== '/metrics') return void response.writeHead(404).end()
    const text = await metrics.render().catch(() => undefined)
    response.writeHead(text === undefined ? 500 : 200, { 'content-type': metrics.contentType }).end(text)
  })
  await once(server.listen(metricsPort, metricsHost), 'listening')
  return {
    async close() {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

import { createServer } from 'node:http'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import type { Metrics } from '#platform/metrics.ts'

/** Whoever asks whether the server is ready hears so within two seconds, whatever the database does. */
const READY_MS = 1500

/** `/health/live`, `/health/ready` and, where the configuration opens it, `/metrics`. */
export function addHealth(server: Server, { sql, config, metrics, replicas }: Context): void {
  // Answers as long as the process can: a database that is away is no reason to be restarted.
  server.get('/health/live', () => ({ status: 'ok' }))
  server.get('/health/ready', async (_request, reply) => {
    if (!server.isDraining() && (await sql.isAnswering(READY_MS)))
      return { status: 'ok', ...(replicas ? { replicas: replicas.state() } : {}) }
    return reply.code(503).send({ status: 'unavailable' })
  })
  if (config.metricsPublic)
    server.get('/metrics', async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.render()),
    )
}

/** Serves `/metrics` on a port of this machine only, for a Prometheus beside the server. */
export async function serveMetrics(
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  port: number,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const text = await metrics.render().catch(() => undefined)
    response.writeHead(text === undefined ? 500 : 200, { 'content-type': metrics.contentType }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'

/** `/health/live`, `/health/ready` and, where the configuration opens it, `/metrics`. */
export function addHealth(server: Server, { sql, config, metrics }: Context): void {
  let closing = false
  server.addHook('preClose', async () => {
    closing = true
  })
  // Answers as long as the process can: a database that is away is no reason to be restarted.
  server.get('/health/live', () => ({ status: 'ok' }))
  server.get('/health/ready', async (_request, reply) => {
    try {
      if (closing) throw new Error('closing')
      await sql`select 1`
      return { status: 'ok' }
    } catch {
      return reply.code(503).send({ status: 'unavailable' })
    }
  })
  if (config.metricsPublic)
    server.get('/metrics', async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.render()),
    )
}

import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import type { Probe } from '#platform/probe.ts'
import { TrafficHistory, TrafficQuery } from '../traffic/schema.ts'
import { readTraffic } from '../traffic/service.ts'
import { ServerHealth } from './schema.ts'
import { readHealth } from './service.ts'

/** How the server is, for administrators. */
export const healthRoutes = (probes: readonly Probe[]) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin: health' }

  route('GET /admin/health', {
    operationId: 'adminGetHealth',
    summary: 'Read how database, jobs, mail, chat, uploads and backups are, and since when one fails',
    access,
    reply: { 200: ServerHealth },
    handler: () => readHealth(ctx, probes),
  })

  route('GET /admin/health/requests', {
    operationId: 'adminListRequestTimes',
    summary: 'Read how many requests there were of late and how long they took, all processes together',
    access,
    query: TrafficQuery,
    reply: { 200: TrafficHistory },
    handler: ({ query }) => readTraffic(ctx, query.hours ?? 24),
  })
}

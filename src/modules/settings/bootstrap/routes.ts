import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { readSettings } from '../service.ts'
import { Bootstrap } from './schema.ts'
import { bootstrapView } from './view.ts'

/** What clients ask for first; `findAdvertisements` reads those of a higher module that are shown meanwhile. */
export const bootstrapRoutes =
  (findAdvertisements: (ctx: Context) => Promise<object[]>) => (server: Server, ctx: Context) => {
    const route = routesOn(server, ctx, { tag: 'Site' })

    route('GET /bootstrappers', {
      operationId: 'getBootstrap',
      summary: 'Read what a client needs to know first',
      access: 'public',
      kept: 'each',
      reply: { 200: Bootstrap },
      handler: async () =>
        bootstrapView(...(await Promise.all([readSettings(ctx), findAdvertisements(ctx)]))),
    })
  }

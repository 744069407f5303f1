import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { readSettings } from '../service.ts'
import { Bootstrap } from './schema.ts'
import { bootstrapView } from './view.ts'

/** What clients ask for first; `findAdvertisements` reads those of a higher module that are shown meanwhile. */
export const bootstrapRoutes =
  (findAdvertisements: (ctx: Context) => Promise<object[]>) => (server: Server, ctx: Context) => {
    server.get(
      '/bootstrappers',
      {
        config: { access: 'public' },
        schema: {
          tags: ['Site'],
          summary: 'What a client needs to know first',
          response: { 200: Bootstrap },
        },
      },
      async () => bootstrapView(...(await Promise.all([readSettings(ctx), findAdvertisements(ctx)]))),
    )
  }

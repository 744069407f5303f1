import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'

type Routes = (server: Server, ctx: Context) => void

/**
 * The routes, answered under a prefix too, which existing clients put before them. The documentation shows them once.
 */
export const withPrefixToo =
  (prefix: string, routes: Routes): Routes =>
  (server, ctx) => {
    routes(server, ctx)
    server.register(
      async (aliases) => {
        aliases.addHook('onRoute', (route) => {
          route.schema = { ...route.schema, hide: true }
        })
        routes(aliases as unknown as Server, ctx)
      },
      { prefix },
    )
  }

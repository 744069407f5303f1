import type { RouteOptions } from 'fastify'
import type { Context } from '#platform/context.ts'
import { inScope, type Server } from '#platform/http.ts'

type Routes = (server: Server, ctx: Context) => void

/** Marks a route of the prefix as an older name of the one without it, under an operationId of its own. */
function deprecate(route: RouteOptions, name: string) {
  const documented = route.config?.documented
  if (!documented) throw new Error(`${route.method} ${route.url} has no operationId`)
  const { operationId: plain } = documented
  const operationId = `${name}${plain[0]!.toUpperCase()}${plain.slice(1)}`
  route.config = { ...route.config!, documented: { ...documented, operationId } }
  route.schema = {
    ...route.schema,
    operationId,
    deprecated: true,
    description: `An older path of \`${plain}\`, for existing clients.`,
  }
}

/**
 * The routes, answered under a prefix too, which existing clients put before them (conventions-23). The documentation
 * shows those as deprecated, with `name` before their operationId.
 */
export const withPrefixToo =
  ({ prefix, name }: { prefix: string; name: string }, routes: Routes): Routes =>
  (server, ctx) => {
    routes(server, ctx)
    inScope(
      server,
      (aliases) => {
        aliases.addHook('onRoute', (route) => {
          // A GET makes its HEAD from what is marked already.
          if (route.method !== 'HEAD') deprecate(route, name)
        })
        routes(aliases, ctx)
      },
      { prefix },
    )
  }

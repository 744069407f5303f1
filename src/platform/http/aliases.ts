import type { RouteOptions } from 'fastify'
import type { Context } from '#platform/context.ts'
import { encapsulate, type Server } from './instance.ts'
import { aliasOf } from './route-options.ts'

type Routes = (server: Server, ctx: Context) => void

function deprecate(route: RouteOptions, name: string) {
  const documented = route.config?.documented
  if (!documented) throw new Error(`${route.method} ${route.url} has no operationId`)
  const { operationId: plain } = documented
  const operationId = `${name}${plain[0]!.toUpperCase()}${plain.slice(1)}`
  route.config = { ...route.config!, documented: { ...documented, operationId } }
  route.schema = {
    ...route.schema,
    operationId,
    ...aliasOf(plain),
  }
}

/**
 * Mounts the routes a second time below `prefix`, for existing clients (conventions-23). `name` prefixes the
 * operationIds of these deprecated copies.
 */
export const withPrefixAlias =
  ({ prefix, name }: { prefix: string; name: string }, routes: Routes): Routes =>
  (server, ctx) => {
    routes(server, ctx)
    encapsulate(
      server,
      (aliases) => {
        aliases.addHook('onRoute', (route) => {
          // Skips HEAD routes, because Fastify copies each HEAD route from a GET route that this hook has
          // already deprecated.
          if (route.method !== 'HEAD') deprecate(route, name)
        })
        routes(aliases, ctx)
      },
      { prefix },
    )
  }

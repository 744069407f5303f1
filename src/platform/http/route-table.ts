import type { RouteOptions } from 'fastify'
import type { Server } from './instance.ts'

/** Collects the methods of every path, for 405 with `Allow`. */
export function rememberRoutes(server: Server): (url: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  const table: RouteOptions[] = []
  server.decorate('routeTable', table)
  server.addHook('onRoute', (options) => {
    table.push(options)
    const { url, method } = options
    const route = routes.get(url) ?? {
      pattern: new RegExp(
        `^${url
          .replace(/[.+?^$()[\]\\|]/g, '\\$&')
          .replace(/:[A-Za-z_]+/g, '[^/]+')
          .replace(/\*/g, '.*')}/?$`,
      ),
      methods: new Set<string>(),
    }
    for (const verb of [method].flat()) route.methods.add(verb)
    routes.set(url, route)
  })
  return (url) => {
    const path = url.split('?', 1)[0] ?? ''
    const methods = new Set<string>()
    for (const { pattern, methods: verbs } of routes.values())
      if (pattern.test(path)) for (const verb of verbs) methods.add(verb)
    methods.delete('OPTIONS')
    return [...methods].sort()
  }
}

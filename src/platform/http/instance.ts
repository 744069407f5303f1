import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'
import type { RequestScope } from '#platform/database'

declare module 'fastify' {
  interface FastifyRequest {
    leave: () => void
    /** The account or address that statements are counted under. */
    caller: RequestScope | null
  }
  interface FastifyInstance {
    /** All routes, for tests that walk them. */
    routeTable: RouteOptions[]
  }
  interface FastifyContextConfig {
    /** Method and path of the operation; an alias has those of the current route. */
    operation?: string
    /** The query holds personal data, so no log includes it. With `path` the path holds a secret too. */
    personal?: true | 'path'
  }
}

/** The Fastify instance for routes. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Creates a scope with hooks and parsers of its own; `work` adds its routes. */
export function encapsulate(
  server: Server,
  work: (scope: Server) => void | Promise<void>,
  options: { prefix?: string } = {},
) {
  // Fastify's types lose the type provider in a scope.
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits an asynchronous plugin.
  return server.register(async (scope) => work(scope as unknown as Server), options)
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteOptions,
} from 'fastify'
import type { RequestScope } from '#platform/database'

declare module 'fastify' {
  interface FastifyRequest {
    leave: () => void
    caller: RequestScope | null
  }
  interface FastifyInstance {
    routeTable: RouteOptions[]
  }
}

export const API = '/api/v2'

/**
 * True for a request to the API. The path alone does not decide, because the router decodes it: `/%61pi/v2` leads to the
 * same routes.
 */
export const isForApi = ({ url, routeOptions }: Pick<FastifyRequest, 'url' | 'routeOptions'>): boolean =>
  url.startsWith(API) || routeOptions.url?.startsWith(API) === true

export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Registers routes in a Fastify scope, so that their hooks and parsers affect no other routes. */
export function encapsulate(
  server: Server,
  work: (scope: Server) => void | Promise<void>,
  options: { prefix?: string } = {},
) {
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits an asynchronous plugin.
  return server.register(async (scope) => work(scope as unknown as Server), options)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import {
  ApiError,
  addressBlocked,
  badRequest,
  bodyTooLarge,
  type DeclaredError,
  forbidden,
  invalidInput,
  notFound,
  secondFactorNeeded,
  silenced,
  tooManyRequests,
  unauthenticated,
  unsupportedMediaType,
} from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import { type GuestCache, guestCacheOf, language } from '#platform/http/caching.ts'
import { type AddRoute, type AnyRoute, GUEST, type Verb } from '#platform/http/route-options.ts'
import { viewerOf } from './admission.ts'
import { IDEMPOTENCY_ERRORS, withIdempotencyKey } from './idempotency.ts'
import { API, encapsulate, type Server } from './instance.ts'
import { hasTextMessage, textReplies, withTextMessage } from './message-forms.ts'
import { type TObject, type TSchema, Type } from './schema.ts'
import { TREES, treeAdderOf } from './text-trees.ts'

const aliasOf = (operationId: string) => ({
  deprecated: true,
  description: `An older path of \`${operationId}\`, for existing clients.`,
  'x-alias-of': operationId,
})

function documentedErrors(
  method: string,
  path: string,
  query: TSchema | undefined,
  options: AnyRoute,
): DeclaredError[] {
  const isOpen = options.access === 'public' || options.access === 'optional'
  const { errors = [] } = options
  return [
    tooManyRequests,
    // The query of any method may be unreadable.
    badRequest,
    ...(method === 'GET' ? [] : [bodyTooLarge, unsupportedMediaType]),
    ...(isOpen ? [] : [unauthenticated]),
    ...(method === 'GET' && !path.startsWith('/auth/') ? [] : [addressBlocked]),
    ...(method === 'GET' || options.access === 'public' || options.whileSilenced ? [] : [silenced]),
    ...(options.body || query ? [invalidInput] : []),
    ...(options.params ? [notFound] : []),
    ...(typeof options.access === 'object' ? [forbidden, secondFactorNeeded] : []),
    ...(options.idempotent ? IDEMPOTENCY_ERRORS : []),
    ...errors,
  ]
}

export function routesOn(server: Server, ctx: Context, { tag }: { tag: ApiTag }): AddRoute {
  const add = (operation: string, options: AnyRoute) => {
    const [method = '', path = ''] = operation.split(' ')
    const [status = 200] = Object.keys(options.reply).map(Number)
    const { load, precheck } = options
    const isText = hasTextMessage(operation)
    const handler = isText ? withTextMessage(options.handler) : options.handler
    const reply = isText ? textReplies(options.reply) : options.reply
    const addTrees = method === 'GET' ? treeAdderOf(reply[status] as TSchema) : undefined
    const query = addTrees
      ? Type.Object({ ...(options.query as TObject | undefined)?.properties, trees: TREES })
      : options.query
    const isOpen = options.access === 'public' || options.access === 'optional'
    const isOpenRead = method === 'GET' && isOpen
    const isShared = isOpenRead && !options.fresh
    const usesReplicas = isShared && !options.primary
    const guests = isShared && ctx.config.guestCacheMs > 0 ? guestCacheOf(ctx) : undefined
    const callOf = (request: FastifyRequest, reply: FastifyReply, onUncached?: () => void) => ({
      ...(isOpenRead ? {} : { request, reply }),
      uncached: () => {
        onUncached?.()
        return { request, reply }
      },
      params: request.params,
      query: request.query,
      body: request.body,
      // Admission has refused guests. A fault there must not open a route to them.
      viewer: isOpen ? (request.viewer ?? GUEST) : viewerOf(request),
      loaded: undefined as unknown,
      get language() {
        return language(request)
      },
    })
    type Call = ReturnType<typeof callOf>
    const run = async (call: Call, { caller, viewer }: FastifyRequest, reply: FastifyReply) => {
      if (usesReplicas && caller && !viewer) caller.replica = ctx.replicas?.choose()
      try {
        if (load) call.loaded = await load(call as never)
        reply.code(status)
        const body = await handler(call as never)
        const isAsked = addTrees && (call.query as { trees?: boolean }).trees && body !== reply
        return isAsked ? await addTrees(ctx, body) : body
      } finally {
        if (caller?.replica) caller.replica = undefined
      }
    }
    /** Throws the API error of `load` or `precheck`, or else the validation error. */
    const refuse = async (call: Call, failure: Error): Promise<never> => {
      try {
        await (load ?? precheck)?.(call as never)
      } catch (error) {
        // Ignores errors other than API errors, because `load` may fail on an unvalidated body.
        if (error instanceof ApiError) throw error
      }
      throw failure
    }
    // A streamed reply counts as sent only at its end, so its headers tell whether a client has left meanwhile.
    const isSent = (reply: FastifyReply) => reply.sent || reply.raw.headersSent
    const send = (reply: FastifyReply, body: unknown) =>
      body === reply || isSent(reply) ? reply : reply.send(body)

    const answerGuest = async (cache: GuestCache, request: FastifyRequest, reply: FastifyReply) => {
      let body: unknown
      const isAnswered = await cache.answer(request, reply, status, async () => {
        let isCacheable = true
        const call = callOf(request, reply, () => {
          isCacheable = false
        })
        body = await run(call, request, reply)
        if (!isCacheable || isSent(reply)) return undefined
        ctx.inspectBody?.(request, status, body)
        return reply.serialize(body as never) as string
      })
      return isAnswered ? reply : send(reply, body)
    }

    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const failure = request.validationError
      if (guests?.takes(request) && !request.viewer && !failure) return answerGuest(guests, request, reply)
      const call = callOf(request, reply)
      if (failure && !options.idempotent) return refuse(call, failure)
      if (options.idempotent)
        return withIdempotencyKey(ctx, request, reply, status, async (atomically) => {
          if (failure) return refuse(call, failure)
          if (load) call.loaded = await load(call as never)
          return handler({ ...call, atomically } as never)
        })
      return send(reply, await run(call, request, reply))
    }

    const register = (url: string, name: string, canonicalName?: string) => {
      const { aliasName } = server
      const operationId = aliasName ? `${aliasName}${name[0]!.toUpperCase()}${name.slice(1)}` : name
      const instead = aliasName ? name : canonicalName
      server.route({
        method: method as Verb,
        url,
        ...(options.bodyLimit ? { bodyLimit: options.bodyLimit } : {}),
        config: {
          access: options.access,
          ...(options.personal ? { personal: options.personal } : {}),
          ...(options.cookie || path.startsWith('/auth/') ? { cookie: options.cookie ?? 'never' } : {}),
          ...(options.whileSilenced ? { whileSilenced: true } : {}),
          ...(isShared ? { isShared: true } : {}),
          ...(load || precheck || options.idempotent ? { loads: true } : {}),
          documented: {
            ...options,
            operationId,
            operation: `${method} ${API}${path}`,
            errors: documentedErrors(method, path, query, options),
          },
        },
        schema: {
          tags: [options.tag ?? tag],
          operationId,
          // A summary is plain text in OpenAPI. RapiDoc would show backticks.
          summary: options.summary.replaceAll('`', '"'),
          ...(options.description ? { description: options.description } : {}),
          ...(instead === undefined ? {} : aliasOf(instead)),
          ...(options.deprecated ? { deprecated: true } : {}),
          ...(options.consumes ? { consumes: options.consumes } : {}),
          ...(options.params ? { params: options.params } : {}),
          ...(query ? { querystring: query } : {}),
          ...(options.body ? { body: options.body } : {}),
          response: reply,
        },
        handler: answer as never,
      })
    }
    register(path, options.operationId, options.aliasOf)
    for (const [operationId, url] of Object.entries(options.aliases ?? {}))
      register(url, operationId, options.operationId)
  }
  return add as unknown as AddRoute
}

type Routes = (server: Server, ctx: Context) => void

/**
 * Mounts the routes a second time below `prefix`, for existing clients (conventions-23). `name` prefixes the
 * operationIds of these deprecated copies.
 */
export const withPrefixAlias =
  ({ prefix, name }: { prefix: string; name: string }, routes: Routes): Routes =>
  (server, ctx) => {
    routes(server, ctx)
    encapsulate(server, (aliases) => routes(aliases.decorate('aliasName', name), ctx), { prefix })
  }

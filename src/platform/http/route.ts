import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import {
  ApiError,
  addressBlocked,
  badRequest,
  type DeclaredError,
  forbidden,
  invalidInput,
  notFound,
  secondFactorNeeded,
  silenced,
  tooManyRequests,
  unauthenticated,
} from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import { guestCacheOf } from '#platform/http/guest-cache.ts'
import { type AddRoute, type AnyRoute, aliasOf, GUEST, type Verb } from '#platform/http/route-options.ts'
import { language } from './error-reply.ts'
import { IDEMPOTENCY_ERRORS, withIdempotencyKey } from './idempotency.ts'
import type { Server } from './instance.ts'

/** Runs `load` or `precheck` before the reply to invalid input. */
async function answerBeforeInvalid(check: () => unknown, failure: Error): Promise<never> {
  try {
    await check()
  } catch (error) {
    // These checks may throw on an invalid body; then the reply is the validation error.
    if (error instanceof ApiError) throw error
  }
  throw failure
}

/** Returns the errors that follow from the route's input. */
function ownErrors(method: string, path: string, options: AnyRoute): DeclaredError[] {
  const isOpen = options.access === 'public' || options.access === 'optional'
  const { errors = [] } = options
  return [
    tooManyRequests,
    // A declared 400 lists all its codes, so it includes that of an unreadable request.
    ...(errors.some(({ status }) => status === 400) ? [badRequest] : []),
    ...(isOpen ? [] : [unauthenticated]),
    ...(method === 'GET' && !path.startsWith('/auth/') ? [] : [addressBlocked]),
    ...(method === 'GET' || options.access === 'public' || options.whileSilenced ? [] : [silenced]),
    ...(options.body || options.query ? [invalidInput] : []),
    ...(options.params ? [notFound] : []),
    ...(typeof options.access === 'object' ? [forbidden, secondFactorNeeded] : []),
    ...(options.idempotent ? IDEMPOTENCY_ERRORS : []),
    ...errors,
  ]
}

/**
 * Returns the function that adds routes of a module. The options give access, schemas, loading and handler.
 * The type of the reply follows from `reply`.
 */
export function routesOn(server: Server, ctx: Context, { tag }: { tag: ApiTag }): AddRoute {
  const add = (operation: string, options: AnyRoute) => {
    const [method = '', path = ''] = operation.split(' ')
    const [status = 200] = Object.keys(options.reply).map(Number)
    const { load, precheck, handler } = options
    const isOpen = options.access === 'public' || options.access === 'optional'
    const isShared = method === 'GET' && isOpen && !options.fresh
    const usesReplicas = isShared && !options.primary
    const guests = isShared && ctx.config.guestCacheMs > 0 ? guestCacheOf(ctx) : undefined
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const call = {
        request,
        reply,
        params: request.params,
        query: request.query,
        body: request.body,
        viewer: request.viewer ?? GUEST,
        loaded: undefined as unknown,
        get language() {
          return language(request)
        },
      }
      const failure = request.validationError
      const refuse = (error: Error) => answerBeforeInvalid(() => (load ?? precheck)?.(call as never), error)
      if (failure && !options.idempotent) return refuse(failure)
      if (options.idempotent)
        return withIdempotencyKey(ctx, request, reply, async (atomically) => {
          if (failure) return refuse(failure)
          if (load) call.loaded = await load(call as never)
          const inTransaction = (work: (tx: Tx) => Promise<unknown>, single?: { single: boolean }) =>
            atomically(async (tx) => ({ status, body: await work(tx) }), single)
          return (await handler({ ...call, atomically: inTransaction } as never)) as never
        })
      const work = async () => {
        if (load) call.loaded = await load(call as never)
        // Some handlers set another status of the route.
        reply.code(status)
        return handler(call as never)
      }
      const run = () => (usesReplicas && !request.viewer ? readAsGuest(ctx, request, work) : work())
      const send = (body: unknown) => (body === reply || reply.sent ? reply : reply.send(body))
      if (!guests || request.viewer) return send(await run())
      // A handler that uses the request or the reply runs for this request only.
      let isOwn = false
      for (const [name, value] of Object.entries({ request, reply }))
        Object.defineProperty(call, name, {
          enumerable: true,
          get() {
            isOwn = true
            return value
          },
        })
      let made: { body: unknown } | undefined
      const isAnswered = await guests.answer(request, reply, status, async () => {
        made = { body: await run() }
        if (isOwn || reply.sent) return undefined
        ctx.inspectBody?.(request, status, made.body)
        return reply.serialize(made.body as never) as string
      })
      if (isAnswered) return reply
      return send(made ? made.body : await run())
    }

    const register = (url: string, operationId: string, instead?: string) =>
      server.route({
        method: method as Verb,
        url,
        ...(options.bodyLimit ? { bodyLimit: options.bodyLimit } : {}),
        config: {
          access: options.access,
          operation: `${method} /api/v2${path}`,
          ...(options.personal ? { personal: options.personal } : {}),
          ...(options.whileSilenced ? { whileSilenced: true } : {}),
          ...(isShared ? { isShared: true } : {}),
          ...(load || precheck || options.idempotent ? { loads: true } : {}),
          documented: {
            operationId,
            summary: options.summary,
            errors: ownErrors(method, path, options),
            ...(options.returns ? { returns: options.returns } : {}),
            ...(options.example === undefined ? {} : { example: options.example }),
          },
        },
        schema: {
          tags: [options.tag ?? tag],
          operationId,
          summary: options.summary,
          ...(options.description ? { description: options.description } : {}),
          ...(instead === undefined ? {} : aliasOf(instead)),
          ...(options.deprecated ? { deprecated: true } : {}),
          ...(options.consumes ? { consumes: options.consumes } : {}),
          ...(options.params ? { params: options.params } : {}),
          ...(options.query ? { querystring: options.query } : {}),
          ...(options.body ? { body: options.body } : {}),
          response: options.reply,
        },
        handler: answer as never,
      })
    register(path, options.operationId, options.aliasOf)
    for (const [operationId, url] of Object.entries(options.aliases ?? {}))
      register(url, operationId, options.operationId)
  }
  return add as unknown as AddRoute
}

/** Runs a guest's read on a replica where one is current. */
async function readAsGuest<T>(
  { replicas }: Context,
  { caller }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  const replica = replicas?.choose()
  if (!replica || !caller) return work()
  caller.replica = replica
  try {
    return await work()
  } finally {
    caller.replica = undefined
  }
}

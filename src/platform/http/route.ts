import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import {
  ApiError,
  addressBlocked,
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
import { readAnywhere } from '#platform/http/read-anywhere.ts'
import { type AddRoute, type AnyRoute, GUEST, type Verb } from '#platform/http/route-options.ts'
import { language, type Server } from '#platform/http.ts'
import { IDEMPOTENCY_ERRORS, once } from '#platform/idempotency.ts'
import { noteUnknown } from '#platform/pages/reading.ts'
import { keptRoute, SentAlready } from '#platform/pages/replies.ts'
import type { TObject } from '#platform/schema.ts'

/** What a request asks for. */
type Asked = { params: unknown; query: unknown; body: unknown }

/** Runs what comes before the answer to invalid input. */
async function answerBeforeInvalid(check: () => unknown, failure: Error): Promise<never> {
  try {
    await check()
  } catch (error) {
    // It may read of the body what is not valid, and stumble: then the input's own failure is told.
    if (error instanceof ApiError) throw error
  }
  throw failure
}

/** The errors that a route has because of what it takes. */
function ownErrors(method: string, path: string, options: AnyRoute): DeclaredError[] {
  const isOpen = options.access === 'public' || options.access === 'optional'
  return [
    tooManyRequests,
    ...(isOpen ? [] : [unauthenticated]),
    ...(method === 'GET' && !path.startsWith('/auth/') ? [] : [addressBlocked]),
    ...(method === 'GET' || options.access === 'public' || options.whileSilenced ? [] : [silenced]),
    ...(options.body || options.query ? [invalidInput] : []),
    ...(options.params ? [notFound] : []),
    ...(typeof options.access === 'object' ? [forbidden, secondFactorNeeded] : []),
    ...(options.idempotent ? IDEMPOTENCY_ERRORS : []),
    ...(options.errors ?? []),
  ]
}

/**
 * How a module adds its routes: each says method and path, who may call, its schemas, what is loaded and the handler, and
 * the reply's status and body follow from `reply`.
 */
export function routesOn(server: Server, ctx: Context, { tag }: { tag: ApiTag }): AddRoute {
  const add = (operation: string, options: AnyRoute) => {
    const [method = '', path = ''] = operation.split(' ')
    const [status = 200] = Object.keys(options.reply).map(Number)
    const { load, whenInvalid, handler } = options
    // With no memory for them pages are made for each request, and may be read from replicas.
    const kept =
      options.kept && ctx.config.keptPages.bytes > 0
        ? keptRoute(ctx, { kept: options.kept, isPublic: options.access === 'public', status })
        : undefined
    const asked = Object.keys((options.query as TObject | undefined)?.properties ?? {})

    /** What of a request its reply depends on. */
    const keyOf = ({ params, query }: Asked) => {
      const given = query as Record<string, unknown>
      return `${options.operationId} ${JSON.stringify(params)} ${JSON.stringify(asked.map((name) => given[name]))}`
    }
    const writeFor = (call: Asked, reply: FastifyReply) => async (viewer: { id: number }) => {
      const { params, query, body: given } = call
      const own = {
        params,
        query,
        body: given,
        viewer,
        loaded: undefined as unknown,
        get language() {
          // What one viewer alone gets is kept for each language apart.
          if (viewer.id === 0) noteUnknown()
          return language(reply.request)
        },
        // Whoever looks at these may answer with what no table tells of.
        get request() {
          noteUnknown()
          return reply.request
        },
        get reply() {
          noteUnknown()
          return reply
        },
      }
      if (load) own.loaded = await load(own as never)
      const body = await handler(own as never)
      if (body === reply || reply.sent) throw new SentAlready()
      reply.code(status)
      ctx.inspectBody?.(reply.request, status, body)
      return reply.serialize(body as never) as string
    }

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
      if (failure) return answerBeforeInvalid(() => (load ?? whenInvalid)?.(call as never), failure)
      if (options.idempotent)
        return once(ctx, request, reply, async (atomically) => {
          if (load) call.loaded = await load(call as never)
          const inTransaction = (work: (tx: Tx) => Promise<unknown>, single?: { single: boolean }) =>
            atomically(async (tx) => ({ status, body: await work(tx) }), single)
          return (await handler({ ...call, atomically: inTransaction } as never)) as never
        })
      const work = async () => {
        if (kept && (await kept.answer(request, reply, keyOf(call), writeFor(call, reply)))) return reply
        if (load) call.loaded = await load(call as never)
        // Some handlers set another of the route's statuses.
        reply.code(status)
        return handler(call as never)
      }
      const body = options.replica ? await readAnywhere(ctx, request, reply, work) : await work()
      return body === reply || reply.sent ? reply : reply.send(body)
    }

    const register = (url: string, operationId: string, deprecated: boolean) =>
      server.route({
        method: method as Verb,
        url,
        ...(options.bodyLimit ? { bodyLimit: options.bodyLimit } : {}),
        config: {
          access: options.access,
          ...(options.personal ? { personal: true } : {}),
          ...(options.whileSilenced ? { whileSilenced: true } : {}),
          ...(kept ? { isKept: true } : {}),
          ...(options.replica ? { readsReplica: true } : {}),
          ...(load || whenInvalid ? { loads: true } : {}),
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
          ...(deprecated ? { deprecated: true } : {}),
          ...(options.consumes ? { consumes: options.consumes } : {}),
          ...(options.params ? { params: options.params } : {}),
          ...(options.query ? { querystring: options.query } : {}),
          ...(options.body ? { body: options.body } : {}),
          response: options.reply,
        },
        ...(kept
          ? {
              onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
                if (!kept.answerAtOnce(request, reply)) done()
              },
            }
          : {}),
        handler: answer as never,
      })
    register(path, options.operationId, options.deprecated === true)
    for (const [operationId, url] of Object.entries(options.aliases ?? {})) register(url, operationId, true)
  }
  return add as unknown as AddRoute
}

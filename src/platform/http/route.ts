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
import type { Access, Viewer } from '#platform/http/viewer.ts'
import type { Server } from '#platform/http.ts'
import { IDEMPOTENCY_ERRORS, once } from '#platform/idempotency.ts'
import { noteUnknown } from '#platform/pages/reading.ts'
import { type Kept, keptRoute, SentAlready } from '#platform/pages/replies.ts'
import type { Static, TObject, TSchema } from '#platform/schema.ts'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Stands for nobody in queries: no person has this id. */
export type Guest = { readonly id: 0; readonly standsIn?: true }
const GUEST: Guest = { id: 0 }

/** Who calls: always a person where a token is needed, perhaps a guest where it is not. `viewer.id` is 0 for guests. */
type Caller<A> = A extends 'public' ? Guest : A extends 'optional' ? Viewer | Guest : Viewer

type Replies = Record<number, TSchema>
type Sent<R extends Replies> = { [S in keyof R]: R[S] extends TSchema ? Static<R[S]> : never }[keyof R]

/** What is known of a request before its body and query are validated. */
export type Arrival<A, P extends TSchema> = {
  request: FastifyRequest
  reply: FastifyReply
  params: Static<P>
  viewer: Caller<A>
}

/** A request whose input is valid, with what `load` found. */
export type Call<A, P extends TSchema, Q extends TSchema, B extends TSchema, L> = Arrival<A, P> & {
  query: Static<Q>
  body: Static<B>
  loaded: L
}

/**
 * Runs the work of a request in one transaction, which also keeps the reply under the request's `Idempotency-Key`. Work
 * that says `single` is one statement: without a reply to keep it needs no transaction around it.
 */
export type Atomically<T> = (work: (tx: Tx) => Promise<T>, options?: { single: boolean }) => Promise<Settled>

declare const settled: unique symbol
/** The reply of idempotent work: only `atomically` makes one. */
export type Settled = { [settled]: true }

export type RouteOptions<
  A extends Access,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Replies,
  L,
> = {
  /** Verb and noun, unique and stable: generated clients name their functions by it, such as `listFeeds`. */
  operationId: string
  summary: string
  description?: string
  /** Where it is not the tag of the other routes of the file. */
  tag?: ApiTag
  /** Who may call. */
  access: A
  params?: P
  query?: Q
  body?: B
  /** Success status to body; the first status is sent unless the handler sets `reply.code`. */
  reply: R
  /** What a success answers, for the documentation, where the name of the schema does not say it. */
  returns?: string
  /** The errors that callers meet here beyond those every route has (not signed in, invalid input, too many requests). */
  errors?: readonly DeclaredError[]
  /** Other paths with the same answer, by the operationId of each. The documentation shows them as deprecated. */
  aliases?: Record<string, string>
  deprecated?: true
  /** An example of the body where a pre-filled one would mislead. */
  example?: Static<B>
  /** The content types of the body where it is not JSON alone. */
  consumes?: string[]
  bodyLimit?: number
  /** Says who somebody is on paper: no log holds the query of its requests. */
  personal?: true
  /** It publishes nothing and tells nobody anything: whoever may only read may do it too (sign-in-27). */
  whileSilenced?: true
  /**
   * It only reads, and may be answered by a replica that has replayed the viewer's last write (docs/scaling.md). What
   * fails there, or is not found, is asked of the primary.
   */
  replica?: true
  /**
   * Replies are kept in memory until a table that they were read from is written (docs/kept-pages.md). The handler may
   * read the database, the caches of the platform and buffered counts, and is given neither request nor reply.
   */
  kept?: Kept
  /**
   * Finds what the path names, or throws 404 or 403. Runs once, before invalid input is answered with 422 (rule
   * conventions-9), and hands its result to the handler.
   */
  load?: (arrival: Arrival<A, P>) => L | Promise<L>
  /**
   * The checks of `load` for a handler whose own statement makes them too: runs only when the input is invalid, so that
   * 404 and 403 still come before 422 and a valid request is spared a round trip.
   */
  whenInvalid?: (arrival: Arrival<A, P>) => unknown
}

type PlainHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  idempotent?: never
  handler: (call: Call<A, P, Q, B, Awaited<L>>) => Sent<R> | FastifyReply | Promise<Sent<R> | FastifyReply>
}

type IdempotentHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  /**
   * The request moves money: an `Idempotency-Key` makes it safe to repeat. For a repeated request neither `load` nor the
   * handler runs.
   */
  idempotent: true
  handler: (call: Call<A, P, Q, B, Awaited<L>> & { atomically: Atomically<Sent<R>> }) => Promise<Settled>
}

type None = TObject<Record<never, never>>

/** Adds one route: `route('GET /feed/topics/:topic', { … })`. */
export type AddRoute = <
  const A extends Access,
  const R extends Replies,
  P extends TSchema = None,
  Q extends TSchema = None,
  B extends TSchema = None,
  L = undefined,
>(
  operation: `${Verb} ${string}`,
  options: RouteOptions<A, P, Q, B, R, L> &
    (PlainHandler<A, P, Q, B, R, L> | IdempotentHandler<A, P, Q, B, R, L>),
) => void

/** What an untyped route looks like inside this file. */
type AnyRoute = RouteOptions<Access, TSchema, TSchema, TSchema, Replies, unknown> & {
  idempotent?: true
  handler: (call: Call<Access, TSchema, TSchema, TSchema, unknown>) => unknown
}

/** What the documentation needs of a route beside its schemas. */
export type Documented = Pick<AnyRoute, 'operationId' | 'summary' | 'returns' | 'example'> & {
  errors: readonly DeclaredError[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    documented?: Documented
    /** The route answers invalid input itself, after its `load`. */
    loads?: true
    /** The route reads from replicas, where there are any. */
    readsReplica?: true
    whileSilenced?: true
  }
}

/** Runs the work of a route that may read from a replica; whatever fails there is done once more on the primary. */
async function readAnywhere<T>(
  { replicas }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<T>,
): Promise<T> {
  const { caller } = request
  if (!replicas || !caller) return work()
  const send = await replicas.choose(request.viewer?.id ?? 0)
  if (!send) {
    replicas.count('primary')
    return work()
  }
  let isUsed = false
  caller.replica = (query) => {
    isUsed = true
    send(query)
  }
  try {
    const body = await work()
    replicas.count(isUsed ? 'replica' : 'primary')
    return body
  } catch (error) {
    caller.replica = undefined
    if (!isUsed || reply.sent) throw error
    replicas.count('fallback')
    return await work()
  } finally {
    caller.replica = undefined
  }
}

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
        ? keptRoute(ctx, options.kept, options.access === 'public')
        : undefined
    const asked = Object.keys((options.query as TObject | undefined)?.properties ?? {})

    /** What of a request its reply depends on. */
    const keyOf = ({ params, query }: { params: unknown; query: unknown }) => {
      const given = query as Record<string, unknown>
      return `${options.operationId} ${JSON.stringify(params)} ${JSON.stringify(asked.map((name) => given[name]))}`
    }
    const writeFor = (call: object, reply: FastifyReply) => async (viewer: { id: number }) => {
      const own = {
        ...call,
        viewer,
        loaded: undefined as unknown,
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

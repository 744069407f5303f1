import cors from '@fastify/cors'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import buildSerializer, { type Schema as SerializerSchema } from 'fast-json-stringify'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
  type RouteOptions,
} from 'fastify'
import type { Config } from '#platform/config.ts'
import { type Caller, currentCaller, newCaller, onBehalfOf } from '#platform/database/callers.ts'
import type { Sql } from '#platform/database.ts'
import { errorBody, language, methodNotAllowed, noSuchPath, toldError } from '#platform/error-reply.ts'
import { Busy } from '#platform/errors.ts'
import { addressKey } from '#platform/http/address.ts'
import { admission, tellRate } from '#platform/http/admission.ts'
import { acceptEmptyJson, answerInvalid, prepareBody, refuseBadForms } from '#platform/http/bodies.ts'
import { tellCaches } from '#platform/http/caching.ts'
import { addDrain } from '#platform/http/drain.ts'
import { requestIds } from '#platform/http/request-id.ts'
import { shedLoad } from '#platform/http/shedding.ts'
import { endStalledBodies } from '#platform/http/stalled.ts'
import type { Identity } from '#platform/http/viewer.ts'
import { compileInput } from '#platform/input.ts'
import type { Log } from '#platform/log.ts'
import { redactRequestUrl } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import { hasSiblings } from '#platform/processes/siblings.ts'
import type { RateLimiter } from '#platform/rate-limit.ts'
import { retryRawUrl } from '#platform/raw-url.ts'
import type { Replicas } from '#platform/replicas.ts'
import { rememberRoutes } from '#platform/route-table.ts'
import { whenSiblingsKnow } from '#platform/signals.ts'
import { refuseUnreadable } from '#platform/unreadable.ts'

export { language } from '#platform/error-reply.ts'
export { limitHeaders } from '#platform/http/admission.ts'
export { attemptsOf, type CountAttempt, ownAttemptsOf, type Payer, payerOf } from '#platform/http/attempts.ts'
export {
  bearerToken,
  type Identity,
  type Viewer,
  viewerOf,
} from '#platform/http/viewer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    leave: () => void
    /** On whose behalf its statements are sent. */
    caller: Caller | null
  }
  interface FastifyInstance {
    /** Every route, for the tests that walk them all. */
    routeTable: RouteOptions[]
  }
  interface FastifyContextConfig {
    /** Larger or streamed bodies (uploads) set their own bodyLimit. */
    operation?: string
    /** Says who somebody is on paper: no log holds the query of its requests. */
    personal?: true
  }
}

/** The Fastify instance that routes are added to. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** A part of the server with hooks and parsers of its own; its routes are added by `work`. */
export function inScope(
  server: Server,
  work: (scope: Server) => void | Promise<void>,
  options: { prefix?: string } = {},
) {
  // The framework's types do not tell a part how the whole reads schemas.
  return server.register(async (scope) => work(scope as unknown as Server), options)
}

export type HttpOptions = {
  config: Config
  log: Log
  limiter: RateLimiter
  metrics: Metrics
  identity: Identity
  sql: Sql
  replicas?: Replicas
}

const BODY_LIMIT = 1024 * 1024
/** More than Node takes of a request line and headers together. */
const LINE_LIMIT = 64 * 1024
const API = '/api/v2'
const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Error-Code',
  'Retry-After',
  'Idempotency-Replayed',
]

/** Builds the server with everything every route shares: identity, limits, validation, errors, logs and metrics. */
export async function createServer({
  config,
  log,
  limiter,
  metrics,
  identity,
  sql,
  replicas,
}: HttpOptions): Promise<Server> {
  const refuse = refuseUnreadable((ip) => limiter.hit(`ip:${addressKey(ip)}`, config.rateLimits.anonymous))
  const server: Server = fastify({
    loggerInstance: log as unknown as FastifyBaseLogger,
    // Nothing logs by a logger of its own, which each request would otherwise be given.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: config.trustProxy ?? false,
    genReqId: requestIds(config.trustProxy) as never,
    // A path has no patterns that a long part could hold up, and every parameter says its own length: too long is 404.
    routerOptions: { maxParamLength: LINE_LIMIT, ignoreTrailingSlash: true },
    frameworkErrors: async (error, request, reply) => {
      // Raised before any hook runs, for a URL that cannot be decoded.
      identify(request, reply)
      tellRate(reply, await limiter.hit(`ip:${addressKey(request.ip)}`, config.rateLimits.anonymous))
      render(error, request, reply)
    },
    clientErrorHandler: (error, socket) => {
      if (!retryRawUrl(server.server, error, socket)) refuse(error, socket)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server

  server.decorateRequest('viewer', null)
  server.decorateRequest('rate', null)
  server.decorateRequest('leave', () => {})
  server.decorateRequest('caller', null)
  server.setValidatorCompiler(({ schema }) => compileInput(schema) as never)
  server.setSerializerCompiler(({ schema }) => {
    // Built for the first reply, like validators: most of a start went into building hundreds of them.
    let serialize: ReturnType<typeof buildSerializer> | undefined
    return (data: unknown) => {
      serialize ??= buildSerializer(schema as SerializerSchema)
      return serialize(data)
    }
  })
  acceptEmptyJson(server)
  const allowedMethods = rememberRoutes(server)

  // Hooks that wait for nothing take a callback: a promise for each would cost every request a few microseconds.
  server.addHook('onRequest', (request, reply, done) => {
    identify(request, reply)
    request.leave = metrics.enterRequest()
    if (request.method !== 'OPTIONS' || !request.url.startsWith(API)) return done()
    // The next hook answers preflights. Browsers send them by themselves, so they are counted apart and never refused.
    Promise.resolve(limiter.hit(`preflight:${addressKey(request.ip)}`, config.rateLimits.anonymous)).then(
      (state) => {
        tellRate(reply, state)
        done()
      },
      done,
    )
  })
  server.addHook('onRequestAbort', async (request) => {
    request.leave()
    if (request.caller) request.caller.isGone = true
  })
  server.addHook('onRequest', (request, _reply, done) => {
    request.caller = newCaller()
    onBehalfOf(request.caller, done)
  })
  await server.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED.join(', '),
    maxAge: 86_400,
    strictPreflight: false,
  })

  const admit = admission({ config, limiter, identity })
  server.addHook('onRequest', (request, reply, done) =>
    request.url.startsWith(API) ? admit(request, reply, done) : done(),
  )
  // What arrives of a body belongs to the connection and not to the request any more.
  server.addHook('preValidation', (request, _reply, done) =>
    !request.caller || currentCaller() === request.caller ? done() : onBehalfOf(request.caller, done),
  )
  server.addHook('onRequest', refuseBadForms)
  endStalledBodies(server, config.requestIdleMs, refuse)
  server.addHook('preHandler', answerInvalid)
  server.addHook('onRoute', (route) => {
    route.attachValidation = true
    prepareBody(route)
    if (route.url.startsWith(API) && route.config?.access === undefined)
      throw new Error(`${route.method} ${route.url} does not say who may call it (config.access)`)
  })

  tellCaches(server, API)
  if (hasSiblings) {
    // Before the reply goes out: whoever has it may ask another process next.
    server.addHook('onSend', async ({ caller }) => {
      if (caller?.hasWritten) await whenSiblingsKnow(sql)
    })
  }
  if (replicas) {
    // Before the reply goes out: whoever has it reads what was written.
    server.addHook('onSend', async ({ caller, viewer }) => {
      const userId = caller?.actsFor ?? viewer?.id
      if (caller?.hasWritten && userId !== undefined) await replicas.wrote(userId)
    })
  }
  addDrain(server, { metrics, log })
  shedLoad(server, { sql, config, metrics })

  server.addHook('onResponse', (request, reply, done) => {
    request.leave()
    const route = request.routeOptions.url
    metrics.observeRequest({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    })
    log.info(
      {
        id: request.id,
        method: request.method,
        url: redactRequestUrl(
          request.routeOptions.config?.personal ? request.url.replace(/\?.*/s, '') : request.url,
        ),
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.viewer ? { user: request.viewer.id } : {}),
      },
      'request',
    )
    done()
  })

  const render = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const told = toldError(error, { hasSentBytes: hasSentBytes(request) })
    // A refusal under load is one line in the log of requests: a trace for each would add to the load.
    if (told.status >= 500 && !(error instanceof Busy))
      log.error(
        { err: error, id: request.id, method: request.method, route: request.routeOptions?.url },
        'request failed',
      )
    reply
      .code(told.status)
      .headers(told.details.headers ?? {})
      .header('X-Error-Code', told.code)
      .type('application/json; charset=utf-8')
      // Errors are not described by the reply schemas, so they are written here.
      .serializer((body: unknown) => JSON.stringify(body))
      .send(errorBody(told, language(request)))
  }
  server.setErrorHandler(render)
  server.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.url)
    if (methods.length === 0) return render(noSuchPath(), request, reply)
    const headers = { Allow: methods.join(', ') }
    return render(methodNotAllowed({ headers }), request, reply)
  })
  return server
}

/** Whether a request brought a file: everything else comes as JSON or as a form's words. */
const hasSentBytes = ({ headers }: FastifyRequest) =>
  headers['content-type'] !== undefined && !/\/(json|x-www-form-urlencoded)/.test(headers['content-type'])

function identify(request: FastifyRequest, reply: FastifyReply) {
  reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff')
}

/** A success body of shape 2, `{message: [string]}`, in the client's language. */
export const say = (request: FastifyRequest, en: string, zh: string): { message: string[] } => ({
  message: [language(request) === 'zh' ? zh : en],
})

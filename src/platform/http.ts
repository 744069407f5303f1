import { randomBytes } from 'node:crypto'
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
import { errorBody, language, methodNotAllowed, noSuchPath, toldError } from '#platform/error-reply.ts'
import { ApiError, forbidden, notFound, tooManyRequests, unauthenticated } from '#platform/errors.ts'
import { compileInput } from '#platform/input.ts'
import type { Log } from '#platform/log.ts'
import { redactRequestUrl } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { RateLimiter, RateState } from '#platform/rate-limit.ts'
import { retryRawUrl } from '#platform/raw-url.ts'
import { rememberRoutes } from '#platform/route-table.ts'
import { refuseUnreadable } from '#platform/unreadable.ts'

export { language } from '#platform/error-reply.ts'

/** Who is asking: a person with a valid token. */
export type Viewer = {
  id: number
  /** The token family of this sign-in, which logout revokes. */
  family: string
  /** When the token stops being good, epoch milliseconds. */
  expiresAt: number
}

/**
 * Who may call a route. `public`: no identity is read. `optional`: a valid token changes the answer and an invalid one
 * is treated as none. `user`: a token is needed. An object: a token of a holder of that ability.
 */
export type Access = 'public' | 'optional' | 'user' | { ability: string }

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
    rate: RateState | null
    leave: () => void
  }
  interface FastifyInstance {
    /** Every route, for the tests that walk them all. */
    routeTable: RouteOptions[]
  }
  interface FastifyContextConfig {
    access?: Access
    /**
     * Answers 404, 403 and other failures that come before the body's 422 (decisions §2, order of checks). Called only
     * when the input is invalid: the handler makes the same checks as part of its work.
     */
    before?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
    /** Larger or streamed bodies (uploads) set their own bodyLimit. */
    operation?: string
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

/** What the modules below http supply: it knows neither tokens nor abilities. */
export type Identity = {
  findViewer(token: string): Promise<Viewer | null> | Viewer | null
  hasAbility(userId: number, ability: string): Promise<boolean>
}

export type HttpOptions = {
  config: Config
  log: Log
  limiter: RateLimiter
  metrics: Metrics
  identity: Identity
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
}: HttpOptions): Promise<Server> {
  const refuse = refuseUnreadable((ip) => limiter.hit(`ip:${ip}`, config.rateLimits.anonymous))
  const server: Server = fastify({
    loggerInstance: log as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: config.trustProxy ?? false,
    genReqId: requestIds(),
    // A path has no patterns that a long part could hold up, and every parameter says its own length: too long is 404.
    routerOptions: { maxParamLength: LINE_LIMIT, ignoreTrailingSlash: true },
    frameworkErrors: async (error, request, reply) => {
      // Raised before any hook runs, for a URL that cannot be decoded.
      identify(request, reply)
      rateHeaders(reply, await limiter.hit(`ip:${request.ip}`, config.rateLimits.anonymous))
      render(error, request, reply)
    },
    clientErrorHandler: (error, socket) => {
      if (!retryRawUrl(server.server, error, socket)) refuse(error, socket)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server

  server.decorateRequest('viewer', null)
  server.decorateRequest('rate', null)
  server.decorateRequest('leave', () => {})
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
    Promise.resolve(limiter.hit(`preflight:${request.ip}`, config.rateLimits.anonymous)).then((state) => {
      rateHeaders(reply, state)
      done()
    }, done)
  })
  server.addHook('onRequestAbort', async (request) => request.leave())
  await server.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 86_400,
    strictPreflight: false,
  })

  server.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(API)) return done()
    const token = bearerToken(request)
    const found = token === undefined ? null : identity.findViewer(token)
    const count = (viewer: Viewer | null) => {
      request.viewer = viewer
      return viewer
        ? limiter.hit(`user:${viewer.id}`, config.rateLimits.user)
        : limiter.hit(`ip:${request.ip}`, config.rateLimits.anonymous)
    }
    const admit = (state: RateState) => {
      rateHeaders(reply, state)
      const access = request.routeOptions.config.access ?? 'public'
      if (access !== 'public' && access !== 'optional' && !request.viewer)
        throw unauthenticated({ headers: { 'WWW-Authenticate': 'Bearer' } })
      if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
      if (typeof access === 'object')
        return identity.hasAbility((request.viewer as Viewer).id, access.ability)
      return true
    }
    const finish = (allowed: boolean) => done(allowed ? undefined : forbidden())
    try {
      // Token and limit are in memory in the usual case, and then nothing is waited for.
      const state = found instanceof Promise ? found.then(count) : count(found)
      const allowed = state instanceof Promise ? state.then(admit) : admit(state)
      if (allowed instanceof Promise) allowed.then(finish, done)
      else finish(allowed)
    } catch (error) {
      done(error as Error)
    }
  })

  server.addHook('preValidation', (request, _reply, done) => {
    const { schema } = request.routeOptions
    const body = schema?.body as { type?: string; properties?: object } | undefined
    if (!body || request.headers['content-type']?.startsWith('multipart/')) return done()
    if (request.body === undefined || request.body === null) request.body = {}
    // Existing clients send the parameters of these verbs either way (decisions §1).
    if (
      request.method !== 'POST' &&
      body.type === 'object' &&
      isRecord(request.body) &&
      isRecord(request.query)
    )
      request.body = { ...request.query, ...request.body }
    done()
  })

  server.addHook('preHandler', (request, reply, done) => {
    const failure = request.validationError as (Error & { validationContext?: string }) | undefined
    if (!failure) return done()
    if (failure.validationContext === 'params') return done(notFound())
    const before = request.routeOptions.config.before
    if (!before) return done(failure)
    // What it reads of the body is not valid, so it may stumble: then the input's own failure is told.
    Promise.resolve()
      .then(() => before(request, reply))
      .then(
        () => done(failure),
        (error) => done(error instanceof ApiError ? error : failure),
      )
  })

  server.addHook('onRoute', (route) => {
    route.attachValidation = true
    if (route.url.startsWith(API) && route.config?.access === undefined)
      throw new Error(`${route.method} ${route.url} does not say who may call it (config.access)`)
  })

  let closing = false
  server.addHook('preClose', async () => {
    closing = true
  })
  // A connection that stayed open after its last answer would hold up the end of the process.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('Connection', 'close')
    done()
  })

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
        url: redactRequestUrl(request.url),
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.viewer ? { user: request.viewer.id } : {}),
      },
      'request',
    )
    done()
  })

  const rateHeaders = (reply: FastifyReply, state: RateState) => {
    reply.request.rate = state
    reply.header('X-RateLimit-Limit', state.limit).header('X-RateLimit-Remaining', state.remaining)
  }

  const render = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const told = toldError(error)
    if (told.status >= 500)
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

/** Ids that no other process makes: a random beginning and a count, which costs less than randomness for each. */
function requestIds(): () => string {
  const beginning = randomBytes(9).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `${beginning}-${count.toString(36)}`
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function identify(request: FastifyRequest, reply: FastifyReply) {
  reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff')
}

/** `Authorization: Bearer`, or the query parameter `token` (specification 5). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return /^bearer +(\S{1,512}) *$/i.exec(authorization)?.[1]
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' && token.length <= 512 ? token : undefined
}

/** The signed-in person; routes that call this say `access: 'user'` or name an ability. */
export function viewerOf(request: FastifyRequest): Viewer {
  if (!request.viewer) throw unauthenticated()
  return request.viewer
}

/** The viewer's id, or 0 for a guest: no person has that id, so it can stand in any query. */
export const viewerId = (request: FastifyRequest): number => request.viewer?.id ?? 0

/** A success body of shape 2, `{message: [string]}`, in the client's language. */
export const say = (request: FastifyRequest, en: string, zh: string): { message: string[] } => ({
  message: [language(request) === 'zh' ? zh : en],
})

/** The headers of a refusal for too many requests. */
export function limitHeaders(state: RateState): Record<string, string | number> {
  return {
    'Retry-After': Math.max(1, Math.ceil(state.resetAt - Date.now() / 1000)),
    'X-RateLimit-Reset': state.resetAt,
  }
}

/**
 * The tighter limit of sign-in, codes and password checks (decisions §2), counted for each key; the reply's rate
 * headers then speak of the tightest one.
 */
export function sensitiveLimit(limiter: RateLimiter, config: Config) {
  return async (request: FastifyRequest, reply: FastifyReply, ...keys: string[]): Promise<void> => {
    if (config.rateLimits.sensitive === 0) return
    for (const key of [...keys, `ip:${request.ip}`]) {
      const state = await limiter.hit(`sensitive:${key}`, config.rateLimits.sensitive)
      if (!request.rate || state.remaining < request.rate.remaining || state.exceeded) {
        request.rate = state
        reply.header('X-RateLimit-Limit', state.limit).header('X-RateLimit-Remaining', state.remaining)
      }
      if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
    }
  }
}

/** Clients set the JSON content type on requests without a body too. */
function acceptEmptyJson(server: Server) {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body as string, done)
  })
}

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import { compile } from '@fastify/proxy-addr'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import buildSerializer, { type Schema as SerializerSchema } from 'fast-json-stringify'
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
  type RouteOptions,
} from 'fastify'
import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { createScope, currentScope, isConnectionError, runInScope } from '#platform/database'
import { Busy } from '#platform/errors.ts'
import { redactAddress } from '#platform/observability'
import { addressKey, admission, type Identity, setRateHeaders } from './admission.ts'
import {
  acceptBodies,
  answerInvalid,
  checkContentType,
  limitUnfinishedBodies,
  prepareBody,
} from './bodies.ts'
import { addCaching, language } from './caching.ts'
import { corsHeaders, EXPOSED } from './cors.ts'
import { errorBody, methodNotAllowed, noSuchPath, sendError, toApiError } from './error-reply.ts'
import { acceptForms, parseQuery } from './forms.ts'
import { compileInput } from './input.ts'
import { API, isForApi, type Server } from './instance.ts'
import { addDrain, shedLoad } from './load-shedding.ts'
import { addAssets } from './packages.ts'
import { seenAddresses } from './seen-addresses.ts'
import { refuseUnreadable } from './unreadable.ts'
import { addWeb } from './web/pages.ts'
import { isInner } from './web/session.ts'

/** Returns a function that lists the methods of a URL, for 405 replies with `Allow`. */
function rememberRoutes(server: Server): (url: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: string[] }>()
  const table: RouteOptions[] = []
  server.decorate('routeTable', table)
  server.addHook('onRoute', (options) => {
    table.push(options)
    const { url, method } = options
    const route = routes.getOrInsertComputed(url, () => ({ pattern: patternOf(url), methods: [] }))
    route.methods.push(...[method].flat())
  })
  return (url) => {
    const path = url.split('?', 1)[0] ?? ''
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    const methods = new Set(found.flatMap((route) => route.methods))
    methods.delete('OPTIONS')
    return [...methods].sort()
  }
}

const patternOf = (url: string) => {
  const escaped = url.replace(/[.+?^$()[\]\\|]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replace(/\*/g, '.*')}/?$`)
}

const V4_WITH_PORT = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/
const V6_IN_BRACKETS = /^\[([0-9a-f:.]{2,45})\](?::\d{1,5})?$/i

/**
 * Removes the ports that some proxies add to the addresses in `X-Forwarded-For`. With its port, each connection of a
 * client would have limits of its own, and no address block would match.
 */
function removePorts({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for']
  if (typeof given !== 'string' || !given.includes(':')) return
  const addresses = given.split(',').map((part) => part.trim())
  headers['x-forwarded-for'] = addresses
    .map((address) => (V4_WITH_PORT.exec(address) ?? V6_IN_BRACKETS.exec(address))?.[1] ?? address)
    .join(', ')
}

/** Allows only characters that are safe in logs and headers. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

/**
 * Uses the `X-Request-Id` of a trusted proxy, so that the logs of proxy and server have the same id
 * (conventions-38). Otherwise appends a counter to a random prefix, because a counter is cheaper than a random id
 * per request.
 */
export function requestIds(trustProxy: string | undefined): (request: IncomingMessage) => string {
  const isProxy =
    trustProxy === undefined ? undefined : compile(trustProxy.split(',').map((part) => part.trim()))
  const beginning = randomBytes(9).toString('base64url')
  let count = 0
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    if (
      isProxy &&
      typeof given === 'string' &&
      REQUEST_ID.test(given) &&
      isProxy(socket.remoteAddress ?? '', 0)
    )
      return given
    count += 1
    return `${beginning}-${count.toString(36)}`
  }
}

function loggedUrl({ url, routeOptions }: FastifyRequest): string {
  const personal = routeOptions.config?.personal
  if (personal === 'path') return routeOptions.url ?? ''
  return redactAddress(personal ? url.replace(/\?.*/s, '') : url)
}

const BODY_LIMIT = 1024 * 1024
/**
 * Larger than Node's limit of request line and headers, so that Fastify rejects no path for the length of a
 * parameter.
 */
const LINE_LIMIT = 64 * 1024

export async function createServer(ctx: Context & { identity: Identity }): Promise<Server> {
  const { config, limiter } = ctx
  const corsOf = corsHeaders(config.corsOrigins)
  const refuse = refuseUnreadable(corsOf)
  const render = renderer(ctx)
  const server = createInstance(ctx, {
    frameworkErrors: async (error, request, reply) => {
      // Calls `identify` here, because Fastify runs no hooks before this handler, for example after an
      // undecodable URL.
      identify(request, reply)
      reply.headers(corsOf(request.headers.origin))
      setRateHeaders(reply, await limiter.hit(`ip:${addressKey(request.ip)}`, config.rateLimits.anonymous))
      render(error, request, reply)
    },
    clientErrorHandler: refuse,
  })
  acceptBodies(server)
  await acceptForms(server)
  const allowedMethods = rememberRoutes(server)

  /** Fastify runs the hooks of a kind in the order of their registration, so this is the order of a request. */
  const stages: Record<string, () => void | Promise<void>> = {
    // Every later stage runs in the scope of the request, and even its refusal has an id.
    scope: () => addScope(server, ctx, allowedMethods),
    // Before admission, because browsers send preflight requests without a token.
    cors: () => addCors(server, config.corsOrigins),
    assets: () => addAssets(server),
    // Before admission, because the site puts the token of its session cookie into the headers.
    pages: () => addPages(server, ctx),
    admission: () => addAdmission(server, ctx),
    // After admission, so that the rate limit counts requests with an unreadable body too.
    contentType: () => addContentTypeCheck(server),
    bodies: () => limitUnfinishedBodies(server, config, refuse),
    validation: () => addValidation(server),
    caching: () => addCaching(server),
    drain: () => addDrain(server, { ...ctx, noticeMs: config.drainNoticeMs }),
    // Refuses before Fastify runs, so the place of this stage does not matter.
    load: () => shedLoad(server, { ...ctx, cors: corsOf }),
    log: () => addRequestLog(server, ctx),
  }
  for (const add of Object.values(stages)) await add()

  server.setErrorHandler(render)
  server.setNotFoundHandler(async (request, reply) => {
    if (await server.sendPage?.(request, reply)) return reply
    const methods = allowedMethods(request.url)
    if (methods.length === 0 || methods.includes(request.method)) return render(noSuchPath(), request, reply)
    const headers = { Allow: methods.join(', ') }
    return render(methodNotAllowed({ headers }), request, reply)
  })
  return server
}

function createInstance(
  { config, log }: Context,
  handlers: Pick<FastifyServerOptions, 'frameworkErrors' | 'clientErrorHandler'>,
): Server {
  const idOf = requestIds(config.trustProxy)
  const server = fastify({
    loggerInstance: log as unknown as FastifyBaseLogger,
    // Avoids a child logger for each request, because no code logs through it.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: config.trustProxy ?? false,
    genReqId: ((request: IncomingMessage) => {
      // Here, because Fastify runs no hooks before it reads the address of an undecodable request.
      if (config.trustProxy !== undefined) removePorts(request)
      return idOf(request)
    }) as never,
    // Long parameters are safe, because no path contains a regular expression. Schemas bound their length.
    routerOptions: { maxParamLength: LINE_LIMIT, ignoreTrailingSlash: true, querystringParser: parseQuery },
    ...handlers,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server
  // Node would answer 417 without JSON to any other expectation than `100-continue`. RFC 9110 allows to ignore it.
  server.server.on('checkExpectation', (...exchange) => server.server.emit('request', ...exchange))
  server.decorateRequest('viewer', null)
  server.decorateRequest('rate', null)
  server.decorateRequest('leave', () => {})
  server.decorateRequest('caller', null)
  server.decorateRequest('isInner', false)
  server.setValidatorCompiler(
    ({ schema, httpPart }) => compileInput(schema, { isPath: httpPart === 'params' }) as never,
  )
  server.setSerializerCompiler(({ schema }) => {
    // Compiles on first use, because compiling hundreds of serializers would delay the start.
    let serialize: ReturnType<typeof buildSerializer> | undefined
    return (data: unknown) => {
      serialize ??= buildSerializer(schema as SerializerSchema)
      return serialize(data)
    }
  })
  return server
}

function addScope(server: Server, ctx: Context, allowedMethods: (url: string) => string[]): void {
  const seen = seenAddresses(ctx)
  // Uses callbacks, because promises would cost every request a few microseconds.
  server.addHook('onRequest', (request, reply, done) => {
    identify(request, reply)
    if (!request.isInner) seen.count(request)
    request.leave = ctx.metrics.enterRequest(request.routeOptions.url)
    request.caller = createScope(request.isInner ? currentScope() : undefined)
    if (request.method === 'OPTIONS' && isForApi(request)) {
      const methods = allowedMethods(request.url)
      if (methods.length > 0) reply.header('Allow', methods.join(', '))
    }
    runInScope(request.caller, done)
  })
  server.addHook('onRequestAbort', async (request) => {
    request.leave()
    if (request.caller) request.caller.isGone = true
  })
  // Restores the request's scope, because body parsing continues in the async context of the connection.
  server.addHook('preValidation', (request, _reply, done) =>
    !request.caller || currentScope() === request.caller ? done() : runInScope(request.caller, done),
  )
}

async function addCors(server: Server, origins: Context['config']['corsOrigins']): Promise<void> {
  await server.register(cors, {
    origin: origins.includes('*') ? '*' : origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 86_400,
    strictPreflight: false,
  })
}

function addPages(server: Server, ctx: Context): void {
  server.decorate('sendPage', null)
  server.decorate('sendOwnIcon', null)
  if (ctx.config.web) addWeb(server, ctx)
}

function addAdmission(server: Server, ctx: Context & { identity: Identity }): void {
  const admit = admission(ctx)
  // Outside the API, admission applies only to requests with a token to routes with optional access.
  // `limitByteRequests` limits the rate of requests for files.
  const isAdmitted = (request: FastifyRequest) =>
    isForApi(request) ||
    (request.routeOptions.config?.access === 'optional' && request.headers.authorization !== undefined)
  server.addHook('onRequest', async (request, reply) => {
    if (isAdmitted(request)) await admit(request, reply)
  })
}

function addContentTypeCheck(server: Server): void {
  server.addHook('onRequest', checkContentType)
}

function addValidation(server: Server): void {
  server.addHook('preHandler', answerInvalid)
  server.addHook('onRoute', (route) => {
    route.attachValidation = true
    prepareBody(route)
    if (route.url.startsWith(API) && route.config?.access === undefined)
      throw new Error(`${route.method} ${route.url} does not declare who may call it (config.access)`)
  })
}

function addRequestLog(server: Server, { metrics, log }: Context): void {
  server.addHook('onResponse', (request, reply, done) => {
    request.leave()
    const route = request.routeOptions.url
    metrics.observeRequest({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    })
    if (request.isInner) return done()
    log.info(
      {
        id: request.id,
        method: request.method,
        url: loggedUrl(request),
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.viewer ? { user: request.viewer.id } : {}),
      },
      'request',
    )
    done()
  })
}

const renderer =
  ({ log }: Context) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = toApiError(error, { hasSentBytes: hasSentBytes(request) })
    const about = { id: request.id, method: request.method, route: request.routeOptions?.url }
    // An error in the log means that somebody must act. A request that fails for now is a warning without a stack. `Busy`
    // errors and outages come by the thousand, so only the access log has them.
    if (told.status === 503 && !(error instanceof Busy || isConnectionError(error)))
      log.warn({ ...about, fault: messageOf(error) }, 'request failed for now')
    else if (told.status >= 500 && told.status !== 503) log.error({ ...about, err: error }, 'request failed')
    reply.code(told.status).headers(told.details.headers ?? {})
    sendError(reply, told.code, errorBody(told, language(request)))
  }

const hasSentBytes = ({ headers }: FastifyRequest) =>
  headers['content-type'] !== undefined && !/\/(json|x-www-form-urlencoded)/.test(headers['content-type'])

function identify(request: FastifyRequest, reply: FastifyReply) {
  request.isInner = isInner(request)
  reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff')
}

export const localizedMessage = (request: FastifyRequest, en: string, zh: string): { message: string[] } => ({
  message: [language(request) === 'zh' ? zh : en],
})

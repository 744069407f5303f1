import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Config } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import { type RequestScope, type Sql, WRITES_KEY } from '#platform/database'
import { forbidden, tooManyRequests, unauthenticated } from '#platform/errors.ts'
import type { Log, Metrics } from '#platform/observability'
import type { RateLimiter, RateState } from '#platform/processes'
import type { CorsHeaders } from './cors.ts'
import type { Server } from './instance.ts'
import { type Access, addressKey, bearerToken, type Identity, type Viewer, viewerOf } from './viewer.ts'
import { INNER_HEADER, INNER_SECRET } from './web/session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    rate: RateState | null
  }
}

const UNCOUNTED: RateState = { limit: 0, remaining: 0, resetAt: 0, exceeded: false }

export function setRateHeaders(reply: FastifyReply, state: RateState): void {
  reply.request.rate = state
  reply.header('X-RateLimit-Limit', state.limit).header('X-RateLimit-Remaining', state.remaining)
}

/** Returns whether the request may proceed. */
async function mayCall(
  access: Access,
  viewer: Viewer | null,
  state: RateState,
  identity: Identity,
): Promise<boolean> {
  if (access !== 'public' && access !== 'optional' && !viewer)
    throw unauthenticated({ headers: { 'WWW-Authenticate': 'Bearer' } })
  if (state.exceeded) throw tooManyRequests({ headers: rateLimitHeaders(state) })
  if (typeof access !== 'object') return true
  const { id } = viewer as Viewer
  return 'ability' in access
    ? identity.hasAbility(id, access.ability)
    : hasAny(identity, id, access.anyAbility)
}

async function hasAny(identity: Identity, userId: number, abilities: readonly string[]): Promise<boolean> {
  for (const ability of abilities) if (await identity.hasAbility(userId, ability)) return true
  return false
}

/** Returns whether the request is forbidden to silenced users. */
function isForWriters({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && config.access !== 'public' && !config.whileSilenced
}

/** Returns whether the request is forbidden from a blocked address: writes, and everything about sign-in. */
function isGuarded({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') || url.startsWith('/api/v2/auth/')
}

function keysOf(request: FastifyRequest, viewer: Viewer | null): string[] {
  const keys = viewer ? [`user:${viewer.id}`] : []
  const { method, routeOptions } = request
  if (method !== 'GET' && method !== 'HEAD') keys.push(WRITES_KEY, `${method} ${routeOptions.url}`)
  return keys
}

/** Identifies the viewer, counts the request and checks the access to the route. */
export function admission(options: { config: Config; limiter: RateLimiter; identity: Identity }) {
  const { limiter, identity } = options
  const { rateLimits } = options.config
  const guesses = new LRUCache<string, RateState>({ max: 10_000 })

  /** Returns the viewer of a token. Rejects an address that has sent too many unknown tokens. */
  const findViewer = async (token: string, request: FastifyRequest, reply: FastifyReply) => {
    const address = addressKey(request.ip)
    const refused = guesses.get(address)
    if (refused && refused.resetAt * 1000 > Date.now()) {
      const known = identity.recallViewer(token)
      if (known !== undefined) return known
      setRateHeaders(reply, refused)
      throw tooManyRequests({ headers: rateLimitHeaders(refused) })
    }
    const found = identity.findViewer(token)
    const viewer = await found
    // Counts tokens that are not in memory only.
    if (viewer || !(found instanceof Promise)) return viewer
    const state = await limiter.hit(`unknown-token:${address}`, rateLimits.anonymous)
    if (state.exceeded) guesses.set(address, state)
    return null
  }

  /** Rejects a request from a blocked address before it uses the database. */
  const refuse = async (request: FastifyRequest, reply: FastifyReply, block: Error) => {
    const state = await limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
    setRateHeaders(reply, state)
    throw state.exceeded ? tooManyRequests({ headers: rateLimitHeaders(state) }) : block
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const block = isGuarded(request) ? await identity.findAddressBlock(request.ip) : undefined
    if (block) await refuse(request, reply, block)
    const token = bearerToken(request)
    const viewer = token === undefined ? null : await findViewer(token, request, reply)
    request.viewer = viewer
    if (request.caller) {
      request.caller.keys = keysOf(request, viewer)
      if (viewer) request.caller.userId = viewer.id
      else request.caller.address = request.ip
    }
    // Forbids caching of replies that depend on the viewer or follow a write.
    if (viewer || request.method !== 'GET') reply.header('Cache-Control', 'no-store')
    // The page that needs the reply was counted.
    const isInner = request.headers[INNER_HEADER] === INNER_SECRET
    const state = isInner
      ? UNCOUNTED
      : await (viewer
          ? limiter.hit(`user:${viewer.id}`, rateLimits.user)
          : limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous))
    setRateHeaders(reply, state)
    const { access = 'public' } = request.routeOptions.config
    if (!(await mayCall(access, viewer, state, identity))) throw forbidden()
    const silence = viewer && isForWriters(request) ? await identity.findSilence(viewer.id) : undefined
    if (silence) throw silence
  }
}

/** Headers of a rate-limited reply. */
export function rateLimitHeaders(state: RateState): Record<string, string | number> {
  return {
    'Retry-After': Math.max(1, Math.ceil(state.resetAt - Date.now() / 1000)),
    'X-RateLimit-Reset': state.resetAt,
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/**
 * Counts an attempt against the tighter limit of sign-in, codes and password checks (conventions-13); 429
 * beyond it. Services take this function, so that they do not depend on the request.
 */
export type CountAttempt = () => Promise<void>

type Limits = Pick<Context, 'config' | 'limiter'>

/** Keys for attempts open to guests: the address, and further ones such as `phones:7`. */
export const attemptCounter = (ctx: Limits, call: Exchange, ...keys: string[]): CountAttempt =>
  counted(ctx, call, [...keys, `ip:${addressKey(call.request.ip)}`])

/**
 * Key for a signed-in user's checks of the own password: the user only. Attempts by others on the account or
 * from the address do not count.
 */
export const ownAttemptCounter = (ctx: Limits, call: Exchange): CountAttempt =>
  counted(ctx, call, [`own:${viewerOf(call.request).id}`])

/** Counts under each key. The rate headers describe the tightest limit. */
function counted({ config, limiter }: Limits, { request, reply }: Exchange, keys: string[]): CountAttempt {
  return async () => {
    for (const key of keys) {
      const state = await limiter.hit(`sensitive:${key}`, config.rateLimits.sensitive)
      if (!request.rate || state.remaining < request.rate.remaining || state.exceeded)
        setRateHeaders(reply, state)
      if (state.exceeded) throw tooManyRequests({ headers: rateLimitHeaders(state) })
    }
  }
}

/** The payer with the payment password (conventions-29) as the body has it, valid or not. */
export type Payer = { id: number; password: unknown; countAttempt: CountAttempt }

export function payerOf(ctx: Limits, call: Exchange): Payer {
  const { password } = (call.request.body ?? {}) as { password?: unknown }
  return { id: viewerOf(call.request).id, password, countAttempt: ownAttemptCounter(ctx, call) }
}

/** Limits requests for bytes by address, because the API's limits do not cover them (files-14). */
export const limitByteRequests = (ctx: Context) => async (request: FastifyRequest) => {
  const state = await ctx.limiter.hit(`files:${addressKey(request.ip)}`, ctx.config.rateLimits.files)
  if (state.exceeded) throw tooManyRequests({ headers: rateLimitHeaders(state) })
}

/** Address to count under, and whether its client still waits. */
export type ByteRequester = { address: string; caller: RequestScope | null }

export const byteRequester = ({ ip, caller }: FastifyRequest): ByteRequester => ({
  address: addressKey(ip),
  caller,
})

/**
 * Sheds new requests once the first in the queue has waited for this share of its timeout, because they would
 * time out.
 */
const PRESSURE = 0.5

const BODIES = {
  en: JSON.stringify({ message: 'The service is not available just now. Try again soon.' }),
  zh: JSON.stringify({ message: '服务暂时不可用，请稍后再试。' }),
}

/**
 * Rejects requests under overload before any other work, because the cost of a rejection reduces the capacity
 * for the rest. Health endpoints are exempt, and preflights: browsers hide the reply after a failed one.
 */
export function shedLoad(
  server: Server,
  { sql, cors, metrics }: { sql: Pick<Sql, 'state'>; cors: CorsHeaders; metrics: Metrics },
): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
    'x-error-code': 'unavailable',
  }
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    metrics.countShed()
    const body = BODIES[/^\s*zh/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en']
    response
      .writeHead(503, {
        ...headers,
        ...cors(request.headers.origin),
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  }
  const http = server.server
  const emit = http.emit.bind(http)
  http.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request' || sql.state().pressure < PRESSURE) return emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    if (request.method === 'OPTIONS' || request.url?.startsWith('/health/')) return emit(event, ...args)
    refuse(request, response)
    return true
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is stopping, so that balancers send no new work. */
    isDraining(): boolean
  }
}

/** Time for a request on the last accepted connection to arrive. */
const ARRIVAL_MS = 200
/** Time for requests to finish. */
const LIMIT_MS = 10_000
const CHECK_MS = 50
/** Idle checks before idle connections close. */
const QUIET = 3

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Stops a server so that it completes every request that reached it. It first reports the stop (readiness,
 * and `Connection: close` on each reply), then accepts no more connections, finishes running requests, and
 * closes the rest, such as a connection with half a request. During `noticeMs` it still accepts connections, because a load
 * balancer opens them until it has seen the readiness.
 */
export function addDrain(
  server: Server,
  { metrics, log, noticeMs }: { metrics: Metrics; log: Log; noticeMs: number },
): void {
  let isDraining = false
  const sockets = new Set<Socket>()
  server.decorate('isDraining', () => isDraining)
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A connection left open after its last reply would delay the exit.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done()
  })

  const isBusy = () => metrics.requestsInFlight() > 0 || [...sockets].some((each) => each.writableLength > 0)
  /** Closes the remaining connections when all are idle, or after the limit. */
  const closeRest = async () => {
    const limit = performance.now() + LIMIT_MS
    for (let quiet = 0; quiet < QUIET && sockets.size > 0 && performance.now() < limit; ) {
      await pause(CHECK_MS)
      quiet = isBusy() ? 0 : quiet + 1
    }
    if (isBusy()) log.warn({ requests: metrics.requestsInFlight() }, 'closing connections in use')
    server.server.closeAllConnections()
  }

  server.addHook('preClose', async () => {
    isDraining = true
    if (!server.server.listening) return
    await pause(noticeMs)
    // Stops listening only. Closing the server would cut connections with a request on its way.
    NetServer.prototype.close.call(server.server)
    if (sockets.size > 0) await pause(ARRIVAL_MS)
    if (sockets.size > 0) void closeRest()
  })
}

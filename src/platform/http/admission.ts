import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Config } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import { type RequestScope, type Sql, WRITES_KEY } from '#platform/database'
import { forbidden, tooManyRequests, unauthenticated } from '#platform/errors.ts'
import type { Log, Metrics } from '#platform/observability'
import type { RateLimiter, RateState } from '#platform/processes'
import type { CorsHeaders } from './cors.ts'
import type { Server } from './instance.ts'
import { INNER_HEADER, INNER_SECRET } from './web/session.ts'

/**
 * Returns the key by which limits count a client address. IPv6 addresses count by /64, because a subscriber
 * commonly has a whole /64.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

export type Viewer = {
  id: number
  /** Id of the session that logout revokes. */
  family: string
  /** Expiry of the token on the clock of `performance.now()`. */
  expiresAt: number
}

/**
 * The reply of a `public` route does not depend on the viewer. An `optional` route treats a request with an invalid
 * token as a guest's.
 */
export type Access = 'public' | 'optional' | 'user' | { ability: string } | { anyAbility: readonly string[] }

/** Injected functions, because `platform` must not depend on modules. */
export type Identity = {
  findViewer(token: string): Promise<Viewer | null> | Viewer | null
  /** Finds a viewer in the cache only. Returns undefined on a cache miss. */
  recallViewer(token: string): Viewer | null | undefined
  hasAbility(userId: number, ability: string): Promise<boolean>
  findAddressBlock(address: string): Error | undefined | Promise<Error | undefined>
  findSilence(userId: number): Error | undefined | Promise<Error | undefined>
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
  }
  interface FastifyContextConfig {
    access?: Access
  }
}

/** Reads `Authorization: Bearer` or the query parameter `token` (conventions-21). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return /^bearer +(\S{1,512}) *$/i.exec(authorization)?.[1]
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' && token.length <= 512 ? token : undefined
}

export function viewerOf(request: FastifyRequest): Viewer {
  if (!request.viewer) throw unauthenticated()
  return request.viewer
}

export type Device = { userAgent: string; network: string }

const USER_AGENT_MAX = 200

/**
 * Returns the /24 of an IPv4 or the /48 of an IPv6 address. This prefix suffices to recognize the network
 * of an earlier sign-in.
 */
export function placeNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return ''
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString().replace(/\d+$/, '0/24')
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 3)
  return `${parts.map((part) => part.toString(16)).join(':')}::/48`
}

export const deviceOf = ({ headers, ip }: FastifyRequest): Device => ({
  userAgent: (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, ' ').slice(0, USER_AGENT_MAX),
  network: placeNetwork(ip),
})

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

function isForbiddenToSilenced({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && config.access !== 'public' && !config.whileSilenced
}

function isForbiddenToBlockedAddress({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') || url.startsWith('/api/v2/auth/')
}

function keysOf(request: FastifyRequest, viewer: Viewer | null): string[] {
  const keys = viewer ? [`user:${viewer.id}`] : []
  const { method, routeOptions } = request
  if (method !== 'GET' && method !== 'HEAD') keys.push(WRITES_KEY, `${method} ${routeOptions.url}`)
  return keys
}

export function admission(options: { config: Config; limiter: RateLimiter; identity: Identity }) {
  const { limiter, identity } = options
  const { rateLimits } = options.config
  const guesses = new LRUCache<string, RateState>({ max: 10_000 })

  /** Limits requests with unknown tokens per client address, so that attackers cannot guess tokens. */
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
    // A cached result is not a promise. The rate limiter counted the token on the cache miss.
    if (viewer || !(found instanceof Promise)) return viewer
    const state = await limiter.hit(`unknown-token:${address}`, rateLimits.anonymous)
    if (state.exceeded) guesses.set(address, state)
    return null
  }

  const rejectBlocked = async (request: FastifyRequest, reply: FastifyReply, block: Error) => {
    const state = await limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
    setRateHeaders(reply, state)
    throw state.exceeded ? tooManyRequests({ headers: rateLimitHeaders(state) }) : block
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const block = isForbiddenToBlockedAddress(request)
      ? await identity.findAddressBlock(request.ip)
      : undefined
    if (block) await rejectBlocked(request, reply, block)
    const token = bearerToken(request)
    const viewer = token === undefined ? null : await findViewer(token, request, reply)
    request.viewer = viewer
    if (request.caller) {
      request.caller.keys = keysOf(request, viewer)
      if (viewer) request.caller.userId = viewer.id
      else request.caller.address = request.ip
    }
    if (viewer || request.method !== 'GET') reply.header('Cache-Control', 'no-store')
    // Skips the rate limit for inner requests that render a guest's page of the site, because the browser's
    // request was counted.
    const isInner = request.headers[INNER_HEADER] === INNER_SECRET
    const state = isInner
      ? UNCOUNTED
      : await (viewer
          ? limiter.hit(`user:${viewer.id}`, rateLimits.user)
          : limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous))
    setRateHeaders(reply, state)
    const { access = 'public' } = request.routeOptions.config
    if (!(await mayCall(access, viewer, state, identity))) throw forbidden()
    const silence =
      viewer && isForbiddenToSilenced(request) ? await identity.findSilence(viewer.id) : undefined
    if (silence) throw silence
  }
}

export function rateLimitHeaders(state: RateState): Record<string, string | number> {
  return {
    'Retry-After': Math.max(1, Math.ceil(state.resetAt - Date.now() / 1000)),
    'X-RateLimit-Reset': state.resetAt,
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/**
 * Counts an attempt to sign in or to enter a code or password. Throws 429 when the caller exceeds the limit
 * (conventions-13).
 */
export type CountAttempt = () => Promise<void>

type Limits = Pick<Context, 'config' | 'limiter'>

export const attemptCounter = (ctx: Limits, call: Exchange, ...keys: string[]): CountAttempt =>
  counted(ctx, call, [...keys, `ip:${addressKey(call.request.ip)}`])

/** Counts by user alone. Otherwise other clients on the same network could use up a user's attempts. */
export const ownAttemptCounter = (ctx: Limits, call: Exchange): CountAttempt =>
  counted(ctx, call, [`own:${viewerOf(call.request).id}`])

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

/** A payer with the unvalidated payment password of the request (conventions-29). */
export type Payer = { id: number; password: unknown; countAttempt: CountAttempt }

export function payerOf(ctx: Limits, call: Exchange): Payer {
  const { password } = (call.request.body ?? {}) as { password?: unknown }
  return { id: viewerOf(call.request).id, password, countAttempt: ownAttemptCounter(ctx, call) }
}

/**
 * Limits requests to `/storage` by client address, because the rate limit of `/api/v2` does not apply there
 * (files-14).
 */
export const limitByteRequests = (ctx: Context) => async (request: FastifyRequest) => {
  const state = await ctx.limiter.hit(`files:${addressKey(request.ip)}`, ctx.config.rateLimits.files)
  if (state.exceeded) throw tooManyRequests({ headers: rateLimitHeaders(state) })
}

export type ByteRequester = { address: string; caller: RequestScope | null }

export const byteRequester = ({ ip, caller }: FastifyRequest): ByteRequester => ({
  address: addressKey(ip),
  caller,
})

/**
 * The server sheds new requests when the first queued request has waited for this fraction of its timeout.
 */
const PRESSURE = 0.5

const BODIES = {
  en: JSON.stringify({ message: 'The service is temporarily unavailable. Try again soon.' }),
  zh: JSON.stringify({ message: '服务暂时不可用，请稍后再试。' }),
}

/**
 * Rejects requests under overload before any hook runs, to save capacity. Health checks pass. Preflights pass,
 * because browsers hide the 503 when the preflight failed.
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
    isDraining(): boolean
  }
}

/** Milliseconds to wait for a first request on the last accepted connection. */
const ARRIVAL_MS = 200
const FINISH_TIMEOUT_MS = 10_000
const CHECK_MS = 50
const IDLE_CHECKS = 3

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Stops a server without failing requests that reached it. Accepts connections during `noticeMs`, because a
 * load balancer opens new connections until it notices the failed readiness check.
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
  // Asks clients to close their connections, because open ones would delay the exit.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done()
  })

  const isBusy = () => metrics.requestsInFlight() > 0 || [...sockets].some((each) => each.writableLength > 0)
  const closeRest = async () => {
    const limit = performance.now() + FINISH_TIMEOUT_MS
    for (let quiet = 0; quiet < IDLE_CHECKS && sockets.size > 0 && performance.now() < limit; ) {
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
    // Stops listening only. `server.close()` would also cut idle connections with a request in transit.
    NetServer.prototype.close.call(server.server)
    if (sockets.size > 0) await pause(ARRIVAL_MS)
    if (sockets.size > 0) void closeRest()
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { type RequestScope, WRITES_KEY } from '#platform/database'
import { forbidden, tooManyRequests, unauthenticated } from '#platform/errors.ts'
import type { RateState } from '#platform/processes'

/** Returns the network of an IPv6 address as its first `groups` groups of 16 bits. */
function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, groups: number): string {
  const parts = (address as ipaddr.IPv6).parts.slice(0, groups)
  return `${parts.map((part) => part.toString(16)).join(':')}::/${groups * 16}`
}

/**
 * Returns the key by which limits count a client address. IPv6 addresses count by /64, because a subscriber
 * commonly has a whole /64. A client that has closed its connection has no address.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return ''
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(parsed, 4)
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
    rate: RateState | null
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
  return parsed.kind() === 'ipv4' ? parsed.toString().replace(/\d+$/, '0/24') : networkOf(parsed, 3)
}

export const deviceOf = ({ headers, ip }: FastifyRequest): Device => ({
  userAgent: (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, ' ').slice(0, USER_AGENT_MAX),
  network: placeNetwork(ip),
})

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
  if (state.exceeded) throw rateExceeded(state)
  if (typeof access !== 'object') return true
  const { id } = viewer as Viewer
  if ('ability' in access) return identity.hasAbility(id, access.ability)
  for (const ability of access.anyAbility) if (await identity.hasAbility(id, ability)) return true
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

export function admission({
  config: { rateLimits },
  limiter,
  identity,
}: Pick<Context, 'config' | 'limiter'> & { identity: Identity }) {
  const guesses = new LRUCache<string, RateState>({ max: 10_000 })

  /** Limits requests with unknown tokens per client address, so that attackers cannot guess tokens. */
  const findViewer = async (token: string, request: FastifyRequest, reply: FastifyReply) => {
    const address = addressKey(request.ip)
    const refused = guesses.get(address)
    if (refused) {
      const known = identity.recallViewer(token)
      if (known !== undefined) return known
      setRateHeaders(reply, refused)
      throw rateExceeded(refused)
    }
    const found = identity.findViewer(token)
    const viewer = await found
    // A cached result is not a promise. The rate limiter counted the token on the cache miss.
    if (viewer || !(found instanceof Promise)) return viewer
    const state = await limiter.hit(`unknown-token:${address}`, rateLimits.anonymous)
    const left = state.resetAt * 1000 - Date.now()
    // Expires by a monotonic clock. The clock of the machine may be set back, which would prolong the refusal.
    if (state.exceeded && left > 0) guesses.set(address, state, { ttl: Math.ceil(left) })
    return null
  }

  const rejectBlocked = async (request: FastifyRequest, reply: FastifyReply, block: Error) => {
    const state = await limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
    setRateHeaders(reply, state)
    throw state.exceeded ? rateExceeded(state) : block
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
    // request was counted. Pages with a token are counted here, also when the token is forged.
    const state = viewer
      ? await limiter.hit(`user:${viewer.id}`, rateLimits.user)
      : token === undefined && request.isInner
        ? UNCOUNTED
        : await limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
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

export const rateExceeded = (state: RateState) => tooManyRequests({ headers: rateLimitHeaders(state) })

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
      if (state.exceeded) throw rateExceeded(state)
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
  if (state.exceeded) throw rateExceeded(state)
}

export type ByteRequester = { address: string; caller: RequestScope | null }

export const byteRequester = ({ ip, caller }: FastifyRequest): ByteRequester => ({
  address: addressKey(ip),
  caller,
})

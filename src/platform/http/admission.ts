import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Config } from '#platform/config.ts'
import { forbidden, tooManyRequests, unauthenticated } from '#platform/errors.ts'
import { addressKey } from '#platform/http/address.ts'
import type { RateLimiter, RateState } from '#platform/rate-limit.ts'
import { type Access, bearerToken, type Identity, type Viewer } from './viewer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    rate: RateState | null
  }
}

/** Puts the state of a limit into the headers of the reply. */
export function tellRate(reply: FastifyReply, state: RateState): void {
  reply.request.rate = state
  reply.header('X-RateLimit-Limit', state.limit).header('X-RateLimit-Remaining', state.remaining)
}

/** Whether somebody may go on: the answer, or a promise of it where it has to be looked up. */
function mayCall(
  access: Access,
  viewer: Viewer | null,
  state: RateState,
  identity: Identity,
): boolean | Promise<boolean> {
  if (access !== 'public' && access !== 'optional' && !viewer)
    throw unauthenticated({ headers: { 'WWW-Authenticate': 'Bearer' } })
  if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
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

/** Whether the request is one that whoever may only read may not make. */
function isForWriters({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && config.access !== 'public' && !config.whileSilenced
}

/** Whether the request is one that nobody may make from a blocked address: a change, or anything about signing in. */
function isGuarded({ method, routeOptions: { url = '' } }: FastifyRequest): boolean {
  return (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') || url.startsWith('/api/v2/auth/')
}

/**
 * What the statements of a request are counted under: the account, and for what may wait for a row that others change too
 * the operation.
 */
function keysOf(request: FastifyRequest, viewer: Viewer | null): string[] {
  const keys = viewer ? [`user:${viewer.id}`] : []
  const { method, routeOptions } = request
  if (method !== 'GET' && method !== 'HEAD') keys.push(`${method} ${routeOptions.url}`)
  return keys
}

/** The hook that finds out who asks, counts the request and refuses those who may not call the route. */
export function admission(options: { config: Config; limiter: RateLimiter; identity: Identity }) {
  const { limiter, identity } = options
  const { rateLimits } = options.config
  const guesses = new LRUCache<string, RateState>({ max: 10_000 })

  /** The viewer of a token; an address that has sent too many unknown ones is refused before another is looked up. */
  const findViewer = (token: string, request: FastifyRequest, reply: FastifyReply) => {
    const address = addressKey(request.ip)
    const refused = guesses.get(address)
    if (refused && refused.resetAt * 1000 > Date.now()) {
      const known = identity.recallViewer(token)
      if (known !== undefined) return known
      tellRate(reply, refused)
      throw tooManyRequests({ headers: limitHeaders(refused) })
    }
    const found = identity.findViewer(token)
    if (!(found instanceof Promise)) return found
    return found.then(async (viewer) => {
      if (viewer) return viewer
      const state = await limiter.hit(`unknown-token:${address}`, rateLimits.anonymous)
      if (state.exceeded) guesses.set(address, state)
      return null
    })
  }

  /** Refuses a request from a blocked address, before anything of it reaches the database. */
  const refuse = async (request: FastifyRequest, reply: FastifyReply, block: Error) => {
    const state = await limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
    tellRate(reply, state)
    throw state.exceeded ? tooManyRequests({ headers: limitHeaders(state) }) : block
  }

  const admitRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const count = (viewer: Viewer | null) => {
      request.viewer = viewer
      if (request.caller) {
        request.caller.keys = keysOf(request, viewer)
        if (viewer) request.caller.userId = viewer.id
        else request.caller.address = request.ip
      }
      // What depends on who asks, or was told to a sender, is kept by nobody on the way.
      if (viewer || request.method !== 'GET') reply.header('Cache-Control', 'no-store')
      return viewer
        ? limiter.hit(`user:${viewer.id}`, rateLimits.user)
        : limiter.hit(`ip:${addressKey(request.ip)}`, rateLimits.anonymous)
    }
    const admit = (state: RateState) => {
      tellRate(reply, state)
      return mayCall(request.routeOptions.config.access ?? 'public', request.viewer, state, identity)
    }
    const finish = (allowed: boolean) => {
      if (!allowed) return done(forbidden())
      if (!request.viewer || !isForWriters(request)) return done()
      const silence = identity.findSilence(request.viewer.id)
      if (silence instanceof Promise) silence.then(done, done)
      else done(silence)
    }
    let allowed: boolean | Promise<boolean>
    try {
      const token = bearerToken(request)
      const found = token === undefined ? null : findViewer(token, request, reply)
      // Token and limit are in memory in the usual case, and then nothing is waited for.
      const state = found instanceof Promise ? found.then(count) : count(found)
      allowed = state instanceof Promise ? state.then(admit) : admit(state)
    } catch (error) {
      return done(error as Error)
    }
    if (allowed instanceof Promise) allowed.then(finish, done)
    else finish(allowed)
  }

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const decide = (block: Error | undefined) => {
      if (block) refuse(request, reply, block).catch(done)
      else admitRequest(request, reply, done)
    }
    const block = isGuarded(request) ? identity.findAddressBlock(request.ip) : undefined
    if (block instanceof Promise) block.then(decide, done)
    else decide(block)
  }
}

/** The headers of a refusal for too many requests. */
export function limitHeaders(state: RateState): Record<string, string | number> {
  return {
    'Retry-After': Math.max(1, Math.ceil(state.resetAt - Date.now() / 1000)),
    'X-RateLimit-Reset': state.resetAt,
  }
}

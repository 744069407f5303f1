import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { unauthenticated } from '#platform/errors.ts'

/**
 * Normalizes a client address for rate limits. A connection commonly has a whole /64 of IPv6, so its
 * addresses count as one. An IPv4-mapped address counts as IPv4.
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

/** The viewer: a user with a valid token. */
export type Viewer = {
  id: number
  /** Token family of this sign-in, which logout revokes. */
  family: string
  /** Expiry of the token by `performance.now()`, a monotonic clock. */
  expiresAt: number
}

/**
 * Access to a route. `public`: identity is not read. `optional`: a valid token identifies the viewer and an
 * invalid one counts as none. `user`: a token is required. An object: a token of a user with that ability, or
 * with one of several.
 */
export type Access = 'public' | 'optional' | 'user' | { ability: string } | { anyAbility: readonly string[] }

/** Functions injected into http, which knows neither tokens nor abilities. */
export type Identity = {
  findViewer(token: string): Promise<Viewer | null> | Viewer | null
  /** The same from memory only; undefined on a cache miss. */
  recallViewer(token: string): Viewer | null | undefined
  hasAbility(userId: number, ability: string): Promise<boolean>
  /** Returns why an address is blocked, if it is. */
  findAddressBlock(address: string): Error | undefined | Promise<Error | undefined>
  /** Returns why a user is silenced, if they are. */
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

/** `Authorization: Bearer`, or the query parameter `token` (conventions-21). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return /^bearer +(\S{1,512}) *$/i.exec(authorization)?.[1]
  const { token } = request.query as { token?: unknown }
  return typeof token === 'string' && token.length <= 512 ? token : undefined
}

/** The signed-in user. Only for routes with `access: 'user'` or an ability. */
export function viewerOf(request: FastifyRequest): Viewer {
  if (!request.viewer) throw unauthenticated()
  return request.viewer
}

/** Client name and network of a request. */
export type Device = { userAgent: string; network: string }

const USER_AGENT_MAX = 200

/**
 * The network of an address: three of four IPv4 numbers, or the first 48 bits of IPv6. Enough to recognise a
 * place.
 */
export function placeNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return ''
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString().replace(/\d+$/, '0/24')
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 3)
  return `${parts.map((part) => part.toString(16)).join(':')}::/48`
}

/** Returns the device of a request. The client name is truncated and not validated. */
export const deviceOf = ({ headers, ip }: FastifyRequest): Device => ({
  userAgent: (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, ' ').slice(0, USER_AGENT_MAX),
  network: placeNetwork(ip),
})

import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { unauthenticated } from '#platform/errors.ts'

/**
 * Normalizes a client address for rate limits. IPv6 addresses count by /64, because a subscriber commonly has
 * a whole /64.
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
  /** Id of the session, which logout revokes. */
  family: string
  /** Expiry of the token on the clock of `performance.now()`. */
  expiresAt: number
}

/** `public` ignores tokens. `optional` treats an invalid token as a guest. */
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

/** Returns the /24 of an IPv4 or the /48 of an IPv6 address, which is enough to recognise a location. */
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

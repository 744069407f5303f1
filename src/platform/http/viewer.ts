import type { FastifyRequest } from 'fastify'
import { unauthenticated } from '#platform/errors.ts'

/** Who is asking: a person with a valid token. */
export type Viewer = {
  id: number
  /** The token family of this sign-in, which logout revokes. */
  family: string
  /** When the token stops being good, by `performance.now()`: a clock that nobody sets. */
  expiresAt: number
}

/**
 * Who may call a route. `public`: no identity is read. `optional`: a valid token changes the answer and an invalid one
 * is treated as none. `user`: a token is needed. An object: a token of a holder of that ability, or of any of those.
 */
export type Access = 'public' | 'optional' | 'user' | { ability: string } | { anyAbility: readonly string[] }

/** What the modules below http supply: it knows neither tokens nor abilities. */
export type Identity = {
  findViewer(token: string): Promise<Viewer | null> | Viewer | null
  /** The same from memory alone; undefined where that does not know. */
  recallViewer(token: string): Viewer | null | undefined
  hasAbility(userId: number, ability: string): Promise<boolean>
  /** Why nothing is taken from an address now, if so. */
  findAddressBlock(address: string): Error | undefined | Promise<Error | undefined>
  /** Why somebody may only read now, if so. */
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

/** The signed-in person; routes that call this say `access: 'user'` or name an ability. */
export function viewerOf(request: FastifyRequest): Viewer {
  if (!request.viewer) throw unauthenticated()
  return request.viewer
}

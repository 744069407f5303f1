import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

export const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Error-Code',
  'Retry-After',
  'Idempotency-Replayed',
].join(', ')

/** Returns the CORS headers of a reply to a request with this `Origin`. */
export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/**
 * Makes the headers that `@fastify/cors` sends, for replies outside its hook: those of an overloaded server
 * and those to requests that cannot be read. Without them browsers report a network error.
 */
export function corsHeaders(origins: readonly string[]): CorsHeaders {
  const exposed = { 'Access-Control-Expose-Headers': EXPOSED }
  if (origins.includes('*')) return () => ({ 'Access-Control-Allow-Origin': '*', ...exposed })
  return (origin) => ({
    Vary: 'Origin',
    ...(origin !== undefined && origins.includes(origin) ? { 'Access-Control-Allow-Origin': origin } : {}),
    ...exposed,
  })
}

/**
 * Returns the `Origin` of a request that Node's parser rejected: of the request whose body it was reading, or
 * from the bytes of the head, when they arrived at once.
 */
export function originOf(error: Error & { rawPacket?: Buffer }, socket: Socket): string | undefined {
  const { _httpMessage: reading } = socket as { _httpMessage?: ServerResponse<IncomingMessage> | null }
  const headers: IncomingHttpHeaders | undefined = reading?.req.headers
  if (headers) return headers.origin
  return /\r\nOrigin: *([^\s]+)\r\n/i.exec(error.rawPacket?.toString('latin1') ?? '')?.[1]
}

/** Adds to `Vary` and keeps what other hooks have set, such as `Origin`. */
export function addVary(reply: FastifyReply, names: string): FastifyReply {
  const others = reply.getHeader('vary')
  return reply.header('Vary', others === undefined ? names : `${others}, ${names}`)
}

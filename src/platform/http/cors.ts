import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Error-Code',
  'Retry-After',
  'Idempotency-Replayed',
].join(', ')

export type CorsHeaders = (origin: string | undefined) => Record<string, string>

/**
 * Returns the headers that `@fastify/cors` would add, for replies sent outside its hook. Without these
 * headers, browsers report a network error instead of the reply.
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
 * Returns the `Origin` of a request that is rejected on its socket, from the parsed headers or else from the raw
 * packet.
 */
export function originOf({ rawPacket }: { rawPacket?: unknown }, socket: Socket): string | undefined {
  const { _httpMessage: reading } = socket as { _httpMessage?: ServerResponse<IncomingMessage> | null }
  const headers: IncomingHttpHeaders | undefined = reading?.req.headers
  if (headers) return headers.origin
  const packet = (rawPacket as Buffer | undefined)?.toString('latin1') ?? ''
  return /\r\nOrigin: *([^\s]+)\r\n/i.exec(packet)?.[1]
}

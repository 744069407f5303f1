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

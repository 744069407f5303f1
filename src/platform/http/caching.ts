import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import Negotiator from 'negotiator'
import { addVary } from './cors.ts'
import type { Server } from './instance.ts'

export type Encoding = 'zstd' | 'br' | 'gzip'

/** Cheapest encoding first, for clients without a preference. */
const PREFERRED: readonly Encoding[] = ['zstd', 'br', 'gzip']
const AVAILABLE = [...PREFERRED, 'identity']

/** The types of `negotiator` lack the `preferred` option. */
type WithPreference = Negotiator & {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

export const COMPRESSED_FROM = 1024

const EFFORT = { zstd: 1, br: 3, gzip: 1 }

/** Compresses synchronously, because a thread switch costs more for replies of a few kilobytes. */
export function compress(bytes: Buffer | string, encoding: Encoding): Buffer {
  const level = EFFORT[encoding]
  switch (encoding) {
    case 'zstd':
      return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } })
    case 'br':
      return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
    case 'gzip':
      return gzipSync(bytes, { level })
  }
}

export function encodingFor(accepts: string | undefined): Encoding | undefined {
  if (accepts === undefined) return undefined
  const client = new Negotiator({ headers: { 'accept-encoding': accepts } }) as WithPreference
  const encoding = client.encoding(AVAILABLE, { preferred: PREFERRED })
  return encoding === 'identity' ? undefined : (encoding as Encoding | undefined)
}

export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const plain = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === plain)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The reply depends on `Accept-Language`. */
    isTranslated: boolean
  }
  interface FastifyContextConfig {
    /** Marks a reply that is the same for all guests, so that shared caches may store and revalidate it. */
    isShared?: true
  }
}

const TAG_LENGTH = 20

/** Returns a weak ETag, which is valid for every content encoding of the body. */
export const etagOf = (body: Buffer | string): string =>
  `W/"${hash('sha1', body, 'base64url').slice(0, TAG_LENGTH)}"`

const VARIES = 'Accept-Encoding, Authorization'

/**
 * Adds cache headers, 304 replies and compression to API replies (conventions-37). Buffers and streams pass
 * unchanged.
 */
export function addCaching(server: Server, api: string): void {
  server.decorateRequest('isTranslated', false)
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!request.url.startsWith(api)) return done(null, payload)
    const { statusCode } = reply
    const varies = request.isTranslated ? `${VARIES}, Accept-Language` : VARIES
    addVary(reply, varies)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && (statusCode === 200 || statusCode === 304) && !reply.hasHeader('cache-control'))
      reply.header('Cache-Control', request.routeOptions.config.isShared ? 'public, no-cache' : 'no-cache')
    if (typeof payload !== 'string') return done(null, payload)
    const isLong = payload.length >= COMPRESSED_FROM
    // Encodes a long text once. Otherwise the tag, the length and the socket would each encode it.
    const body = isLong ? Buffer.from(payload) : payload
    if (isRead && statusCode === 200 && !reply.hasHeader('etag')) {
      const tag = etagOf(body)
      reply.header('ETag', tag)
      if (hasAlready(request.headers['if-none-match'], tag)) {
        reply.code(304)
        return done(null, '')
      }
    }
    const accepts = request.headers['accept-encoding']
    const encoding =
      !isLong || typeof accepts !== 'string' || reply.hasHeader('content-encoding')
        ? undefined
        : encodingFor(accepts)
    if (!encoding) return done(null, body)
    reply.header('Content-Encoding', encoding)
    done(null, compress(body, encoding))
  })
}

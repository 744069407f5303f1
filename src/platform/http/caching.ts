import type { Server } from '#platform/http.ts'
import { tagOf } from '#platform/pages/page.ts'
import { COMPRESSED_FROM, compress, encodingFor, hasAlready } from './encoding.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The reply is in the language of whoever asks. */
    isTranslated: boolean
  }
  interface FastifyContextConfig {
    /** Replies to guests are kept here, and may be by others that ask whether they are still good. */
    isKept?: true
  }
}

/** What a reply of the API depends on beside its address. */
const VARIES = 'Accept-Encoding, Authorization'

/**
 * Tells caches and clients what they may do with a reply, saves what the client has already, and compresses texts. Files
 * and streams are not texts and go as they are; what was kept comes with its tag and its encodings (conventions-37).
 */
export function tellCaches(server: Server, api: string): void {
  server.decorateRequest('isTranslated', false)
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!request.url.startsWith(api)) return done(null, payload)
    const { statusCode } = reply
    const varies = request.isTranslated ? `${VARIES}, Accept-Language` : VARIES
    const others = reply.getHeader('vary')
    reply.header('Vary', others === undefined ? varies : `${others}, ${varies}`)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && (statusCode === 200 || statusCode === 304) && !reply.hasHeader('cache-control'))
      reply.header('Cache-Control', request.routeOptions.config.isKept ? 'public, no-cache' : 'no-cache')
    if (typeof payload !== 'string') return done(null, payload)
    if (isRead && statusCode === 200 && !reply.hasHeader('etag')) {
      const tag = tagOf(payload)
      reply.header('ETag', tag)
      if (hasAlready(request.headers['if-none-match'], tag)) {
        reply.code(304)
        return done(null, '')
      }
    }
    const accepts = request.headers['accept-encoding']
    const encoding =
      payload.length < COMPRESSED_FROM || typeof accepts !== 'string' || reply.hasHeader('content-encoding')
        ? undefined
        : encodingFor(accepts)
    if (!encoding) return done(null, payload)
    reply.header('Content-Encoding', encoding)
    done(null, compress(payload, encoding, 'once'))
  })
}

import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { tooManyRequests } from '#platform/errors.ts'
import { type CorsHeaders, originOf } from './cors.ts'
import { unavailableText } from './error-reply.ts'

function parserError(code: string): { status: number; code: string; message: string; retryAfter?: number } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, code: 'headers_too_large', message: 'The headers are too large.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'request_timeout', message: 'The request took too long to arrive.' }
  if (code === 'BODIES_OF_ADDRESS')
    return { status: 429, code: 'too_many_requests', message: tooManyRequests.text.en, retryAfter: 5 }
  if (code === 'BODIES_OF_ALL')
    return { status: 503, code: 'unavailable', message: unavailableText.en, retryAfter: 1 }
  return { status: 400, code: 'bad_request', message: 'The request could not be read.' }
}

/**
 * Replies to requests that Node could not parse. The text is in English, because no hook has read the
 * client's language.
 */
export const refuseUnreadable =
  (corsHeaders: CorsHeaders) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    const cors = corsHeaders(originOf(error, socket))
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { status, code, message, retryAfter } = parserError(error.code ?? '')
    const body = JSON.stringify({ message })
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Error-Code: ${code}`,
      `X-Request-Id: ${randomBytes(9).toString('base64url')}`,
      ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
      ...Object.entries(cors).map(([name, value]) => `${name}: ${value}`),
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }

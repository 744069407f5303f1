import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { badRequest, tooManyRequests } from '#platform/errors.ts'
import { type CorsHeaders, originOf } from './cors.ts'
import { unavailable } from './error-reply.ts'

type Refusal = [status: number, code: string, message: string, retryAfter?: number]

const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive.'],
  BODIES_OF_ADDRESS: [429, tooManyRequests.code, tooManyRequests.text.en, 5],
  BODIES_OF_ALL: [503, unavailable.code, unavailable.text.en, 1],
}
const UNREADABLE: Refusal = [400, badRequest.code, badRequest.text.en]

export type Refuse = (error: { code?: string; rawPacket?: unknown }, socket: Socket) => void

/**
 * Replies to requests that Node could not parse, and to requests whose body stalls or exceeds a limit. The text is
 * in English, because a request that Node could not parse names no language.
 */
export const refuseUnreadable =
  (corsHeaders: CorsHeaders): Refuse =>
  (error, socket) => {
    const cors = corsHeaders(originOf(error, socket))
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, code, message, retryAfter] = REFUSALS[error.code ?? ''] ?? UNREADABLE
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

import { randomBytes } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { badRequest, tooManyRequests } from '#platform/errors.ts'
import type { CorsHeaders } from './cors.ts'
import { unavailable } from './error-reply.ts'

type Refusal = [status: number, code: string, message: string, retryAfter?: number]

const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive.'],
  BODIES_OF_ADDRESS: [429, tooManyRequests.code, tooManyRequests.text.en, 5],
  BODIES_OF_ALL: [503, unavailable.code, unavailable.text.en, 1],
}
const UNREADABLE: Refusal = [400, badRequest.code, badRequest.text.en]

type Refused = { code?: string; rawPacket?: unknown }

export type Refuse = (error: Refused, socket: Socket) => void

/**
 * Returns the `Origin` of a request that is rejected on its socket, from the parsed headers or else from the raw
 * packet.
 */
function originOf({ rawPacket }: Refused, socket: Socket): string | undefined {
  const { _httpMessage: reading } = socket as { _httpMessage?: { req: IncomingMessage } | null }
  if (reading) return reading.req.headers.origin
  const packet = (rawPacket as Buffer | undefined)?.toString('latin1') ?? ''
  return /\r\nOrigin: *([^\s]+)\r\n/i.exec(packet)?.[1]
}

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

import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { RateState } from '#platform/rate-limit.ts'

/** What Node's parser complains of, told apart as far as clients can do something about it. */
function told(code: string): { status: number; code: string; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, code: 'headers_too_large', message: 'The headers are too large.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'request_timeout', message: 'The request took too long to arrive.' }
  return { status: 400, code: 'bad_request', message: 'The request could not be read.' }
}

/**
 * Answers what is not even HTTP, in the form of every other error. Nothing is known of such a request but the address
 * it came from, so the answer is in English.
 */
export function refuseUnreadable(rate: (address: string) => RateState | Promise<RateState>) {
  return async (error: Error & { code?: string }, socket: Socket): Promise<void> => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const { limit, remaining } = await rate(socket.remoteAddress ?? '')
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const { status, code, message } = told(error.code ?? '')
    const body = JSON.stringify({ message })
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Error-Code: ${code}`,
      `X-Request-Id: ${randomBytes(9).toString('base64url')}`,
      `X-RateLimit-Limit: ${limit}`,
      `X-RateLimit-Remaining: ${remaining}`,
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from '#platform/http.ts'

type Reading = { request: FastifyRequest; bytes: number; since: number }

/** Whether something of the body is still to come; requests that tests inject have no connection. */
const awaitsBody = ({ headers, raw }: FastifyRequest): boolean =>
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) &&
  !raw.complete &&
  raw.socket.bytesRead !== undefined

/**
 * Ends requests whose body has stopped arriving for `idleMs`, with what `refuse` answers. Slow uploads that go on arriving
 * have the server's whole request timeout.
 */
export function endStalledBodies(
  server: Server,
  idleMs: number,
  refuse: (error: Error & { code?: string }, socket: FastifyRequest['raw']['socket']) => void,
): void {
  const readings = new Set<Reading>()
  const timer = setInterval(() => {
    const now = Date.now()
    for (const reading of readings) {
      const { raw } = reading.request
      if (raw.socket.bytesRead !== reading.bytes) {
        reading.bytes = raw.socket.bytesRead
        reading.since = now
      } else if (now - reading.since >= idleMs) {
        readings.delete(reading)
        refuse(Object.assign(new Error('the body stopped'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
      }
    }
  }, idleMs / 4).unref()
  server.addHook('onClose', async () => clearInterval(timer))
  server.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, done) => {
    const { raw } = request
    if (awaitsBody(request)) {
      const reading = { request, bytes: raw.socket.bytesRead, since: Date.now() }
      readings.add(reading)
      for (const event of ['end', 'close']) raw.once(event, () => readings.delete(reading))
    }
    done()
  })
}

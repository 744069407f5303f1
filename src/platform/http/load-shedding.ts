import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '#platform/database'
import type { Log, Metrics } from '#platform/observability'
import type { CorsHeaders } from './cors.ts'
import { unavailable } from './error-reply.ts'
import type { Server } from './instance.ts'

/**
 * The server sheds new requests when the first queued request has waited for this fraction of its timeout.
 */
const PRESSURE = 0.5

const BODIES = {
  en: JSON.stringify({ message: unavailable.text.en }),
  zh: JSON.stringify({ message: unavailable.text.zh }),
}

/**
 * Rejects requests under overload before any hook runs, to save capacity. Health checks pass. Preflights pass,
 * because browsers hide the 503 when the preflight failed.
 */
export function shedLoad(
  server: Server,
  { sql, cors, metrics }: { sql: Pick<Sql, 'state'>; cors: CorsHeaders; metrics: Metrics },
): void {
  const http = server.server
  const emit = http.emit.bind(http)
  http.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request' || sql.state().pressure < PRESSURE) return emit(event, ...args)
    const [request, response] = args as [IncomingMessage, ServerResponse]
    if (request.method === 'OPTIONS' || request.url?.startsWith('/health/')) return emit(event, ...args)
    metrics.countShed()
    const body = BODIES[/^\s*zh/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en']
    response
      .writeHead(503, {
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '1',
        'x-error-code': unavailable.code,
        ...cors(request.headers.origin),
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
    return true
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    isDraining(): boolean
  }
}

/** Milliseconds to wait for a first request on the last accepted connection. */
const ARRIVAL_MS = 200
const FINISH_TIMEOUT_MS = 10_000
const CHECK_MS = 50
const IDLE_CHECKS = 3

/**
 * Stops a server without failing requests that reached it. Accepts connections during `noticeMs`, because a
 * load balancer opens new connections until it notices the failed readiness check.
 */
export function addDrain(
  server: Server,
  { metrics, log, noticeMs }: { metrics: Metrics; log: Log; noticeMs: number },
): void {
  let isDraining = false
  const sockets = new Set<Socket>()
  server.decorate('isDraining', () => isDraining)
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Asks clients to close their connections, because open ones would delay the exit.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done()
  })

  const isBusy = () => metrics.requestsInFlight() > 0 || [...sockets].some((each) => each.writableLength > 0)
  const closeRest = async () => {
    const limit = performance.now() + FINISH_TIMEOUT_MS
    for (let quiet = 0; quiet < IDLE_CHECKS && sockets.size > 0 && performance.now() < limit; ) {
      await pause(CHECK_MS)
      quiet = isBusy() ? 0 : quiet + 1
    }
    if (isBusy()) log.warn({ requests: metrics.requestsInFlight() }, 'closing connections in use')
    server.server.closeAllConnections()
  }

  server.addHook('preClose', async () => {
    isDraining = true
    if (!server.server.listening) return
    await pause(noticeMs)
    // Stops listening only. `server.close()` would also cut idle connections with a request in transit.
    NetServer.prototype.close.call(server.server)
    if (sockets.size > 0) await pause(ARRIVAL_MS)
    if (sockets.size > 0) void closeRest()
  })
}

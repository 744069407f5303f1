import { Server as NetServer, type Socket } from 'node:net'
import type { Server } from '#platform/http.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to stop: no new work should be sent to it. */
    isDraining(): boolean
    /** Stops the server while others of this machine go on: as a whole the node stays ready. */
    retire(): Promise<void>
  }
}

/** How long the server goes on taking connections after it has begun to say that it is about to stop. */
const NOTICE_MS = 300
/** How long after the last connection was taken a request on it may need to arrive. */
const ARRIVAL_MS = 200
/** How long requests may take to end. */
const LIMIT_MS = 10_000
const CHECK_MS = 50
/** How many looks find nothing under way before idle connections are closed; who retires has time to tell each of them. */
const QUIET = { stopping: 3, retiring: 100 }

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Stops a server so that every request that reached it is answered: it says first that it stops (readiness, and
 * `Connection: close` on each reply), then takes no more connections, ends what is under way, and at last closes what is
 * still open, such as a connection on which half a request arrived.
 */
export function addDrain(server: Server, { metrics, log }: { metrics: Metrics; log: Log }): void {
  let isDraining = false
  let isRetiring = false
  const sockets = new Set<Socket>()
  server.decorate('isDraining', () => isDraining && !isRetiring)
  server.decorate('retire', async () => {
    isRetiring = true
    await server.close()
  })
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A connection that stayed open after its last answer would hold up the end of the process.
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining) reply.header('Connection', 'close')
    done()
  })

  const isBusy = () => metrics.requestsInFlight() > 0 || [...sockets].some((each) => each.writableLength > 0)
  /** Closes what is left once nothing is under way, or after the limit. */
  const closeRest = async () => {
    const limit = performance.now() + LIMIT_MS
    const enough = isRetiring ? QUIET.retiring : QUIET.stopping
    for (let quiet = 0; quiet < enough && sockets.size > 0 && performance.now() < limit; ) {
      await pause(CHECK_MS)
      quiet = isBusy() ? 0 : quiet + 1
    }
    if (isBusy()) log.warn({ requests: metrics.requestsInFlight() }, 'closing connections in use')
    server.server.closeAllConnections()
  }

  server.addHook('preClose', async () => {
    isDraining = true
    if (!server.server.listening) return
    if (sockets.size > 0 && !isRetiring) await pause(NOTICE_MS)
    // Only the listening ends here: closing the server would also cut connections whose next request is on its way.
    NetServer.prototype.close.call(server.server)
    if (sockets.size > 0) await pause(ARRIVAL_MS)
    if (sockets.size > 0) void closeRest()
  })
}

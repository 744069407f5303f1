import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Int, MAX_ID, Type } from '#platform/schema.ts'
import { createHub } from './hub.ts'

const tooManyStreams = apiError(
  503,
  'too_many_streams',
  'There are too many open streams just now. Try again soon.',
  '当前连接过多，请稍后再试。',
)

/** The place after which a reader resumes: what browsers send, or the query parameter for those that cannot. */
const placeOf = (header: unknown, query: number | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : query

/** The reply is written by the stream itself; only its content type is described. */
const EventStreamReply = {
  description: 'A stream of events',
  content: { 'text/event-stream': { schema: Type.Unknown() } },
}

/** New notifications as they happen, as Server-Sent Events (notifications-12). */
export function streamRoutes(server: Server, ctx: Context) {
  const hub = createHub(ctx)
  server.addHook('preClose', async () => hub.close())
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/notifications/stream', {
    operationId: 'streamNotifications',
    summary: 'Receive new notifications as they happen, as Server-Sent Events',
    description:
      'Each event is named `notification`, has the notification with its `type` as data, and an id: a reader that sends it back as `Last-Event-ID` gets all that came after it, once.',
    access: 'user',
    query: Type.Object({ last_event_id: Type.Optional(Int(0, MAX_ID)) }),
    reply: { 200: EventStreamReply },
    returns: 'Events, until the connection ends.',
    errors: [tooManyStreams],
    handler: async ({ request, reply, query, viewer }) => {
      reply
        .header('Cache-Control', 'no-cache, no-transform')
        .header('X-Accel-Buffering', 'no')
        .type('text/event-stream; charset=utf-8')
      if (request.method === 'HEAD') return reply.send('')
      const after = placeOf(request.headers['last-event-id'], query.last_event_id)
      const stream = await hub.open(viewer, language(request), after)
      if (!stream) throw tooManyStreams({ headers: { 'Retry-After': 5 } })
      // Ended by the connection and not only by the pipe, which a reader that stopped reading keeps open.
      request.raw.socket.once('close', () => stream.readable.destroy())
      return reply.send(stream.readable)
    },
  })
}

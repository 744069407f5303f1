import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import { Flag, Int, language, MAX_ID, routesOn, type Server, Type } from '#platform/http'
import type { CreateChatSource } from './event-stream.ts'
import { createHub, type StreamStart } from './hub.ts'

const tooManyStreams = apiError(
  503,
  'too_many_streams',
  'There are too many open streams just now. Try again soon.',
  '当前连接过多，请稍后再试。',
)

/**
 * The place where a reader resumes: the header of browsers, or the query parameters for other clients. After
 * a dash the header has the cursor of chat messages.
 */
function startOf(
  header: unknown,
  query: { last_event_id?: number; chats?: boolean; chats_after?: number },
): StreamStart {
  const [, seq, cursor] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(typeof header === 'string' ? header : '') ?? []
  const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  return {
    after: numberOf(seq) ?? query.last_event_id,
    ...(query.chats ? { chats: { after: numberOf(cursor) ?? query.chats_after } } : {}),
  }
}

/** The stream writes the reply itself, so only its content type is described. */
const EventStreamReply = {
  description: 'A stream of events',
  content: { 'text/event-stream': { schema: Type.Unknown() } },
}

/** Route of new notifications, and on request of chat messages, as Server-Sent Events (notifications-12, im-15). */
export const streamRoutes = (createChats: CreateChatSource) => (server: Server, ctx: Context) => {
  const hub = createHub(ctx, createChats)
  server.addHook('preClose', async () => hub.close())
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/notifications/stream', {
    operationId: 'streamNotifications',
    summary: 'Receive new notifications as they happen, as Server-Sent Events',
    description:
      'Each event is named `notification`, has the notification with its `type` as data, and an id: a reader that sends it back as `Last-Event-ID` gets all that came after it, once. With `chats` also `message`, `read`, `typing` and `presence` events of conversations (im-15).',
    access: 'user',
    query: Type.Object({
      last_event_id: Type.Optional(Int(0, MAX_ID)),
      chats: Type.Optional(Flag()),
      chats_after: Type.Optional(
        Int(0, MAX_ID, { description: 'The part of the last event id after the dash' }),
      ),
    }),
    reply: { 200: EventStreamReply },
    returns: 'Events, until the connection ends.',
    errors: [tooManyStreams],
    handler: async ({ request, reply, query, viewer }) => {
      reply
        .header('Cache-Control', 'no-cache, no-transform')
        .header('X-Accel-Buffering', 'no')
        .type('text/event-stream; charset=utf-8')
      if (request.method === 'HEAD') return reply.send('')
      const start = startOf(request.headers['last-event-id'], query)
      const stream = await hub.open(viewer, language(request), start)
      if (!stream) throw tooManyStreams({ headers: { 'Retry-After': 5 } })
      // Closes with the connection too, because a reader that stopped reading keeps the pipe open.
      request.raw.socket.once('close', () => stream.readable.destroy())
      return reply.send(stream.readable)
    },
  })
}

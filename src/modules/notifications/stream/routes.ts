import type { Context } from '#platform/context.ts'
import { EPOCH_PATTERN } from '#platform/epoch.ts'
import { apiError } from '#platform/errors.ts'
import { Flag, language, routesOn, type Server, Text, Type } from '#platform/http'
import type { CreateChatSource } from './event-stream.ts'
import { createHub, type StreamStart } from './hub.ts'

const tooManyStreams = apiError(
  503,
  'too_many_streams',
  'There are too many open streams. Try again soon.',
  '当前连接过多，请稍后再试。',
)

const NUMBER = '\\d{1,15}'
const PLACE = `(${NUMBER})(?:-(${NUMBER}))?(?:-(${EPOCH_PATTERN}))?`
const CHAT_PLACE = `(${NUMBER})(?:-(${EPOCH_PATTERN}))?`
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text))

/** Reads the start position from the Last-Event-ID header of browsers, or from the query of other clients. */
function startOf(
  header: unknown,
  query: { last_event_id?: string; chats?: boolean; chats_after?: string },
): StreamStart {
  const read = (pattern: string, text: unknown) =>
    new RegExp(`^${pattern}$`).exec(typeof text === 'string' ? text : '') ?? []
  const named = read(PLACE, header)
  const [, seq, cursor, epoch] = named.length > 0 ? named : read(PLACE, query.last_event_id)
  const [, otherCursor, otherEpoch] = read(CHAT_PLACE, query.chats_after)
  return {
    after: numberOf(seq),
    epoch: epoch ?? otherEpoch ?? '',
    ...(query.chats ? { chats: { after: numberOf(cursor ?? otherCursor) } } : {}),
  }
}

/** Describes only the content type of the response, because the stream writes the body itself. */
const EventStreamReply = {
  description: 'A stream of events',
  content: { 'text/event-stream': { schema: Type.Unknown() } },
}

export const streamRoutes = (createChats: CreateChatSource) => (server: Server, ctx: Context) => {
  const hub = createHub(ctx, createChats)
  server.addHook('preClose', async () => hub.close())
  const route = routesOn(server, ctx, { tag: 'Notifications' })

  route('GET /user/notifications/stream', {
    operationId: 'streamNotifications',
    summary: 'Receive new notifications as they happen, as Server-Sent Events',
    description:
      'Each event is named `notification` and carries the notification with its `type` as data. A client that sends the id of the last event as `Last-Event-ID` receives all later events once, or `reset` if the position belongs to data from before a restore (notifications-12). With `chats`, the stream also has `message`, `read`, `typing` and `presence` events of conversations (im-15).',
    access: 'user',
    query: Type.Object({
      last_event_id: Type.Optional(Text(42, { pattern: `^${PLACE}$` })),
      chats: Type.Optional(Flag()),
      chats_after: Type.Optional(
        Text(26, {
          pattern: `^${CHAT_PLACE}$`,
          description: 'The part of the last event id after the first dash',
        }),
      ),
    }),
    reply: { 200: EventStreamReply },
    returns: 'Events, until the connection closes.',
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
      // Destroys the stream when the connection closes. The stream of a stalled client would otherwise stay
      // open.
      const { socket } = request.raw
      if (socket.destroyed) stream.leave()
      else socket.once('close', stream.leave)
      return reply.send(stream.readable)
    },
  })
}

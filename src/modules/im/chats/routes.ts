import { wireTime } from '#lib/time.ts'
import { noSuchUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { sendSignal } from '#platform/database'
import { Empty, Id, routesOn, type Server, Type } from '#platform/http'
import { noSuchImGroup } from '../groups/schema.ts'
import { readChatSettings } from '../settings.ts'
import { PRESENCE_SIGNAL, TYPING_SIGNAL } from './presence.ts'
import { countUnread, listChats, listReadPositions, updateMuted } from './queries.ts'
import {
  CHAT_ERRORS,
  Chat,
  ChatChange,
  ChatParams,
  ChatsQuery,
  chatElsewhere,
  chatWithOneself,
  ownerCannotLeave,
  ReadPosition,
  ReadPositions,
  UnreadMessages,
} from './schema.ts'
import {
  chatViews,
  getChat,
  leaveChat,
  markRead,
  openGroupChat,
  openPersonChat,
  requireEmbedded,
} from './service.ts'

export function chatRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Instant messaging' })

  route('GET /chats', {
    operationId: 'listChats',
    summary: 'List my conversations with unread counts, latest first',
    access: 'user',
    query: ChatsQuery,
    reply: { 200: Type.Array(Chat) },
    errors: [chatElsewhere],
    handler: async ({ query, viewer }) => {
      requireEmbedded(ctx)
      return chatViews(ctx, await listChats(sql, viewer.id, query), viewer.id)
    },
  })

  route('GET /chats/unread', {
    operationId: 'countUnreadMessages',
    summary: 'Count unread messages of my conversations that are not muted',
    access: 'user',
    reply: { 200: UnreadMessages },
    errors: [chatElsewhere],
    handler: async ({ viewer }) => {
      requireEmbedded(ctx)
      return { unread: await countUnread(sql, viewer.id) }
    },
  })

  route('PUT /chats/people/:user', {
    operationId: 'openPersonChat',
    summary: 'Open a conversation with a person',
    access: 'user',
    params: Type.Object({ user: Id }),
    reply: { 200: Chat },
    errors: [noSuchUser, chatWithOneself, chatElsewhere],
    handler: ({ params, viewer }) => openPersonChat(ctx, viewer.id, params.user),
  })

  route('PUT /chats/groups/:group', {
    operationId: 'openGroupChat',
    summary: 'Open the conversation of a group that I am in',
    access: 'user',
    params: Type.Object({ group: Id }),
    reply: { 200: Chat },
    errors: [noSuchImGroup, chatElsewhere],
    handler: ({ params, viewer }) => openGroupChat(ctx, viewer.id, params.group),
  })

  route('GET /chats/:chat', {
    operationId: 'getChat',
    summary: 'Read a conversation',
    access: 'user',
    params: ChatParams,
    reply: { 200: Chat },
    errors: CHAT_ERRORS,
    handler: async ({ params, viewer }) => {
      const [shown] = await chatViews(ctx, [await getChat(ctx, params.chat, viewer.id)], viewer.id)
      return shown!
    },
  })

  route('PATCH /chats/:chat', {
    operationId: 'updateChat',
    summary: 'Mute or unmute a conversation',
    whileSilenced: true,
    access: 'user',
    params: ChatParams,
    body: ChatChange,
    reply: { 204: Empty },
    errors: CHAT_ERRORS,
    load: ({ params, viewer }) => getChat(ctx, params.chat, viewer.id),
    handler: ({ loaded: chat, viewer, body }) => updateMuted(sql, chat.id, viewer.id, body.muted),
  })

  route('DELETE /chats/:chat', {
    operationId: 'leaveChat',
    summary: 'Leave a group, or clear a conversation with a person for me',
    whileSilenced: true,
    access: 'user',
    params: ChatParams,
    reply: { 204: Empty },
    errors: [...CHAT_ERRORS, ownerCannotLeave],
    handler: async ({ params, viewer }) =>
      leaveChat(ctx, await getChat(ctx, params.chat, viewer.id), viewer.id),
  })

  route('PUT /chats/:chat/position', {
    operationId: 'readChat',
    summary: 'Mark messages up to a position as read',
    whileSilenced: true,
    access: 'user',
    params: ChatParams,
    body: ReadPosition,
    reply: { 200: ReadPosition },
    errors: CHAT_ERRORS,
    load: ({ params, viewer }) => getChat(ctx, params.chat, viewer.id),
    handler: async ({ loaded: chat, viewer, body }) => ({
      position: await markRead(ctx, chat, viewer.id, body.position),
    }),
  })

  route('GET /chats/:chat/positions', {
    operationId: 'listChatPositions',
    summary: 'List the positions up to which members have read',
    access: 'user',
    params: ChatParams,
    reply: { 200: ReadPositions },
    errors: CHAT_ERRORS,
    handler: async ({ params, viewer }) => {
      const chat = await getChat(ctx, params.chat, viewer.id)
      const isShown = (await readChatSettings(ctx))['chat:seen']
      const rows = await listReadPositions(sql, chat.id, viewer.id)
      return {
        data: rows
          .filter(({ user_id }) => isShown || user_id === viewer.id)
          .map(({ user_id, read_position, updated_at }) => ({
            user_id,
            position: read_position,
            updated_at: wireTime(updated_at),
          })),
      }
    },
  })

  route('POST /chats/:chat/typing', {
    operationId: 'typeInChat',
    summary: 'Send a typing signal to the connected members',
    access: 'user',
    params: ChatParams,
    reply: { 204: Empty },
    errors: CHAT_ERRORS,
    handler: async ({ params, viewer }) => {
      const chat = await getChat(ctx, params.chat, viewer.id)
      sendSignal(sql, TYPING_SIGNAL, `${chat.id}:${viewer.id}`)
    },
  })

  route('POST /chats/:chat/presence', {
    operationId: 'askChatPresence',
    summary: 'Send my presence to the connected members, and request theirs',
    access: 'user',
    params: ChatParams,
    reply: { 204: Empty },
    errors: CHAT_ERRORS,
    handler: async ({ params, viewer }) => {
      const chat = await getChat(ctx, params.chat, viewer.id)
      sendSignal(sql, PRESENCE_SIGNAL, `${chat.id}:${viewer.id}`)
    },
  })
}

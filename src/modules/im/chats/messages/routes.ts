import type { ContentReaders } from '#contracts/content.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { isAnyReported, mountReports } from '#modules/reports/index.ts'
import { contactRefused } from '#modules/users/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked, forbidden } from '#platform/errors.ts'
import { Empty, Id, routesOn, type Server, Type } from '#platform/http'
import {
  CHAT_ERRORS,
  ChatMessage,
  ChatMessageChange,
  ChatMessages,
  ChatParams,
  chatElsewhere,
  emptyMessage,
  MessageContext,
  MessageParams,
  MessageSearch,
  MessagesQuery,
  NewChatMessage,
  noSuchLink,
  noSuchMessage,
  noSuchReply,
  tooLateToChange,
} from '../schema.ts'
import { getChat, requireEmbedded } from '../service.ts'
import { findMessages, listAround, listMessages, searchMessages } from './queries.ts'
import {
  checkMessage,
  deleteMessage,
  editMessage,
  getMessage,
  messageContent,
  messageViews,
  REPORT_CONTEXT,
  requireReachable,
  sendMessage,
} from './service.ts'

export const chatMessageRoutes = (readers: ContentReaders) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Instant messaging' })

  route('GET /chats/:chat/messages', {
    operationId: 'listChatMessages',
    summary: 'List messages of a conversation: the newest, those before or those after a position',
    access: 'user',
    params: ChatParams,
    query: MessagesQuery,
    reply: { 200: ChatMessages },
    errors: CHAT_ERRORS,
    load: ({ params, viewer }) => getChat(ctx, params.chat, viewer.id),
    handler: async ({ loaded: chat, query, viewer }) => {
      const wanted = { id: chat.id, viewerId: viewer.id }
      return { data: await messageViews(ctx, await listMessages(sql, wanted, query)) }
    },
  })

  route('POST /chats/:chat/messages', {
    operationId: 'sendChatMessage',
    summary: 'Send a message',
    access: 'user',
    params: ChatParams,
    body: NewChatMessage,
    reply: { 201: ChatMessage },
    errors: [
      ...CHAT_ERRORS,
      blocked,
      contactRefused,
      emptyMessage,
      noSuchReply,
      noSuchLink,
      sensitiveWords,
      fileNotUsable,
    ],
    load: async ({ params, viewer }) => {
      const chat = await getChat(ctx, params.chat, viewer.id)
      await requireReachable(sql, chat, viewer.id)
      return chat
    },
    idempotent: true,
    handler: async ({ loaded: chat, viewer, body, atomically }) => {
      const message = await checkMessage(ctx, readers, chat, viewer.id, body)
      return atomically((tx) => sendMessage(ctx, tx, chat.id, viewer.id, message))
    },
  })

  route('PATCH /chats/:chat/messages/:message', {
    operationId: 'updateChatMessage',
    summary: 'Edit a message of mine within the time limit',
    access: 'user',
    params: MessageParams,
    body: ChatMessageChange,
    reply: { 200: ChatMessage },
    errors: [noSuchMessage, chatElsewhere, forbidden, tooLateToChange, sensitiveWords],
    load: async ({ params, viewer }) => {
      requireEmbedded(ctx)
      const { message } = await getMessage(sql, params, viewer.id)
      if (message.sender_id !== viewer.id) throw forbidden()
      return message
    },
    handler: ({ loaded, viewer, body }) => editMessage(ctx, loaded, viewer.id, body),
  })

  route('DELETE /chats/:chat/messages/:message', {
    operationId: 'deleteChatMessage',
    summary: 'Delete a message of mine within the time limit',
    access: 'user',
    params: MessageParams,
    reply: { 204: Empty },
    errors: [noSuchMessage, chatElsewhere, forbidden, tooLateToChange],
    handler: async ({ params, viewer }) => {
      requireEmbedded(ctx)
      const { message } = await getMessage(sql, params, viewer.id)
      await deleteMessage(ctx, message, viewer.id)
    },
  })

  route('GET /chats/messages', {
    operationId: 'searchChatMessages',
    summary: 'Search the messages of my conversations, newest first',
    access: 'user',
    personal: true,
    query: MessageSearch,
    reply: { 200: ChatMessages },
    errors: [chatElsewhere],
    handler: async ({ query, viewer }) => {
      requireEmbedded(ctx)
      return { data: await messageViews(ctx, await searchMessages(sql, viewer.id, query)) }
    },
  })

  mountReports(server, ctx, messageContent, { path: '/chats/messages/:message/reports' })
}

export function adminChatMessageRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: messaging' })

  route('GET /admin/chat-messages/:message', {
    operationId: 'adminGetChatMessage',
    summary: 'Read a reported message with the messages around it',
    access: { ability: 'admin: reports' },
    params: Type.Object({ message: Id }),
    reply: { 200: MessageContext },
    errors: [noSuchMessage],
    handler: async ({ params }) => {
      const [row] = await findMessages(sql, [params.message])
      if (!row || !(await isAnyReported(sql, messageContent.type, [row.id]))) throw noSuchMessage()
      const shown = await messageViews(ctx, [row, ...(await listAround(sql, row, REPORT_CONTEXT))])
      return { message: shown[0]!, context: shown.slice(1).filter(({ id }) => id !== row.id) }
    },
  })
}

import { fileUrl } from '#modules/files/index.ts'
import { findEnabledIds, noSuchUser, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { sendSignal } from '#platform/database'
import { noSuchImGroup } from '../groups/schema.ts'
import { findVisibleGroups, removeMembers } from '../groups/service.ts'
import { readChatSettings } from '../settings.ts'
import { findVisible } from './messages/queries.ts'
import { isBlockBetween, messageViews, otherOf } from './messages/service.ts'
import {
  type ChatRow,
  ensureGroupChat,
  ensurePairChat,
  findChat,
  hideMessages,
  listReadsSince,
  updateReadPosition,
} from './queries.ts'
import { type Chat, chatElsewhere, chatWithOneself, noSuchChat, ownerCannotLeave } from './schema.ts'

export const READ_SIGNAL = 'chat-read'

export function requireEmbedded(ctx: Context): void {
  if (ctx.config.imProvider !== 'embedded') throw chatElsewhere()
}

export async function getChat(ctx: Context, id: number, userId: number): Promise<ChatRow> {
  requireEmbedded(ctx)
  const chat = await findChat(ctx.sql, id, userId)
  if (!chat) throw noSuchChat()
  return chat
}

export async function chatViews(ctx: Context, chats: ChatRow[], userId: number): Promise<Chat[]> {
  const { sql } = ctx
  const people = await userViews(
    ctx,
    sql,
    chats.map((chat) => otherOf(chat, userId)).filter((id) => id > 0),
    userId,
  )
  const rows = await findVisible(
    sql,
    chats.map(({ last_message_id }) => last_message_id),
    userId,
  )
  const last = new Map((await messageViews(ctx, rows)).map((view) => [view.chat_id, view]))
  return chats.map((chat) => ({
    id: chat.id,
    person: people.get(otherOf(chat, userId)) ?? null,
    group:
      chat.group_id === null
        ? null
        : {
            id: chat.group_wire_id ?? '',
            name: chat.group_name ?? '',
            face: chat.face_id === null ? '' : fileUrl(ctx, chat.face_id),
          },
    last_position: chat.last_position,
    read_position: chat.read_position,
    unread: Math.max(0, chat.last_position - chat.read_position),
    muted: chat.is_muted,
    last_message: last.get(chat.id) ?? null,
  }))
}

async function view(ctx: Context, id: number, userId: number): Promise<Chat> {
  const [shown] = await chatViews(ctx, [await getChat(ctx, id, userId)], userId)
  return shown as Chat
}

export async function openPersonChat(ctx: Context, userId: number, other: number): Promise<Chat> {
  requireEmbedded(ctx)
  if (other === userId) throw chatWithOneself()
  if ((await findEnabledIds(ctx.sql, [other])).length === 0) throw noSuchUser()
  return view(ctx, await ensurePairChat(ctx.sql, userId, other), userId)
}

export async function openGroupChat(ctx: Context, userId: number, wireId: number): Promise<Chat> {
  requireEmbedded(ctx)
  const [group] = await findVisibleGroups(ctx, [String(wireId)], userId)
  if (!group?.member) throw noSuchImGroup()
  return view(ctx, await ensureGroupChat(ctx.sql, group.id), userId)
}

export async function markRead(
  ctx: Context,
  chat: ChatRow,
  userId: number,
  position: number,
): Promise<number> {
  const read = await updateReadPosition(ctx.sql, chat.id, userId, position)
  if (read <= chat.read_position) return read
  const other = (await readChatSettings(ctx))['chat:seen'] ? otherOf(chat, userId) : 0
  const isHidden = other > 0 && (await isBlockBetween(ctx.sql, userId, other))
  sendSignal(ctx.sql, READ_SIGNAL, `${chat.id}:${userId}:${isHidden ? 0 : other}:${read}`)
  return read
}

/** Lists the `read` events that a stream missed since the given position of a transaction (im-15). */
export async function listMissedReads(ctx: Context, userId: number, since: number, limit: number) {
  const seesOthers = (await readChatSettings(ctx))['chat:seen']
  return listReadsSince(ctx.sql, userId, { since, seesOthers, limit })
}

export async function leaveChat(ctx: Context, chat: ChatRow, userId: number): Promise<void> {
  if (chat.group_id === null) return hideMessages(ctx.sql, chat.id, userId)
  const [group] = await findVisibleGroups(ctx, [String(chat.group_id)], userId)
  if (group?.owner_id === userId) throw ownerCannotLeave()
  await removeMembers(ctx, userId, { im_group_id: chat.group_id, members: [userId] })
}

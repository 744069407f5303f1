import type { Content, ContentReaders, ContentRemoval } from '#contracts/content.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { attachFiles, detachFiles, fileViews } from '#modules/files/index.ts'
import { isAnyReported } from '#modules/reports/index.ts'
import {
  contactRefused,
  deleteMentions,
  findBlockers,
  findEnabledIds,
  findMentioned,
  isContactRefused,
  saveMentions,
} from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, sendSignal, type Tx, transaction } from '#platform/database'
import { blocked, forbidden } from '#platform/errors.ts'
import { treesOf } from '#platform/http'
import { readChatSettings } from '../../settings.ts'
import { addChatPush } from '../push.ts'
import { type ChatRow, ensureGroupChat, findChat, listChatMembers } from '../queries.ts'
import {
  type ChatMessage,
  ChatMessageChange,
  emptyMessage,
  NewChatMessage,
  noSuchChat,
  noSuchLink,
  noSuchMessage,
  noSuchReply,
  tooLateToChange,
} from '../schema.ts'
import {
  clearMessage,
  clearMessagesOf,
  deleteOldMessages,
  findBoundMessages,
  findMessage,
  findMessages,
  findVisible,
  hasWritten,
  insertMessage,
  isAnnounced,
  listAround,
  type MessageRow,
  updateBody,
} from './queries.ts'

/** Channel of uploads in messages. `mayReadChatFile` decides which users may read them. */
export const CHAT_FILE = 'chat'

const MESSAGES = 'chat-messages'

export const MESSAGE_SIGNAL = 'chat'
export const CHANGE_SIGNAL = 'chat-change'

export async function messageViews(
  ctx: Context,
  rows: MessageRow[],
  sql: Db = ctx.sql,
): Promise<ChatMessage[]> {
  const [files, trees] = await Promise.all([
    fileViews(
      sql,
      rows.flatMap(({ file_id }) => file_id ?? []),
    ),
    treesOf(
      ctx,
      rows.map(({ id, body }) => ({ type: MESSAGES, id, format: 'plain', text: body })),
      sql,
    ),
  ])
  return rows.map((row, n) => ({
    id: row.id,
    chat_id: row.chat_id,
    position: row.position,
    sender_id: row.sender_id ?? 0,
    body: row.body,
    body_tree: trees[n] ?? [],
    file: files.get(row.file_id ?? 0) ?? null,
    link: row.link_type === null || row.link_id === null ? null : { type: row.link_type, id: row.link_id },
    reply_to: row.reply_to,
    mentions: row.mentions,
    ext: row.ext,
    created_at: wireTime(row.created_at),
    edited_at: wireTimeOrNull(row.edited_at),
    deleted: row.deleted_at !== null,
  }))
}

export const otherOf = (chat: ChatRow, userId: number): number =>
  (chat.low_user_id === userId ? chat.high_user_id : chat.low_user_id) ?? 0

export async function isBlockBetween(sql: Db, one: number, other: number): Promise<boolean> {
  const [theirs, mine] = [await findBlockers(sql, one, [other]), await findBlockers(sql, other, [one])]
  return theirs.size + mine.size > 0
}

/** Throws 403 if either user blocks the other or the other user's rule refuses messages (relations-7), and 404 if the other user is disabled (im-14). */
export async function requireReachable(sql: Db, chat: ChatRow, userId: number): Promise<void> {
  const other = otherOf(chat, userId)
  if (other === 0) return
  if ((await findEnabledIds(sql, [other])).length === 0) throw noSuchChat()
  if (await isBlockBetween(sql, userId, other)) throw blocked()
  const isRefused = await isContactRefused(sql, userId, other, 'messages')
  if (isRefused && !(await hasWritten(sql, chat.id, other))) throw contactRefused()
}

export async function checkMessage(
  ctx: Context,
  readers: ContentReaders,
  chat: ChatRow,
  userId: number,
  input: NewChatMessage,
): Promise<NewChatMessage> {
  const message = await screenWords(ctx, input, NewChatMessage, ['body'])
  if (!message.body && message.file === undefined && message.link === undefined) throw emptyMessage()
  if (message.reply_to !== undefined) {
    const found = await findMessage(ctx.sql, chat.id, message.reply_to, userId)
    if (!found) throw noSuchReply()
  }
  if (message.link) {
    const reader = Object.hasOwn(readers, message.link.type) ? readers[message.link.type] : undefined
    const visible = await reader?.visible(ctx.sql, [message.link.id], userId)
    if (!visible?.has(message.link.id)) throw noSuchLink()
  }
  if (!message.mentions?.length) return message
  const members = await findMemberIds(ctx.sql, chat.id)
  return { ...message, mentions: [...new Set(message.mentions)].filter((id) => members.has(id)) }
}

const findMemberIds = async (sql: Db, chatId: number) =>
  new Set((await listChatMembers(sql, [chatId])).map(({ user_id }) => user_id))

/** Finds the members of a conversation whom a text mentions. */
async function findNamedMembers(sql: Db, chatId: number, senderId: number, body: string) {
  const { mentioned } = await findMentioned(sql, senderId, body, 'plain')
  if (mentioned.length === 0) return []
  const members = await findMemberIds(sql, chatId)
  return mentioned.filter(({ id }) => members.has(id))
}

const MENTIONS_MAX = 50

const withNamed = (ids: number[], named: { id: number }[]) =>
  [...new Set([...ids, ...named.map(({ id }) => id)])].slice(0, MENTIONS_MAX)

/** Stores a message in the caller's transaction. Signals the members' streams after the commit. */
export async function sendMessage(
  ctx: Context,
  tx: Tx,
  chatId: number,
  userId: number,
  input: NewChatMessage,
): Promise<ChatMessage> {
  const named = await findNamedMembers(tx, chatId, userId, input.body ?? '')
  const row = await insertMessage(tx, {
    chatId,
    senderId: userId,
    body: input.body ?? '',
    fileId: input.file,
    link: input.link,
    replyTo: input.reply_to,
    mentions: withNamed(input.mentions ?? [], named),
  })
  if (!row) throw noSuchChat()
  await saveMentions(tx, { type: MESSAGES, id: row.id }, named)
  if (input.file !== undefined)
    await attachFiles(tx, {
      ids: [input.file],
      ownerId: userId,
      channel: CHAT_FILE,
      raw: row.id,
      field: 'file',
    })
  await addChatPush(tx, chatId, userId, row.position)
  await publishEvent(ctx, tx, 'message.created', { id: row.id, chat_id: chatId })
  sendSignal(tx, MESSAGE_SIGNAL, `${chatId}:${row.position}`)
  const [view] = await messageViews(ctx, [row], tx)
  return view as ChatMessage
}

export async function sendAnnouncement(
  ctx: Context,
  groupId: number,
  { id, text, ext }: { id: string; text: string; ext: object },
): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const chatId = await ensureGroupChat(tx, groupId)
    if (await isAnnounced(tx, id)) return
    const row = await insertMessage(tx, { chatId, senderId: null, body: text, ext, announcementId: id })
    if (row) sendSignal(tx, MESSAGE_SIGNAL, `${chatId}:${row.position}`)
  })
}

export async function getMessage(
  sql: Db,
  { chat: chatId, message: id }: { chat: number; message: number },
  userId: number,
): Promise<{ chat: ChatRow; message: MessageRow }> {
  const chat = await findChat(sql, chatId, userId)
  const message = chat && (await findMessage(sql, chatId, id, userId))
  if (!message) throw noSuchMessage()
  return { chat, message }
}

const editMinutes = async (ctx: Context) => (await readChatSettings(ctx))['chat:edit-minutes']

export async function editMessage(
  ctx: Context,
  message: MessageRow,
  userId: number,
  input: { body: string },
): Promise<ChatMessage> {
  if (message.sender_id !== userId) throw forbidden()
  const { body } = await screenWords(ctx, input, ChatMessageChange, ['body'])
  const minutes = await editMinutes(ctx)
  return transaction(ctx.sql, async (tx) => {
    const named = await findNamedMembers(tx, message.chat_id, userId, body)
    const before = await deleteMentions(tx, MESSAGES, [message.id])
    const chosen = message.mentions.filter((id) => !before.includes(id))
    const change = { body, mentions: withNamed(chosen, named) }
    const row = await updateBody(tx, message.id, change, minutes)
    if (!row) throw tooLateToChange()
    await saveMentions(tx, { type: MESSAGES, id: row.id }, named)
    sendSignal(tx, CHANGE_SIGNAL, row.id)
    const [view] = await messageViews(ctx, [row], tx)
    return view as ChatMessage
  })
}

export async function deleteMessage(ctx: Context, message: MessageRow, userId: number): Promise<void> {
  if (message.sender_id !== userId) throw forbidden()
  const minutes = await editMinutes(ctx)
  await transaction(ctx.sql, async (tx) => {
    if (!(await takeOut(tx, message.id, minutes))) throw tooLateToChange()
  })
}

async function takeOut(tx: Tx, id: number, minutes?: number): Promise<boolean> {
  const gone = await clearMessage(tx, id, minutes)
  if (!gone) return false
  await deleteMentions(tx, MESSAGES, [id])
  if (gone.file_id !== null) await detachFiles(tx, { ids: [gone.file_id] })
  sendSignal(tx, CHANGE_SIGNAL, id)
  return true
}

export const messageRemoval: ContentRemoval = {
  ability: 'admin: reports',
  async remove(_ctx, tx, id) {
    if (!(await takeOut(tx, id))) throw noSuchMessage()
  },
}

export const messageContent: Content = {
  type: MESSAGES,
  param: 'message',
  noun: 'ChatMessage',
  tag: 'Instant messaging',
  undeclared: true,
  async find(sql, id, viewerId) {
    const [row] = await findVisible(sql, [id], viewerId)
    if (!row || row.sender_id === null || row.deleted_at) return undefined
    return { id, ownerId: row.sender_id, contents: row.body, closed: true }
  },
  live: (sql, id) => sql`select id from chat_messages where id = ${id} and deleted_at is null`,
}

/** Number of messages before and after a reported message that moderators may read (im-16). */
export const REPORT_CONTEXT = 5

/**
 * Returns true for members who can see the message with the file. Returns true for moderators if that message,
 * or a message near it, is reported (im-16).
 */
export async function mayReadChatFile(
  ctx: Context,
  { raw }: { raw: number | null },
  viewerId: number,
): Promise<boolean> {
  if (raw === null || viewerId === 0) return false
  if ((await findVisible(ctx.sql, [raw], viewerId)).length > 0) return true
  if (!(await hasAbility(ctx, viewerId, 'admin: reports'))) return false
  const [row] = await findMessages(ctx.sql, [raw])
  if (!row) return false
  const around = await listAround(ctx.sql, row, REPORT_CONTEXT)
  return isAnyReported(
    ctx.sql,
    messageContent.type,
    around.map(({ id }) => id),
  )
}

export async function eraseMessages(tx: Tx, userId: number): Promise<void> {
  const gone = await clearMessagesOf(tx, userId)
  await deleteMentions(tx, MESSAGES, gone.ids)
  if (gone.files.length > 0) await detachFiles(tx, { ids: gone.files })
}

/** Releases the files and mentions of the messages of a group before the group and its messages are deleted. */
export async function detachMessagesOf(tx: Tx, groupId: number): Promise<void> {
  const { ids, files } = await findBoundMessages(tx, groupId)
  if (ids.length > 0) await deleteMentions(tx, MESSAGES, ids)
  if (files.length > 0) await detachFiles(tx, { ids: files })
}

export async function deleteExpiredMessages(ctx: Context, batch = 1000): Promise<void> {
  const days = (await readChatSettings(ctx))['chat:keep-days']
  if (days === 0) return
  for (let count = batch; count === batch; )
    count = await transaction(ctx.sql, async (tx) => {
      const gone = await deleteOldMessages(tx, days, batch)
      await deleteMentions(tx, MESSAGES, gone.ids)
      if (gone.files.length > 0) await detachFiles(tx, { ids: gone.files })
      return gone.ids.length
    })
}

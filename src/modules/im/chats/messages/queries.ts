import { escapeLike } from '#lib/text.ts'
import { type Db, type Fragment, ifGiven, type Row } from '#platform/database'
import type { MessageSearch, MessagesQuery } from '../schema.ts'
import { isVisible, viewers } from '../visibility.ts'

export type MessageRow = Row<
  'chat_messages',
  | 'id'
  | 'chat_id'
  | 'position'
  | 'sender_id'
  | 'body'
  | 'file_id'
  | 'link_type'
  | 'link_id'
  | 'reply_to'
  | 'mentions'
  | 'created_at'
  | 'edited_at'
  | 'deleted_at'
  | 'tx_id'
> & { ext: Record<string, unknown> | null }

export const messageColumns = (sql: Db): Fragment => sql`
  m.id, m.chat_id, m.position, m.sender_id, m.body, m.file_id, m.link_type, m.link_id, m.reply_to, m.mentions,
  m.ext, m.created_at, m.edited_at, m.deleted_at, m.tx_id`

export type NewMessage = {
  chatId: number
  /** Null for a group announcement. */
  senderId: number | null
  body: string
  fileId?: number | undefined
  link?: { type: string; id: number } | undefined
  replyTo?: number | undefined
  mentions?: number[]
  ext?: object
  announcementId?: string
}

/**
 * Locks the conversation until the commit, so that positions and ids grow in commit order. Returns undefined
 * if the sender is no longer a member.
 */
export async function insertMessage(sql: Db, message: NewMessage): Promise<MessageRow | undefined> {
  const { chatId, senderId, link } = message
  const [row] = await sql<MessageRow[]>`
    with chat as (
      update chats set last_position = last_position + 1, last_message_id = nextval('chat_messages_id_seq')
      where id = ${chatId} and (${senderId}::bigint is null or ${senderId} in (low_user_id, high_user_id)
        or exists (select from im_group_members g where g.group_id = chats.group_id and g.user_id = ${senderId}))
      returning id, last_position, last_message_id
    ),
    m as (
      insert into chat_messages (id, chat_id, position, sender_id, body, file_id, link_type, link_id, reply_to,
        mentions, ext, announcement_id)
      select last_message_id, id, last_position, ${senderId}, ${message.body}, ${message.fileId ?? null}::bigint,
        ${link?.type ?? null}, ${link?.id ?? null}::bigint, ${message.replyTo ?? null}::bigint,
        ${message.mentions ?? []}::bigint[], ${message.ext === undefined ? null : sql.json(message.ext as never)}::jsonb,
        ${message.announcementId ?? null}::uuid
      from chat
      returning *
    ),
    mine as (
      insert into chat_members (chat_id, user_id, read_position, has_written)
      select chat_id, sender_id, position, true from m where sender_id is not null
      on conflict (chat_id, user_id) do update set read_position = excluded.read_position, has_written = true,
        updated_at = excluded.updated_at
    )
    select ${messageColumns(sql)} from m`
  return row
}

export const isAnnounced = async (sql: Db, announcementId: string): Promise<boolean> =>
  (await sql`select from chat_messages where announcement_id = ${announcementId}`).length > 0

/** Finds messages for other readers than members, who see only those of `findVisible`. */
export async function findMessages(sql: Db, ids: number[]): Promise<MessageRow[]> {
  if (ids.length === 0) return []
  return sql<MessageRow[]>`
    select ${messageColumns(sql)} from chat_messages m where m.id = any(${ids}) order by m.id`
}

export async function findVisible(sql: Db, ids: number[], userId: number): Promise<MessageRow[]> {
  if (ids.length === 0) return []
  return sql<MessageRow[]>`
    select ${messageColumns(sql)} from chat_messages m
    cross join lateral (
      select * from ${viewers(sql)} v where v.chat_id = m.chat_id and v.user_id = ${userId} offset 0
    ) v
    where m.id = any(${ids}) and ${isVisible(sql)} order by m.id`
}

export async function findMessage(
  sql: Db,
  chatId: number,
  id: number,
  userId: number,
): Promise<MessageRow | undefined> {
  const [row] = await findVisible(sql, [id], userId)
  return row?.chat_id === chatId ? row : undefined
}

export async function listMessages(
  sql: Db,
  chat: { id: number; viewerId: number },
  { limit = 50, before, after }: MessagesQuery,
): Promise<MessageRow[]> {
  const isForward = after !== undefined
  const order = isForward ? sql`m.position` : sql`m.position desc`
  // The inner limit lets the planner read the index in order, because it cannot know that `v` has one row.
  const rows = await sql<MessageRow[]>`
    select ${messageColumns(sql)} from ${viewers(sql)} v
    cross join lateral (
      select m.* from chat_messages m
      where ${isVisible(sql)} and m.position > ${after ?? 0}
        ${ifGiven(sql, before, (position) => sql`and m.position < ${position}`)}
      order by ${order} limit ${limit}
    ) m
    where v.user_id = ${chat.viewerId} and v.chat_id = ${chat.id}
    order by ${order}`
  return isForward ? rows : rows.reverse()
}

export const listAround = (sql: Db, { chat_id, position }: MessageRow, around: number) => sql<MessageRow[]>`
  select ${messageColumns(sql)} from chat_messages m where m.chat_id = ${chat_id}
    and m.position between ${position - around} and ${position + around} order by m.position`

/**
 * 500 is a literal instead of a parameter, because the planner must match the condition of the partial index.
 */
export const searchMessages = (
  sql: Db,
  userId: number,
  { q, chat, limit = 50, before }: MessageSearch,
) => sql<MessageRow[]>`
  select ${messageColumns(sql)} from ${viewers(sql)} v
  cross join lateral (
    select * from chat_messages f where f.chat_id = v.chat_id and f.position <= 500
    union all
    select * from (
      select * from chat_messages e
      where e.position > 500 and e.deleted_at is null and chat_grams(e.chat_id, e.body) @> chat_grams(v.chat_id, ${q})
      -- "offset 0" makes the planner use the search index instead of reading the whole conversation.
      offset 0
    ) e where e.chat_id = v.chat_id
  ) m
  where v.user_id = ${userId} and ${isVisible(sql)} and m.body ilike ${`%${escapeLike(q)}%`} and m.deleted_at is null
    ${ifGiven(sql, chat, (id) => sql`and v.chat_id = ${id}`)}
    ${ifGiven(sql, before, (id) => sql`and m.id < ${id}`)}
  order by m.id desc limit ${limit}`

export async function updateBody(
  sql: Db,
  id: number,
  { body, mentions }: { body: string; mentions: number[] },
  minutes: number,
): Promise<MessageRow | undefined> {
  const [row] = await sql<MessageRow[]>`
    update chat_messages m set body = ${body}, mentions = ${mentions}::bigint[], edited_at = now(),
      tx_id = site_tx_id()
    where m.id = ${id} and m.deleted_at is null and m.created_at > now() - make_interval(mins => ${minutes})
    returning ${messageColumns(sql)}`
  return row
}

export async function clearMessage(
  sql: Db,
  id: number,
  minutes?: number,
): Promise<{ chat_id: number; file_id: number | null } | undefined> {
  const [row] = await sql<{ chat_id: number; file_id: number | null }[]>`
    with old as (select id, file_id from chat_messages where id = ${id} for update)
    update chat_messages m set body = '', file_id = null, link_type = null, link_id = null, mentions = '{}',
      deleted_at = now(), tx_id = site_tx_id()
    from old where m.id = old.id and m.deleted_at is null
      ${ifGiven(sql, minutes, (limit) => sql`and m.created_at > now() - make_interval(mins => ${limit})`)}
    returning m.chat_id, old.file_id`
  return row
}

type Gone = { ids: number[]; files: number[] }

const goneOf = (rows: { id: number; file_id: number | null }[]): Gone => ({
  ids: rows.map(({ id }) => id),
  files: rows.flatMap(({ file_id }) => file_id ?? []),
})

export async function clearMessagesOf(sql: Db, userId: number): Promise<Gone> {
  const rows = await sql<{ id: number; file_id: number | null }[]>`
    with old as (
      select id, file_id from chat_messages where sender_id = ${userId} and deleted_at is null for update
    ),
    cleared as (
      update chat_messages m set body = '', file_id = null, link_type = null, link_id = null, mentions = '{}',
        deleted_at = now(), tx_id = site_tx_id()
      from old where m.id = old.id
    ),
    choices as (delete from chat_members where user_id = ${userId})
    select id, file_id from old`
  return goneOf(rows)
}

/** Finds the messages of a group with a file or with mentions, which belong to other modules. */
export async function findBoundMessages(sql: Db, groupId: number): Promise<Gone> {
  const rows = await sql<{ id: number; file_id: number | null }[]>`
    select m.id, m.file_id from chats c join chat_messages m on m.chat_id = c.id
    where c.group_id = ${groupId} and (m.file_id is not null or m.mentions <> '{}')`
  return goneOf(rows)
}

export async function deleteOldMessages(sql: Db, days: number, batch: number): Promise<Gone> {
  const rows = await sql<{ id: number; file_id: number | null }[]>`
    delete from chat_messages where id = any(array(
      select id from chat_messages where created_at < now() - make_interval(days => ${days})
      limit ${batch}))
    returning id, file_id`
  return goneOf(rows)
}

export const hasWritten = async (sql: Db, chatId: number, userId: number): Promise<boolean> =>
  (await sql`select from chat_messages where chat_id = ${chatId} and sender_id = ${userId} limit 1`).length >
  0

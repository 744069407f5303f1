import { hasBlocked, hasMuted } from '#modules/users/index.ts'
import { type Db, type Fragment, ifGiven } from '#platform/database'
import { viewers } from './visibility.ts'

export type ChatRow = {
  id: number
  group_id: number | null
  low_user_id: number | null
  high_user_id: number | null
  last_position: number
  last_message_id: number
  read_position: number
  hidden_position: number
  is_muted: boolean
  /**
   * Last position before the viewer joined or cleared the conversation. The viewer sees only later messages.
   */
  start_position: number
  group_wire_id: string | null
  group_name: string | null
  face_id: number | null
}

const selectChats = (sql: Db, userId: number, where: Fragment): Fragment => sql`
  select c.id, c.group_id, c.low_user_id, c.high_user_id, c.last_position, c.last_message_id,
    greatest(coalesce(m.read_position, 0), v.start_position) as read_position,
    coalesce(m.hidden_position, 0) as hidden_position, (coalesce(m.is_muted, false) or c.group_id is null and ${hasMuted(
      sql,
      userId,
      sql`case when c.low_user_id = v.user_id then c.high_user_id else c.low_user_id end`,
    )}) as is_muted, v.start_position,
    coalesce(g.provider_id, g.id::text) as group_wire_id, g.name as group_name, g.face_id
  from ${viewers(sql)} v
  join chats c on c.id = v.chat_id
  left join chat_members m on m.chat_id = c.id and m.user_id = ${userId}
  left join im_groups g on g.id = c.group_id
  where v.user_id = ${userId} and (c.group_id is null or g.deleted_at is null) ${where}`

export async function findChat(sql: Db, id: number, userId: number): Promise<ChatRow | undefined> {
  const [row] = await sql<ChatRow[]>`${selectChats(sql, userId, sql`and c.id = ${id}`)}`
  return row
}

export const listChats = (
  sql: Db,
  userId: number,
  { limit = 20, before }: { limit?: number; before?: number },
) =>
  sql<ChatRow[]>`
    select * from (${selectChats(sql, userId, sql`and c.last_message_id > 0 ${ifGiven(sql, before, (id) => sql`and c.last_message_id < ${id}`)}`)}) t
    where t.last_position > t.hidden_position order by t.last_message_id desc limit ${limit}`

/** Counts unread messages of all conversations that are not muted. */
export async function countUnread(sql: Db, userId: number): Promise<number> {
  const [row] = await sql<[{ unread: number }]>`
    select coalesce(sum(t.last_position - t.read_position), 0)::bigint as unread
    from (${selectChats(sql, userId, sql`and c.last_message_id > 0`)}) t
    where t.last_position > greatest(t.hidden_position, t.read_position) and not t.is_muted`
  return row.unread
}

export async function ensurePairChat(sql: Db, one: number, other: number): Promise<number> {
  const [low, high] = one < other ? [one, other] : [other, one]
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into chats (low_user_id, high_user_id) values (${low}, ${high})
      on conflict (low_user_id, high_user_id) do nothing returning id
    )
    select id from made
    union all select id from chats where low_user_id = ${low} and high_user_id = ${high} limit 1`
  return row?.id ?? ensurePairChat(sql, one, other)
}

export async function ensureGroupChat(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into chats (group_id) values (${groupId}) on conflict (group_id) do nothing returning id
    )
    select id from made union all select id from chats where group_id = ${groupId} limit 1`
  return row?.id ?? ensureGroupChat(sql, groupId)
}

export async function updateReadPosition(
  sql: Db,
  chatId: number,
  userId: number,
  position: number,
): Promise<number> {
  const [row] = await sql<[{ read_position: number }]>`
    insert into chat_members as m (chat_id, user_id, read_position, read_tx_id)
    select id, ${userId}, least(${position}, last_position), site_tx_id() from chats where id = ${chatId}
    on conflict (chat_id, user_id) do update
      set read_position = greatest(m.read_position, excluded.read_position), updated_at = excluded.updated_at,
        read_tx_id = case when excluded.read_position > m.read_position then excluded.read_tx_id else m.read_tx_id end
    returning read_position`
  return row.read_position
}

/**
 * Lists read positions that the user and, with `seesOthers`, the other users of conversations of two stored since the
 * given position of a transaction.
 */
export const listReadsSince = (
  sql: Db,
  userId: number,
  { since, seesOthers, limit }: { since: number; seesOthers: boolean; limit: number },
) => sql<{ chat_id: number; user_id: number; position: number }[]>`
  select chat_id, user_id, read_position as position from chat_members
  where user_id = ${userId} and read_tx_id >= ${since}
  union all
  select m.chat_id, m.user_id, m.read_position from (
    select id, high_user_id as other from chats where low_user_id = ${userId}
    union all select id, low_user_id from chats where high_user_id = ${userId}
  ) c
  join chat_members m on m.chat_id = c.id and m.user_id = c.other
  where ${seesOthers} and m.read_tx_id >= ${since} and ${hasNoBlock(sql, sql`m.user_id`, userId)}
  limit ${limit}`

export async function updateMuted(sql: Db, chatId: number, userId: number, muted: boolean): Promise<void> {
  await sql`
    insert into chat_members (chat_id, user_id, is_muted) values (${chatId}, ${userId}, ${muted})
    on conflict (chat_id, user_id) do update set is_muted = excluded.is_muted`
}

export async function hideMessages(sql: Db, chatId: number, userId: number): Promise<void> {
  await sql`
    insert into chat_members as m (chat_id, user_id, read_position, hidden_position)
    select id, ${userId}, last_position, last_position from chats where id = ${chatId}
    on conflict (chat_id, user_id) do update set read_position = excluded.read_position,
      hidden_position = excluded.hidden_position, updated_at = excluded.updated_at`
}

/** Condition that neither user blocks the other. */
export const hasNoBlock = (sql: Db, person: Fragment, userId: number): Fragment => sql`
  (not ${hasBlocked(sql, person, userId)} and not ${hasBlocked(sql, sql`${userId}`, person)})`

/** Lists read positions without those of members with a block between them and the viewer (im-14). */
export const listReadPositions = (sql: Db, chatId: number, viewerId: number) => sql<
  { user_id: number; read_position: number; updated_at: string }[]
>`
  select m.user_id, m.read_position, m.updated_at from chat_members m join chats c on c.id = m.chat_id
  where m.chat_id = ${chatId} and (c.group_id is null
    or exists (select from im_group_members g where g.group_id = c.group_id and g.user_id = m.user_id))
    and ${hasNoBlock(sql, sql`m.user_id`, viewerId)}
  order by m.user_id`

export const listChatMembers = (sql: Db, chatIds: number[]) => sql<{ chat_id: number; user_id: number }[]>`
  select v.chat_id, v.user_id from ${viewers(sql)} v where v.chat_id = any(${chatIds})`

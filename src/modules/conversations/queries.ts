import { andAfterCursor, type Db, type Row } from '#platform/database'
import type { ConversationQuery } from './schema.ts'

export type ConversationRow = Row<'feedback', 'id' | 'user_id' | 'content' | 'system_mark' | 'created_at'> & {
  type: 'system' | 'feedback'
  to_user_id: number
}

const feedbackColumns = (sql: Db) => sql`
  id, 'feedback' as type, user_id, 0::bigint as to_user_id, content, system_mark, created_at`

/** Columns of a notice in a conversation. Its mark is the time, like that of feedback without one. */
const noticeColumns = (sql: Db, toUserId: number) => sql`
  id, 'system' as type, 0::bigint as user_id, ${toUserId}::bigint as to_user_id, contents as content,
  (extract(epoch from created_at)::bigint * 1000) as system_mark, created_at`

export async function insertFeedback(
  sql: Db,
  userId: number,
  { content, mark }: { content: string; mark: number | null },
): Promise<ConversationRow> {
  const [row] = await sql<[ConversationRow]>`
    insert into feedback (user_id, content, system_mark)
    values (${userId}, ${content}, coalesce(${mark}, extract(epoch from now())::bigint * 1000))
    returning ${feedbackColumns(sql)}`
  return row
}

/** A user's feedback and the notices to them or everybody, newest first. */
export const listConversations = (sql: Db, userId: number, query: ConversationQuery) => {
  const { limit = 15, max_id: cursor = 0, order = false } = query
  const beyond = andAfterCursor(sql, sql`id`, cursor, order ? 'asc' : 'desc')
  return sql<ConversationRow[]>`
    (select ${feedbackColumns(sql)} from feedback
      where user_id = ${userId} ${beyond} order by id desc limit ${limit})
    union all
    (select ${noticeColumns(sql, 0)} from notices
      where user_ids is null and status <> 'withdrawn' ${beyond} order by id desc limit ${limit})
    union all
    (select ${noticeColumns(sql, userId)} from notices
      where user_ids @> array[${userId}::bigint] and status <> 'withdrawn' ${beyond} order by id desc limit ${limit})
    order by id desc limit ${limit}`
}

/** Deletes feedback and returns its author. Undefined for an unknown id. */
export async function deleteFeedback(sql: Db, id: number): Promise<number | undefined> {
  const [row] = await sql<{ user_id: number }[]>`delete from feedback where id = ${id} returning user_id`
  return row?.user_id
}

export const deleteFeedbackOf = (sql: Db, userId: number) => sql`
  delete from feedback where user_id = ${userId}`

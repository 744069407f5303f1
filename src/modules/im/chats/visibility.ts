import { hasBlocked } from '#modules/users/index.ts'
import type { Db, Fragment } from '#platform/database'

/**
 * Relation of the members of all conversations, as `(chat_id, user_id, start_position)`. Members see messages after
 * `start_position`, where they joined the group or last cleared the conversation. Queries restrict `chat_id` or `user_id`
 * by a parameter or in a lateral query, because PostgreSQL does not push the condition of a join into a union. There
 * "offset 0" keeps the planner from turning the lateral query into a join.
 */
export const viewers = (sql: Db): Fragment => sql`(
  select c.id as chat_id, c.low_user_id as user_id, coalesce(o.hidden_position, 0) as start_position
  from chats c left join chat_members o on o.chat_id = c.id and o.user_id = c.low_user_id
  where c.group_id is null
  union all
  select c.id, c.high_user_id, coalesce(o.hidden_position, 0)
  from chats c left join chat_members o on o.chat_id = c.id and o.user_id = c.high_user_id
  where c.group_id is null
  union all
  select c.id, g.user_id, greatest(g.start_position, coalesce(o.hidden_position, 0))
  from im_group_members g join chats c on c.group_id = g.group_id
  left join chat_members o on o.chat_id = c.id and o.user_id = g.user_id
)`

/**
 * Condition that viewer `v` may see message `m`. Every place that shows a message to a member uses this condition
 * (im-18).
 */
export const isVisible = (sql: Db): Fragment => sql`
  m.chat_id = v.chat_id and m.position > v.start_position
    and not ${hasBlocked(sql, sql`v.user_id`, sql`m.sender_id`)}`

/** Finds who of `userIds` may see which of the messages. */
export const findReaders = (sql: Db, messageIds: number[], userIds: number[]) => sql<
  { message_id: number; user_id: number }[]
>`
  select m.id as message_id, v.user_id from chat_messages m
  cross join lateral (
    select * from ${viewers(sql)} v where v.chat_id = m.chat_id and v.user_id = any(${userIds}) offset 0
  ) v
  where m.id = any(${messageIds}) and ${isVisible(sql)}`

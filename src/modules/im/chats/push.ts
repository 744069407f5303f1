import { cutText } from '#lib/text.ts'
import { anyHasDevice, pushToDevices, type Retry } from '#modules/push/index.ts'
import { hasMuted, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { readChatSettings } from '../settings.ts'
import { isVisible, viewers } from './visibility.ts'

type ChatPush = Retry & { chat: number; position: number }

/** Gives connected clients time to read the message, because a read message needs no push. */
const DELAY_SECONDS = 3

/**
 * A waiting job also covers later messages. A busy conversation therefore causes at most one push every few
 * seconds.
 */
export async function addChatPush(
  sql: Db,
  chatId: number,
  senderId: number,
  position: number,
): Promise<void> {
  const members = sql`
    select v.user_id from ${viewers(sql)} v where v.chat_id = ${chatId} and v.user_id <> ${senderId}`
  const payload = sql.json({ chat: chatId, position } satisfies ChatPush)
  await sql`
    select graphile_worker.add_job('push_chat', payload => ${payload}::json,
      run_at => now() + make_interval(secs => ${DELAY_SECONDS}), max_attempts => 12,
      job_key => ${`push_chat:${chatId}`}, job_key_mode => 'preserve_run_at')
    where ${anyHasDevice(sql, members)}`
}

/** Number of messages before the newest one that a push message may announce instead. */
const COVERED = 20

type Pushable = {
  sender_id: number
  body: string
  has_file: boolean
  group_name: string | null
  members: number[]
}

/**
 * Finds for each member the newest unread message that the member may see. The newest message of all may be deleted, or
 * its sender blocked.
 */
const findPushable = (sql: Db, chatId: number, position: number) => sql<Pushable[]>`
  with recent as materialized (
    select m.* from chat_messages m
    where m.chat_id = ${chatId} and m.position <= ${position} and m.position > ${position} - ${COVERED}::int
      and m.deleted_at is null and m.sender_id is not null and m.created_at >= (
        select newest.created_at - make_interval(secs => ${DELAY_SECONDS}) from chat_messages newest
        where newest.chat_id = ${chatId} and newest.position = ${position})
  ), shown as (
    select distinct on (v.user_id) v.user_id, m.position
    from recent m
    cross join lateral (select * from ${viewers(sql)} v where v.chat_id = m.chat_id offset 0) v
    left join chat_members o on o.chat_id = v.chat_id and o.user_id = v.user_id
    where ${isVisible(sql)} and v.user_id <> m.sender_id and coalesce(o.read_position, 0) < m.position
      and not coalesce(o.is_muted, false) and not ${hasMuted(sql, sql`v.user_id`, sql`m.sender_id`)}
    order by v.user_id, m.position desc
  )
  select m.sender_id, m.body, m.file_id is not null as has_file, g.name as group_name, s.members
  from (select position, array_agg(user_id) as members from shown group by position) s
  join recent m on m.position = s.position
  join chats c on c.id = m.chat_id
  left join im_groups g on g.id = c.group_id`

export async function pushChat(ctx: Context, pushed: ChatPush): Promise<void> {
  const { sql } = ctx
  const messages = await findPushable(sql, pushed.chat, pushed.position)
  const senders = await userViews(ctx, sql, [...new Set(messages.map(({ sender_id }) => sender_id))], 0)
  const isPrivate = !(await readChatSettings(ctx))['chat:push-text']
  const byMember = new Map(messages.flatMap((message) => message.members.map((id) => [id, message] as const)))
  await pushToDevices(ctx, {
    task: 'push_chat',
    retry: pushed,
    users: [...byMember.keys()],
    draftsOf: ({ user_id, language }) => {
      const message = byMember.get(user_id)
      const sender = message && senders.get(message.sender_id)
      if (!sender) return []
      const title = message.group_name === null ? sender.name : `${sender.name} · ${message.group_name}`
      const other = message.has_file
        ? { en: 'Sent a file', zh: '发送了文件' }
        : { en: 'Sent a link', zh: '发送了链接' }
      const text = message.body === '' ? other[language] : cutText(message.body, 200)
      return [{ title, text, isPrivate, data: { id: pushed.chat, type: 'chat' } }]
    },
  })
}

import { type EventStream, eventOf, type OpenStreams } from '#modules/notifications/index.ts'
import { isFollowing } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, sendSignal } from '#platform/database'
import { readChatSettings } from '../settings.ts'
import { hasNoBlock } from './queries.ts'

export const TYPING_SIGNAL = 'chat-typing'
export const PRESENCE_SIGNAL = 'chat-presence'

/** Maximum member ids per signal, because PostgreSQL limits a NOTIFY payload to 8,000 bytes. */
const NAMED_AT_ONCE = 500

type FindReaders = (chatIds: number[]) => Promise<Map<number, number[]>>

type Acquaintance = {
  id: number
  /** Whether the person may see the presence and typing of the user. */
  sees: boolean
  /** Whether the person shows presence to the user. */
  shows: boolean
}

/**
 * Finds who of the people sees and shows presence (im-15). Otherwise everybody could learn who is online, because
 * anybody can open a conversation with anybody and add them to a group.
 */
async function findAcquaintances(
  sql: Db,
  chatId: number,
  userId: number,
  people: number[],
): Promise<Acquaintance[]> {
  const others = people.filter((id) => id !== userId)
  if (others.length === 0) return []
  const person = sql`p.id`
  const isGroup = sql`c.group_id is not null`
  const wrote = sql`coalesce(me.has_written, false)`
  const theyWrote = sql`coalesce(o.has_written, false)`
  const areFriends = sql`(${isFollowing(sql, userId, person)} and ${isFollowing(sql, person, sql`${userId}`)})`
  return sql<Acquaintance[]>`
    select p.id, f.are_friends or (${wrote} and (${isGroup} or ${theyWrote})) as sees,
      f.are_friends or (${theyWrote} and (${isGroup} or ${wrote})) as shows
    from unnest(${others}::bigint[]) as p (id)
    join chats c on c.id = ${chatId}
    left join chat_members me on me.chat_id = c.id and me.user_id = ${userId}
    left join chat_members o on o.chat_id = c.id and o.user_id = p.id
    cross join lateral (select ${areFriends} as are_friends) f
    where ${hasNoBlock(sql, person, userId)}`
}

/** Skips streams whose buffer is full, because a late typing or presence event is useless. */
function sendNow(streams: EventStream[], event: string, data: object): void {
  for (const stream of streams)
    if (stream.isReady()) stream.write(eventOf(stream, event, JSON.stringify(data)))
}

export async function deliverTyping(
  { sql }: Context,
  streams: OpenStreams,
  findReaders: FindReaders,
  lines: string[],
): Promise<void> {
  const pairs = lines.map((line) => line.split(':').map(Number) as [number, number])
  const readers = await findReaders(pairs.map(([chat]) => chat))
  for (const [chat, user] of pairs)
    for (const { id, sees } of await findAcquaintances(sql, chat, user, readers.get(chat) ?? []))
      if (sees) sendNow(streams.of(id), 'typing', { chat_id: chat, user_id: user })
}

/**
 * Line `chat:asker` requests the connected members of a chat, and `chat:asker:members` is the answer. Answers
 * are signals, because the asker may be connected to another process.
 */
export async function deliverPresence(
  ctx: Context,
  streams: OpenStreams,
  findReaders: FindReaders,
  lines: string[],
): Promise<void> {
  const { sql } = ctx
  if (!(await readChatSettings(ctx))['chat:presence']) return
  const parts = lines.map((line) => {
    const [chat, asker, members] = line.split(':')
    return { chat: Number(chat), asker: Number(asker), members: members?.split(',').map(Number) }
  })
  const questions = parts.filter(({ members }) => members === undefined)
  const readers = await findReaders(questions.map(({ chat }) => chat))
  for (const { chat, asker } of questions) {
    const people = await findAcquaintances(sql, chat, asker, readers.get(chat) ?? [])
    for (const { id, sees } of people)
      if (sees) sendNow(streams.of(id), 'presence', { chat_id: chat, user_ids: [asker] })
    const here = people.filter(({ shows }) => shows).map(({ id }) => id)
    for (let start = 0; start < here.length; start += NAMED_AT_ONCE)
      sendSignal(sql, PRESENCE_SIGNAL, `${chat}:${asker}:${here.slice(start, start + NAMED_AT_ONCE)}`)
  }
  for (const { chat, asker, members } of parts)
    if (members) sendNow(streams.of(asker), 'presence', { chat_id: chat, user_ids: members })
}

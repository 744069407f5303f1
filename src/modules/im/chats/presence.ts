import { findBlockers, notBlockedBy } from '#modules/accounts/index.ts'
import { type EventStream, eventOf, type OpenStreams } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, sendSignal } from '#platform/database'

export const TYPING_SIGNAL = 'chat-typing'
export const PRESENCE_SIGNAL = 'chat-presence'

/** Maximum member ids per signal, because PostgreSQL limits a NOTIFY payload to 8,000 bytes. */
const NAMED_AT_ONCE = 500

type FindReaders = (chatIds: number[]) => Promise<Map<number, number[]>>

/** Drops the user, and the people with a block between them and the user. */
export async function withoutBlocks(sql: Db, userId: number, people: number[]): Promise<number[]> {
  const others = people.filter((id) => id !== userId)
  if (others.length === 0) return []
  const blockers = await findBlockers(sql, userId, others)
  const rows = await sql<{ id: number }[]>`
    select p.id from unnest(${others}::bigint[]) as p (id) where true ${notBlockedBy(sql, userId, sql`p.id`)}`
  return rows.map(({ id }) => id).filter((id) => !blockers.has(id))
}

/**
 * Skips streams that are behind or whose buffer is full, because a late typing or presence event is useless.
 */
function sendNow(streams: EventStream[], event: string, data: object): void {
  for (const stream of streams)
    if (stream.isReady() && !stream.chats?.isBehind)
      stream.write(eventOf(stream, event, JSON.stringify(data)))
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
    for (const reader of await withoutBlocks(sql, user, readers.get(chat) ?? []))
      sendNow(streams.of(reader), 'typing', { chat_id: chat, user_id: user })
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
  if (!(await readSettings(ctx))['chat:presence']) return
  const parts = lines.map((line) => {
    const [chat, asker, members] = line.split(':')
    return { chat: Number(chat), asker: Number(asker), members: members?.split(',').map(Number) }
  })
  const questions = parts.filter(({ members }) => members === undefined)
  const readers = await findReaders(questions.map(({ chat }) => chat))
  for (const { chat, asker } of questions) {
    const here = await withoutBlocks(sql, asker, readers.get(chat) ?? [])
    for (const reader of here) sendNow(streams.of(reader), 'presence', { chat_id: chat, user_ids: [asker] })
    for (let start = 0; start < here.length; start += NAMED_AT_ONCE)
      sendSignal(sql, PRESENCE_SIGNAL, `${chat}:${asker}:${here.slice(start, start + NAMED_AT_ONCE)}`)
  }
  for (const { chat, asker, members } of parts)
    if (members) sendNow(streams.of(asker), 'presence', { chat_id: chat, user_ids: members })
}

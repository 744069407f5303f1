import {
  type CreateChatSource,
  type EventStream,
  eventOf,
  type OpenStreams,
} from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, logFailure } from '#platform/database'
import { findMessages, type MessageRow, messageColumns } from './messages/queries.ts'
import { CHANGE_SIGNAL, MESSAGE_SIGNAL, messageViews } from './messages/service.ts'
import { deliverPresence, deliverTyping, PRESENCE_SIGNAL, TYPING_SIGNAL } from './presence.ts'
import { listChatMembers } from './queries.ts'
import { listMissedReads, READ_SIGNAL } from './service.ts'
import { findReaders, isVisible, viewers } from './visibility.ts'

/** Reads positions of transactions, as `site_tx_id` stores them: transaction ids that are comparable over all epochs. */
async function findHorizon(sql: Db): Promise<{ oldest: number; newest: number }> {
  const [row] = await sql<[{ oldest: number; newest: number }]>`
    select pg_snapshot_xmin(s)::text::bigint + tx_offset as oldest,
      pg_snapshot_xmax(s)::text::bigint + tx_offset as newest
    from pg_current_snapshot() as s, site_epoch`
  return row
}

/**
 * Selects messages after the last delivered position of each conversation. For a conversation without such a
 * position, selects messages of the transactions with a position of at least `since`.
 */
const findUnsent = (sql: Db, chats: { id: number; position: number | undefined }[], since: number) => sql<
  MessageRow[]
>`
  select ${messageColumns(sql)}
  from unnest(${chats.map(({ id }) => id)}::bigint[], ${chats.map(({ position }) => position ?? null)}::bigint[])
    as t (chat_id, position)
  cross join lateral (
    select * from chat_messages o where o.chat_id = t.chat_id
      and o.position > coalesce(t.position, 0) and (t.position is not null or o.tx_id >= ${since})
  ) as m
  order by m.chat_id, m.position`

async function findSince(
  sql: Db,
  since: number,
): Promise<{ chats: { chat_id: number; position: number }[]; messages: number[] }> {
  const rows = await sql<{ chat_id: number; position: number; changed: number[] }[]>`
    select chat_id, max(position) as position,
      coalesce(array_agg(id) filter (where edited_at is not null or deleted_at is not null), '{}') as changed
    from chat_messages where tx_id >= ${since} group by chat_id`
  return { chats: rows, messages: rows.flatMap(({ changed }) => changed) }
}

const listMissed = (sql: Db, userId: number, cursor: number, limit: number) => sql<MessageRow[]>`
  with mine as materialized (select * from ${viewers(sql)} v where v.user_id = ${userId})
  select ${messageColumns(sql)} from mine v join chat_messages m on ${isVisible(sql)}
  where m.tx_id >= ${cursor}
  order by m.chat_id, m.position limit ${limit}`

/**
 * Maximum messages sent to a resuming stream. A client that missed more receives `reset` and reloads its
 * conversations.
 */
const MISSED_MOST = 500
const CHATS_AT_ONCE = 200
/**
 * Maximum age of an open transaction that holds back the cursors of streams. Exceeds the duration of any
 * transaction that sends a message.
 */
const LONGEST_TRANSACTION_MS = 120_000
/** Number of delivered positions above which the process clears them all. It may then deliver a message twice. */
const KNOWN_CHATS_MOST = 100_000

const NOTHING = { open: async () => true, resume: async () => {}, poll() {}, forget() {}, close() {} }

/**
 * Delivers each chat message at least once to the open streams of this process. `poll` finds messages whose
 * signal was lost.
 */
export const createChatSource: CreateChatSource = (ctx, streams) =>
  ctx.config.imProvider === 'embedded' ? createSource(ctx, streams) : NOTHING

function createSource(ctx: Context, streams: OpenStreams): ReturnType<CreateChatSource> {
  const { sql, signals, log } = ctx
  /** Ids of conversations with new messages. */
  const dirty = new Set<number>()
  const changed = new Set<number>()
  const typing = new Set<string>()
  const presence = new Set<string>()
  const resuming = new WeakSet<EventStream>()
  /** Positions of the current epoch. A task that a new epoch interrupts keeps the object of its own epoch. */
  const createPositions = () => ({
    /** Last delivered position of each conversation. */
    delivered: new Map<number, number>(),
    polled: undefined as number | undefined,
    samples: [] as { at: number; newest: number }[],
  })
  let positions = createPositions()
  let draining: Promise<void> | undefined
  let polling = false
  let closed = false

  async function horizon(known = positions): Promise<{ cursor: number; newest: number }> {
    const { oldest, newest } = await findHorizon(sql)
    const now = performance.now()
    const past = known.samples.filter(({ at }) => at < now - LONGEST_TRANSACTION_MS).at(-1)
    if (now - (known.samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > 1000)
      known.samples.push({ at: now, newest })
    known.samples = known.samples.filter(
      (sample) => sample === past || sample.at >= now - LONGEST_TRANSACTION_MS,
    )
    return { cursor: Math.max(oldest, past?.newest ?? 0), newest }
  }

  /**
   * Drops the event if the stream is behind or its buffer is full. `catchUp` later sends the messages that a
   * stream missed.
   */
  function send(stream: EventStream, event: string, data: string) {
    const { chats } = stream
    if (!chats) return
    if (chats.isBehind || !stream.isReady()) {
      chats.isBehind = true
      chats.hasMissed = true
    } else stream.write(eventOf(stream, event, data))
  }

  async function connectedMembers(chatIds: number[]): Promise<Map<number, number[]>> {
    const members = await listChatMembers(sql, chatIds)
    const here = members.filter(({ user_id }) => streams.of(user_id).length > 0)
    return new Map(
      [...Map.groupBy(here, ({ chat_id }) => chat_id)].map(([id, rows]) => [
        id,
        rows.map(({ user_id }) => user_id),
      ]),
    )
  }

  /** A stream's cursor is the position of a transaction. The stream has sent all messages of older transactions. */
  const hasSent = ({ chats }: EventStream, row: MessageRow, isNew: boolean) =>
    row.tx_id < (chats?.cursor ?? 0) || (isNew && row.position <= (chats?.sent.get(row.chat_id) ?? 0))

  /** Sends the messages to those connected members who may see them (im-18). */
  async function deliver(rows: MessageRow[], members: Map<number, number[]>, isNew: boolean) {
    const here = [...new Set(rows.flatMap(({ chat_id }) => members.get(chat_id) ?? []))]
    if (here.length === 0) return
    const views = await messageViews(ctx, rows)
    const ids = rows.map(({ id }) => id)
    const readers = Map.groupBy(await findReaders(sql, ids, here), ({ message_id }) => message_id)
    for (const [index, view] of views.entries()) {
      const row = rows[index] as MessageRow
      const data = JSON.stringify(view)
      for (const { user_id: user } of readers.get(view.id) ?? [])
        for (const stream of streams.of(user)) if (!hasSent(stream, row, isNew)) send(stream, 'message', data)
    }
  }

  async function deliverNew(chatIds: number[]) {
    const known = positions
    const { delivered } = known
    const readers = await connectedMembers(chatIds)
    for (const id of chatIds) if (!readers.has(id)) delivered.delete(id)
    const places = [...readers.keys()].map((id) => ({ id, position: delivered.get(id) }))
    if (places.length === 0) return
    const rows = await findUnsent(sql, places, known.polled ?? (await horizon(known)).cursor)
    await deliver(rows, readers, true)
    if (delivered.size > KNOWN_CHATS_MOST) delivered.clear()
    for (const { chat_id, position } of rows) delivered.set(chat_id, position)
  }

  async function deliverChanged(ids: number[]) {
    const rows = await findMessages(sql, ids)
    await deliver(rows, await connectedMembers([...new Set(rows.map(({ chat_id }) => chat_id))]), false)
  }

  const take = <T>(set: Set<T>): T[] => {
    const taken = [...set].slice(0, CHATS_AT_ONCE)
    for (const each of taken) set.delete(each)
    return taken
  }

  async function work() {
    // Lets `drain` store this promise in `draining` before the last line of this function clears `draining`.
    await null
    while (dirty.size + changed.size + typing.size + presence.size > 0 && !closed) {
      const [chatIds, ids] = [take(dirty), take(changed)]
      const [typed, asked] = [take(typing), take(presence)]
      try {
        if (chatIds.length > 0) await deliverNew(chatIds)
        if (ids.length > 0) await deliverChanged(ids)
        if (asked.length > 0) await deliverPresence(ctx, streams, connectedMembers, asked)
        if (typed.length > 0) await deliverTyping(ctx, streams, connectedMembers, typed)
      } catch (error) {
        if (closed) break
        logFailure(log, error, 'delivery of chat messages failed')
        for (const id of chatIds) dirty.add(id)
        for (const id of ids) changed.add(id)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    draining = undefined
  }
  const drain = () => {
    draining ??= work()
    return draining
  }

  /** Finds messages whose signal was lost, and advances the cursors of streams that are not behind. */
  async function poll() {
    if (polling || closed) return
    polling = true
    const known = positions
    try {
      const now = await horizon(known)
      if (streams.all().length > 0 && known.polled !== undefined) {
        const { chats, messages } = await findSince(sql, known.polled)
        for (const { chat_id, position } of chats)
          if (position > (known.delivered.get(chat_id) ?? 0)) dirty.add(chat_id)
        for (const id of messages) changed.add(id)
        await drain()
      }
      known.polled = now.cursor
      if (known === positions)
        for (const { chats } of streams.all())
          if (chats?.cursor !== undefined && !chats.isBehind)
            chats.cursor = Math.max(chats.cursor, now.cursor)
    } catch (error) {
      if (!closed) logFailure(log, error, 'searching for missed chat messages failed')
    }
    polling = false
  }

  async function catchUp(stream: EventStream) {
    const { chats, viewer } = stream
    if (chats?.cursor === undefined || resuming.has(stream)) return
    resuming.add(stream)
    try {
      do {
        chats.hasMissed = false
        const now = await horizon()
        const [rows, reads] = await Promise.all([
          listMissed(sql, viewer.id, chats.cursor, MISSED_MOST + 1),
          listMissedReads(ctx, viewer.id, chats.cursor, MISSED_MOST + 1),
        ])
        if (Math.max(rows.length, reads.length) > MISSED_MOST) stream.write(eventOf(stream, 'reset', '{}'))
        else {
          for (const view of await messageViews(ctx, rows)) {
            // Skips messages that this function already sent, unless they were edited or deleted.
            const isChanged = view.deleted || view.edited_at !== null
            if (!isChanged && view.position <= (chats.sent.get(view.chat_id) ?? 0)) continue
            stream.write(eventOf(stream, 'message', JSON.stringify(view)))
            chats.sent.set(view.chat_id, Math.max(view.position, chats.sent.get(view.chat_id) ?? 0))
          }
          for (const read of reads) stream.write(eventOf(stream, 'read', JSON.stringify(read)))
        }
        chats.cursor = Math.max(chats.cursor, now.cursor)
        // Stops while the stream's buffer is full. `resume` continues after the client has read the buffer.
        if (!stream.isReady()) return
      } while (chats.hasMissed && !closed)
      chats.isBehind = false
    } catch (error) {
      // Closes the stream, so that the client reconnects and resumes at the cursor.
      stream.readable.destroy()
      if (!closed) logFailure(log, error, 'resuming a stream of chat messages failed')
    } finally {
      resuming.delete(stream)
    }
  }

  signals.on(MESSAGE_SIGNAL, (payload) => {
    const [chat = 0, position = 0] = payload.split(':').map(Number)
    if (streams.all().length === 0 || position <= (positions.delivered.get(chat) ?? 0)) return
    dirty.add(chat)
    void drain()
  })
  signals.on(CHANGE_SIGNAL, (payload) => {
    changed.add(Number(payload))
    void drain()
  })
  signals.on(TYPING_SIGNAL, (payload) => {
    typing.add(payload)
    void drain()
  })
  signals.on(PRESENCE_SIGNAL, (payload) => {
    presence.add(payload)
    void drain()
  })
  signals.on(READ_SIGNAL, (payload) => {
    const [chat, reader = 0, other = 0, position] = payload.split(':').map(Number)
    const data = JSON.stringify({ chat_id: chat, user_id: reader, position })
    for (const user of [reader, other])
      for (const stream of streams.of(user)) {
        // A stream that is catching up receives the event now and perhaps again, because positions only grow.
        if (stream.isReady()) stream.write(eventOf(stream, 'read', data))
        else send(stream, 'read', data)
      }
  })

  return {
    async open(stream, after) {
      const known = positions
      const now = await horizon(known)
      known.polled ??= now.cursor
      const isKnown = after === undefined || after <= now.newest
      if (stream.chats) stream.chats.cursor = (isKnown ? after : undefined) ?? now.cursor
      return isKnown
    },
    async resume(stream) {
      if (stream.chats?.isBehind) await catchUp(stream)
    },
    poll: () => void poll(),
    forget() {
      positions = createPositions()
    },
    close() {
      closed = true
    },
  }
}

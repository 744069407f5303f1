import { Counter } from 'prom-client'
import { findRevoked, onRevocation } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { createFairSemaphore, currentScope, type Db, logFailure } from '#platform/database'
import { epochOf } from '#platform/epoch.ts'
import { Busy, type Language } from '#platform/errors.ts'
import type { Viewer } from '#platform/http'
import { addGauge } from '#platform/observability'
import { completeRows, type NotificationRow, SIGNAL, selectOfMany } from '../queries.ts'
import { findMissing, notificationView } from '../service.ts'
import {
  type CreateChatSource,
  createEventStream,
  type EventStream,
  eventOf,
  placeOf,
} from './event-stream.ts'

async function findLastSeq(sql: Db, userId: number): Promise<number> {
  const [row] = await sql<[{ last_seq: number }]>`
    select coalesce((select last_seq from notification_cursors where user_id = ${userId}), 0)::bigint as last_seq`
  return row.last_seq
}

export type NewRow = NotificationRow & { user_id: number }

/**
 * Reads notifications after the given sequence number of each user, oldest first. `reached` is the last
 * number read.
 */
async function findNewer(
  ctx: Context,
  after: Map<number, number>,
  limit: number,
): Promise<{ rows: NewRow[]; reached: Map<number, { seq: number; isLast: boolean }> }> {
  const { sql } = ctx
  const cursors = await sql<{ user_id: number; last_seq: number }[]>`
    select user_id, last_seq from notification_cursors where user_id = any(${[...after.keys()]}::bigint[])`
  const reached = new Map<number, { seq: number; isLast: boolean }>()
  for (const { user_id, last_seq } of cursors) {
    const from = after.get(user_id) ?? last_seq
    if (last_seq > from)
      reached.set(user_id, { seq: Math.min(last_seq, from + limit), isLast: last_seq <= from + limit })
  }
  if (reached.size === 0) return { rows: [], reached }
  const users = [...reached.keys()]
  const seqs = users.map((user) => after.get(user) as number)
  const rows = await selectOfMany(sql, users, seqs, sql`n.seq > t.seq and n.seq <= t.seq + ${limit}`)
  return { rows: await completeRows(ctx, rows), reached }
}

/** Maximum streams per user. Opening another one closes the oldest. */
const MAX_OF_A_PERSON = 10
const MAX_OF_A_PROCESS = 20_000
/**
 * Fraction of the connections to the database that opening streams use together. Thousands of clients that reconnect
 * at once would otherwise delay every write by seconds.
 */
const SHARE_OF_OPENING = 0.25
const OPENING_PATIENCE_MS = 10_000
const PEOPLE_AT_ONCE = 500
const EVENTS_AT_ONCE = 50

/**
 * Sequence number after which the stream starts. With `chats`, the stream also has chat events, which start after
 * a separate cursor. `epoch` is that of these positions.
 */
export type StreamStart = { after: number | undefined; epoch: string; chats?: { after: number | undefined } }

/** Open streams of a process. One subscription to the signals of all server nodes feeds them. */
export type Hub = {
  /**
   * Opens a stream that starts after the given sequence number, or at the newest notification. Returns
   * undefined when the process has too many streams.
   */
  open(viewer: Viewer, language: Language, start: StreamStart): Promise<EventStream | undefined>
  close(): void
}

export function createHub(ctx: Context, createChats: CreateChatSource): Hub {
  const { sql, log, signals, config, metrics } = ctx
  const people = new Map<number, Set<EventStream>>()
  const waiting = new Set<number>()
  const suspects = new Set<number>()
  let size = 0
  let fetching = false
  let checking: NodeJS.Timeout | undefined
  let closed = false

  addGauge(
    metrics.registry,
    'notification_streams_open',
    'Open notification streams of this process',
    () => size,
  )
  const dropped = new Counter({
    name: 'notification_streams_dropped_total',
    help: 'Notification streams closed because their client was too slow',
    registers: [metrics.registry],
  })

  const all = () => [...people.values()].flatMap((streams) => [...streams])
  const places = Math.max(1, Math.floor(config.databasePoolSize * SHARE_OF_OPENING))
  const opening = createFairSemaphore({
    places: Array.from({ length: places }, (_, place) => place),
    patienceMs: OPENING_PATIENCE_MS,
    maxWaiting: MAX_OF_A_PROCESS,
    share: 1,
  })
  /** Waits until few enough streams are opening. The caller must return the place. */
  const takePlace = () =>
    opening.take(undefined) ??
    new Promise<number>((accept, refuse) => opening.wait(undefined, accept, refuse))

  const epoch = epochOf(ctx)
  const chats = createChats(ctx, {
    of: (user) => [...(people.get(user) ?? [])].filter((stream) => stream.chats),
    all: () => all().filter((stream) => stream.chats),
  })

  function remove(stream: EventStream) {
    const streams = people.get(stream.viewer.id)
    if (!streams?.delete(stream)) return
    size -= 1
    if (streams.size === 0) people.delete(stream.viewer.id)
  }

  const isWaiting = (
    stream: EventStream,
    asked: Map<number, number>,
  ): stream is EventStream & { last: number } =>
    stream.last !== undefined && stream.last >= (asked.get(stream.viewer.id) ?? Number.POSITIVE_INFINITY)

  /**
   * Skips a stream whose position is before the start of the fetched range, because the stream would miss the
   * rows in between. Such a stream fetches its own rows.
   */
  async function deliver(rows: NewRow[], asked: Map<number, number>) {
    const readers = new Map(rows.map((row) => [row.id, row.user_id]))
    const told = await findMissing(ctx, rows, ({ id }) => readers.get(id) ?? 0)
    for (const row of rows) {
      const events: Partial<Record<Language, string>> = {}
      for (const stream of [...(people.get(row.user_id) ?? [])]) {
        if (!isWaiting(stream, asked) || row.seq <= stream.last || !stream.isReady()) continue
        stream.last = row.seq
        events[stream.language] ??= JSON.stringify({
          type: row.type,
          ...notificationView(row, stream.language, told),
        })
        stream.write(eventOf(stream, 'notification', events[stream.language] as string))
      }
    }
  }

  async function fetchNew() {
    if (fetching) return
    fetching = true
    while (waiting.size > 0 && !closed) {
      const users = [...waiting].slice(0, PEOPLE_AT_ONCE)
      for (const user of users) waiting.delete(user)
      const asked = new Map<number, number>()
      for (const user of users) {
        const seqs = [...(people.get(user) ?? [])]
          .filter((stream) => stream.isReady())
          .map((stream) => stream.last)
          .filter((seq) => seq !== undefined)
        if (seqs.length > 0) asked.set(user, Math.min(...seqs))
      }
      if (asked.size === 0) continue
      try {
        const { rows, reached } = await findNewer(ctx, asked, EVENTS_AT_ONCE)
        await deliver(rows, asked)
        for (const [user, { seq, isLast }] of reached) {
          for (const stream of people.get(user) ?? [])
            if (isWaiting(stream, asked) && stream.isReady()) stream.last = Math.max(stream.last ?? seq, seq)
          if (!isLast) waiting.add(user)
        }
      } catch (error) {
        if (closed) break
        logFailure(log, error, 'delivery to notification streams failed')
        for (const user of users) waiting.add(user)
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    fetching = false
  }

  const wake = (users: Iterable<number>) => {
    for (const user of users) if (people.has(user)) waiting.add(user)
    void fetchNew()
  }

  /** Closes streams of revoked sessions. Waits 0.3 seconds to check several revocations together. */
  function checkSoon(users: Iterable<number>) {
    for (const user of users) if (people.has(user)) suspects.add(user)
    if (suspects.size === 0) return
    checking ??= setTimeout(async () => {
      checking = undefined
      const streams = [...suspects].flatMap((user) => [...(people.get(user) ?? [])])
      suspects.clear()
      try {
        const viewers = streams.map(({ viewer }) => viewer)
        const revoked = await findRevoked(sql, viewers)
        for (const stream of streams) if (revoked.has(stream.viewer.family)) stream.end('token_revoked')
      } catch (error) {
        if (closed) return
        logFailure(log, error, 'revocation check of notification streams failed')
        checkSoon(streams.map(({ viewer }) => viewer.id))
      }
    }, 300)
  }

  signals.on(SIGNAL, (payload) => wake(payload.split(',').map(Number)))
  onRevocation(ctx, (user) => checkSoon([user]))
  // Fetches notifications for all open streams, because signals sent while the connection was down are lost.
  signals.onReconnect(() => {
    chats.poll()
    wake(people.keys())
    checkSoon(people.keys())
  })

  // Clients reconnect after a random delay, and then receive `reset`, because their positions are of an earlier epoch.
  epoch.onChange(() => {
    chats.forget()
    for (const stream of all()) stream.end('epoch_changed')
  })

  const beats = setInterval(() => {
    // Fetches notifications whose signal was lost, because a process died between the commit and the signal.
    wake(people.keys())
    chats.poll()
    checkSoon(people.keys())
    const now = performance.now()
    for (const stream of all()) {
      if (stream.viewer.expiresAt <= now) stream.end('token_expired')
      // Sends no heartbeat to a stream that is still opening, because its response has not started.
      else if (stream.last !== undefined && !stream.beat()) dropped.inc()
    }
  }, config.streamHeartbeatMs)
  beats.unref()

  return {
    async open(viewer, language, { after, epoch: askedEpoch, chats: wanted }) {
      if (closed || size >= MAX_OF_A_PROCESS) return undefined
      const place = await takePlace()
      const leavePlace = () => opening.give(place, [])
      if (closed || currentScope()?.isGone) {
        leavePlace()
        throw new Busy('the stream is no longer wanted')
      }
      const stream = createEventStream(viewer, language, {
        onReady: () => {
          wake([viewer.id])
          if (stream.chats) void chats.resume(stream)
        },
        onClose: () => {
          clearTimeout(expiry)
          remove(stream)
        },
      })
      if (wanted) stream.chats = { cursor: undefined, isBehind: true, hasMissed: false, sent: new Map() }
      const expiry = setTimeout(
        () => stream.end('token_expired'),
        Math.max(0, viewer.expiresAt - performance.now()),
      )
      expiry.unref()
      const streams = people.get(viewer.id) ?? new Set()
      people.set(viewer.id, streams.add(stream))
      size += 1
      if (streams.size > MAX_OF_A_PERSON) [...streams][0]?.end('too_many_streams')
      let mustReset = false
      try {
        stream.epoch = await epoch.name()
        const hasPlace = after !== undefined || wanted?.after !== undefined
        const isCurrent = askedEpoch === stream.epoch
        // The stream is registered before these queries. Otherwise the stream could miss a notification that is
        // committed in between.
        const [newest, hasChats] = await Promise.all([
          findLastSeq(sql, viewer.id),
          wanted ? chats.open(stream, isCurrent ? wanted.after : undefined) : true,
        ])
        mustReset = hasPlace && !(isCurrent && hasChats && (after ?? newest) <= newest)
        stream.last = mustReset ? newest : (after ?? newest)
      } catch (error) {
        stream.readable.destroy()
        leavePlace()
        throw error
      }
      // Randomizes the retry delay, so that clients do not reconnect all at once. Sends the start position
      // for a client that disconnects before its first notification (notifications-12).
      stream.write(`retry: ${1000 + Math.floor(Math.random() * 2000)}\nid: ${placeOf(stream)}\n\n`)
      if (mustReset) stream.write(eventOf(stream, 'reset', '{}'))
      // The response starts now, and the place is free when the stream has caught up.
      void chats.resume(stream).finally(leavePlace)
      wake([viewer.id])
      // Another request may have revoked the session while this stream opened.
      checkSoon([viewer.id])
      return stream
    },
    close() {
      closed = true
      clearInterval(beats)
      clearTimeout(checking)
      void opening.close()
      chats.close()
      const streams = all()
      for (const stream of streams) stream.end('server_closing')
      // Destroys the remaining streams, because a client that stops reading would block the shutdown.
      setTimeout(() => {
        for (const { readable } of streams) readable.destroy()
      }, 1000).unref()
    },
  }
}

import { Counter, Gauge } from 'prom-client'
import { findRevoked, onRevocation } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import type { Viewer } from '#platform/http.ts'
import { SIGNAL } from '../queries.ts'
import { findMissing } from '../system/service.ts'
import { notificationView } from '../view.ts'
import { createEventStream, type EventStream, eventOf } from './event-stream.ts'
import { findLastSeq, findNewer, type NewRow } from './queries.ts'

/** Streams of one person; opening one more ends the oldest. */
const MAX_OF_A_PERSON = 10
const MAX_OF_A_PROCESS = 20_000
const PEOPLE_AT_ONCE = 500
const EVENTS_AT_ONCE = 50

/** The open streams of a process, fed by one subscription to the signals of all nodes. */
export type Hub = {
  /** Opens a stream that begins after the given place, else with what is new; undefined when there are too many. */
  open(viewer: Viewer, language: Language, after: number | undefined): Promise<EventStream | undefined>
  close(): void
}

export function createHub(ctx: Context): Hub {
  const { sql, log, signals, config, metrics } = ctx
  const people = new Map<number, Set<EventStream>>()
  const waiting = new Set<number>()
  const suspects = new Set<number>()
  let size = 0
  let fetching = false
  let checking: NodeJS.Timeout | undefined
  let closed = false

  new Gauge({
    name: 'notification_streams_open',
    help: 'Open notification streams of this process',
    registers: [metrics.registry],
    collect() {
      this.set(size)
    },
  })
  const dropped = new Counter({
    name: 'notification_streams_dropped_total',
    help: 'Notification streams ended because their reader was too slow',
    registers: [metrics.registry],
  })

  const all = () => [...people.values()].flatMap((streams) => [...streams])

  function remove(stream: EventStream) {
    const streams = people.get(stream.viewer.id)
    if (!streams?.delete(stream)) return
    size -= 1
    if (streams.size === 0) people.delete(stream.viewer.id)
  }

  /**
   * Brings rows to the streams that were asked for. A stream that began, or wanted more, while the query ran may
   * stand before the place asked after: giving it these rows would skip what lies between, and it has been
   * announced again meanwhile.
   */
  async function deliver(rows: NewRow[], asked: Map<number, number>) {
    const readers = new Map(rows.map((row) => [row.id, row.user_id]))
    const told = await findMissing(ctx, rows, ({ id }) => readers.get(id) ?? 0)
    for (const row of rows) {
      const events: Partial<Record<Language, string>> = {}
      const from = asked.get(row.user_id) ?? Number.POSITIVE_INFINITY
      for (const stream of [...(people.get(row.user_id) ?? [])]) {
        if (stream.last === undefined || stream.last < from) continue
        if (row.seq <= stream.last || !stream.isReady()) continue
        stream.last = row.seq
        events[stream.language] ??= eventOf(row.seq, {
          type: row.type,
          ...notificationView(row, stream.language, told),
        })
        stream.write(events[stream.language] as string)
      }
    }
  }

  /** Fetches what is new for everybody waiting, however many signals there were. */
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
        const after = { users: [...asked.keys()], seqs: [...asked.values()] }
        const rows = await findNewer(sql, after, EVENTS_AT_ONCE)
        await deliver(rows, asked)
        const counts = new Map<number, number>()
        for (const { user_id } of rows) counts.set(user_id, (counts.get(user_id) ?? 0) + 1)
        for (const [user, count] of counts) if (count === EVENTS_AT_ONCE) waiting.add(user)
      } catch (error) {
        if (closed) break
        log.warn({ err: error }, 'notification streams')
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

  /** Ends the streams of revoked sign-ins; revocations of half a second are looked up together. */
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
        log.warn({ err: error }, 'notification streams')
        checkSoon(streams.map(({ viewer }) => viewer.id))
      }
    }, 300)
  }

  signals.on(SIGNAL, (payload) => wake(payload.split(',').map(Number)))
  onRevocation(ctx, (user) => checkSoon([user]))
  // What was signalled while the connection was away is gone.
  signals.onReconnect(() => {
    wake(people.keys())
    checkSoon(people.keys())
  })

  const beats = setInterval(() => {
    // A process that died before it could tell: what it had committed is found by looking.
    wake(people.keys())
    checkSoon(people.keys())
    const now = performance.now()
    for (const stream of all()) {
      if (stream.viewer.expiresAt <= now) stream.end('token_expired')
      else if (!stream.beat()) dropped.inc()
    }
  }, config.streamHeartbeatMs)
  beats.unref()

  return {
    async open(viewer, language, after) {
      if (closed || size >= MAX_OF_A_PROCESS) return undefined
      const stream = createEventStream(viewer, language, {
        onReady: () => wake([viewer.id]),
        onClose: () => {
          clearTimeout(expiry)
          remove(stream)
        },
      })
      const expiry = setTimeout(
        () => stream.end('token_expired'),
        Math.max(0, viewer.expiresAt - performance.now()),
      )
      expiry.unref()
      const streams = people.get(viewer.id) ?? new Set()
      people.set(viewer.id, streams.add(stream))
      size += 1
      if (streams.size > MAX_OF_A_PERSON) [...streams][0]?.end('too_many_streams')
      try {
        // Known to the hub first, asked where to begin second: nothing that commits in between is missed.
        const newest = await findLastSeq(sql, viewer.id)
        stream.last = Math.min(after ?? newest, newest)
      } catch (error) {
        stream.readable.destroy()
        throw error
      }
      // Readers of a server that went away do not all come back in the same instant.
      // Where it begins, for a reader that is cut off before its first event (notifications-12).
      stream.write(`retry: ${1000 + Math.floor(Math.random() * 2000)}\nid: ${stream.last}\n\n`)
      wake([viewer.id])
      // The sign-in may have been ended between its check and now.
      checkSoon([viewer.id])
      return stream
    },
    close() {
      closed = true
      clearInterval(beats)
      clearTimeout(checking)
      const streams = all()
      for (const stream of streams) stream.end('server_closing')
      // Whoever does not read the end would keep the server from closing.
      setTimeout(() => {
        for (const { readable } of streams) readable.destroy()
      }, 1000).unref()
    },
  }
}

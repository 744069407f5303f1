import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { newCaller, onBehalfOf } from '#platform/database/callers.ts'
import { afterCommit, type Db, type Sql } from '#platform/database.ts'
import type { Written } from '#platform/generations.ts'
import { hasSiblings, onSibling, tellSiblings } from '#platform/processes/siblings.ts'

/**
 * Short messages to every node, by PostgreSQL's LISTEN and NOTIFY. They leave after the commit, together with what else
 * this process has to tell: a NOTIFY inside a transaction makes all commits of the site wait for one another.
 *
 * A process that dies within these milliseconds, or a listener that loses its connection, loses signals. So a signal
 * only ever shortens a wait: what is kept in memory has a short lifetime of its own, and streams look for what is newer
 * than what they sent. Who knows that something is lost (`onReconnect`) forgets everything at once.
 */
export type Signals = {
  /** `isOwn`: it was sent through the pool that this process listens beside, which knew of it at once. */
  on(name: string, handler: (payload: string, isOwn: boolean) => void): void
  onReconnect(handler: () => void): void
  listen(): Promise<void>
  close(): Promise<void>
}

const CHANNEL = 'kith'
/** A second batch is sent no sooner than this after the first. */
const HOLD_MS = 15
/** The processes of this node are told no sooner than this after the last time: under load each message costs as much as a write. */
const TELL_MS = 8
const RETRY_MS = 200
/** PostgreSQL takes less than 8,000 bytes at once. */
const MESSAGE_BYTES = 7900
const SIGNAL_BYTES = 7800
/** So many that could not be sent are told as one: that everything may have changed. */
const WAITING_MOST = 20_000
const EVERYTHING = '*'
/** Which tables a process wrote, of which it changed counters alone, and who did. */
const WRITTEN = { rows: 'wrote', counts: 'counted', acts: 'acted' } as const

type Outbox = {
  origin: string
  add(line: string): void
  /** Resolves when the other processes of this node know what was added; undefined where they do already. */
  spread(): Promise<unknown> | undefined
}

/** What processes of one node tell one another directly, and as signals too. */
const SIGNALS = 'signals'
type SiblingLines = { origin: string; lines: string[] }
/** Signals of siblings that are known before they come through the database. */
const KNOWN_BEFORE = 20_000

const outboxes = new WeakMap<Sql, Outbox>()

function outboxOf(sql: Sql): Outbox {
  const known = outboxes.get(sql)
  if (known) return known
  const made = createOutbox(sql)
  outboxes.set(sql, made)
  return made
}

/** What a pool's process has to tell, each line once, sent as soon as a connection is free and the last batch is out. */
function createOutbox(sql: Sql): Outbox {
  const origin = randomBytes(9).toString('base64url')
  const waiting = new Set<string>()
  let running: Promise<void> | undefined
  let isEnding = false
  let untold = new Set<string>()
  /** What is being told, and what is told after it. */
  let telling: PromiseWithResolvers<void> | undefined
  let next: PromiseWithResolvers<void> | undefined
  let isTelling = false

  /** Lines that are added together go out together, and those that come meanwhile with the next. */
  const tell = (line: string) => {
    untold.add(line)
    next ??= Promise.withResolvers()
    if (!isTelling) void tellAll()
  }
  const tellAll = async () => {
    isTelling = true
    await null
    while (next) {
      const [lines, done] = [[...untold], next]
      untold = new Set()
      next = undefined
      telling = done
      const at = performance.now()
      await tellSiblings(SIGNALS, { origin, lines } satisfies SiblingLines)
      done.resolve()
      telling = undefined
      const left = TELL_MS - (performance.now() - at)
      if (left > 0) await pause(left)
    }
    isTelling = false
  }
  const keep = (lines: Iterable<string>) => {
    // It says all that others could.
    if (waiting.has(EVERYTHING)) return
    for (const line of lines) waiting.add(line)
    if (waiting.size <= WAITING_MOST) return
    waiting.clear()
    waiting.add(EVERYTHING)
  }
  const send = async (): Promise<boolean> => {
    const lines = [...waiting]
    waiting.clear()
    try {
      await sql`
        select pg_notify(${CHANNEL}, message) from unnest(${messagesOf(origin, lines)}::text[]) as message`
      return true
    } catch {
      keep(lines)
      return false
    }
  }
  const run = async () => {
    await nextTurn()
    while (waiting.size > 0) {
      const isSent = await send()
      if (isEnding) break
      await pause(isSent ? HOLD_MS : RETRY_MS)
    }
    running = undefined
  }

  sql.beforeEnd(async () => {
    isEnding = true
    await running
    if (waiting.size > 0) await send()
  })
  return {
    origin,
    spread: () => (next ?? telling)?.promise,
    add(line) {
      if (hasSiblings) tell(line)
      keep([line])
      if (running || isEnding) return
      // Nobody's request pays for it, and what has been committed does not wait behind what has not begun.
      onBehalfOf({ ...newCaller(), isAdmitted: true }, () => {
        running = run()
      })
    },
  }
}

/** Lines below one another, after the name of who sends them, as many to a message as it holds. */
function messagesOf(origin: string, lines: string[]): string[] {
  const messages: string[] = []
  let message = origin
  let size = origin.length
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1
    if (size + bytes > MESSAGE_BYTES) {
      messages.push(message)
      message = origin
      size = origin.length
    }
    message += `\n${line}`
    size += bytes
  }
  return [...messages, message]
}

/**
 * Sends a signal to all nodes, this one included, once the transaction has committed; at once where `db` is the pool.
 * The payload is one line of less than 7,800 bytes.
 */
export function sendSignal(db: Db, name: string, payload: string | number): void {
  const line = `${name}:${payload}`
  if (line.includes('\n') || Buffer.byteLength(line) >= SIGNAL_BYTES)
    throw new RangeError(`the signal ${name} does not fit into one line`)
  afterCommit(db, (sql: Sql) => outboxOf(sql).add(line))
}

/**
 * Resolves when the other processes of this node know of all that this one has committed: a client that has its answer
 * may ask any of them next.
 */
export const whenSiblingsKnow = (sql: Sql): Promise<unknown> | undefined => outboxOf(sql).spread()

/** What this process hears; nothing before `listen`, which needs a session of its own (`direct`). */
export function createSignals(sql: Sql, direct: Pick<Sql, 'listen'> = sql): Signals {
  const handlers = new Map<string, ((payload: string, isOwn: boolean) => void)[]>()
  const reconnected: (() => void)[] = []
  let stop: (() => Promise<void>) | undefined
  let first = true

  const forgetAll = () => {
    for (const handler of reconnected) handler()
  }
  const knownBefore = new LRUCache<string, true>({ max: KNOWN_BEFORE })
  const hear = (message: string) => {
    const [sender, ...lines] = message.split('\n') as [string, ...string[]]
    const isOwn = sender === outboxOf(sql).origin
    take(
      lines.filter((line) => !knownBefore.delete(`${sender} ${line}`)),
      isOwn,
    )
  }
  const take = (lines: string[], isOwn: boolean) => {
    for (const line of lines) {
      if (line === EVERYTHING) forgetAll()
      const colon = line.indexOf(':')
      for (const handler of handlers.get(line.slice(0, colon)) ?? []) handler(line.slice(colon + 1), isOwn)
    }
  }

  onSibling<SiblingLines>(SIGNALS, ({ origin, lines }) => {
    for (const line of lines) knownBefore.set(`${origin} ${line}`, true)
    take(lines, false)
  })

  const { generations } = sql
  generations.onWritten(({ all, tables, counts, actors }) => {
    for (const table of all ? [EVERYTHING] : tables) sendSignal(sql, WRITTEN.rows, table)
    for (const table of counts) sendSignal(sql, WRITTEN.counts, table)
    for (const actor of actors) sendSignal(sql, WRITTEN.acts, actor)
  })
  const nothing = { all: false, tables: [], counts: [], actors: [] }
  const hearOf = (name: string, written: (payload: string) => Partial<Written>) =>
    handlers.set(name, [
      (payload, isOwn) => {
        if (!isOwn) generations.hear({ ...nothing, ...written(payload) })
      },
    ])
  hearOf(WRITTEN.rows, (table) => (table === EVERYTHING ? { all: true } : { tables: [table] }))
  hearOf(WRITTEN.counts, (table) => ({ counts: [table] }))
  hearOf(WRITTEN.acts, (actor) => ({ actors: [Number(actor)] }))
  reconnected.push(generations.raiseAll)
  return {
    on(name, handler) {
      handlers.set(name, [...(handlers.get(name) ?? []), handler])
    },
    onReconnect(handler) {
      reconnected.push(handler)
    },
    async listen() {
      const { unlisten } = await direct.listen(CHANNEL, hear, () => {
        if (!first) forgetAll()
        first = false
      })
      stop = unlisten
      // Only who hears of the others' writes keeps anything.
      await generations.learn(sql)
    },
    async close() {
      await stop?.()
    },
  }
}

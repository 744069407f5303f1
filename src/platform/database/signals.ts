import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { afterCommit, type Db, type Sql } from './database.ts'
import { createWriterScope, runInScope } from './fair-semaphore.ts'

const CHANNEL = 'kith'
/**
 * First line of each message. Nodes of version 0.1 expect the sender's name in this line and skip the line.
 */
const SENDER = 'kith'
const HOLD_MS = 15
const RETRY_MS = 200
/** PostgreSQL limits a NOTIFY payload to less than 8,000 bytes. */
const MESSAGE_BYTES = 7900
const SIGNAL_BYTES = 7800

const outboxes = new WeakMap<Sql, (line: string) => void>()

function createOutbox(sql: Sql) {
  const waiting = new Set<string>()
  let running: Promise<void> | undefined
  let isEnding = false

  const send = async (): Promise<boolean> => {
    const lines = [...waiting]
    waiting.clear()
    try {
      await notify(sql, lines)
      return true
    } catch {
      for (const line of lines) waiting.add(line)
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
  return (line: string) => {
    waiting.add(line)
    if (running || isEnding) return
    // Sends the signals with priority and outside the request's scope, because their transactions have
    // already committed.
    running = runInScope({ ...createWriterScope(), isAdmitted: true }, run)
  }
}

const notify = (db: Db, lines: string[]) =>
  db`select pg_notify(${CHANNEL}, message) from unnest(${messagesOf(lines)}::text[]) as message`

function messagesOf(lines: string[]): string[] {
  const messages: string[] = []
  let message = SENDER
  let size = SENDER.length
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1
    if (size + bytes > MESSAGE_BYTES) {
      messages.push(message)
      message = SENDER
      size = SENDER.length
    }
    message += `\n${line}`
    size += bytes
  }
  return [...messages, message]
}

function lineOf(name: string, payload: string | number): string {
  const line = `${name}:${payload}`
  if (line.includes('\n') || Buffer.byteLength(line) >= SIGNAL_BYTES)
    throw new RangeError(`the signal ${name} does not fit into one line`)
  return line
}

/**
 * Sends a signal to all server nodes after the commit, in a batch with others. A crash may lose it. Name and
 * payload form one line of less than 7,800 bytes.
 */
export function sendSignal(db: Db, name: string, payload: string | number): void {
  const line = lineOf(name, payload)
  afterCommit(db, (sql: Sql) => outboxes.getOrInsertComputed(sql, createOutbox)(line))
}

/**
 * Sends signals within the transaction, so that a rollback discards them. PostgreSQL runs such commits one at a
 * time.
 */
export async function announce(db: Db, name: string, payloads: readonly (string | number)[]): Promise<void> {
  await notify(
    db,
    payloads.map((payload) => lineOf(name, payload)),
  )
}

export type Signals = ReturnType<typeof createSignals>

/** Receives signals after `listen`. `direct` must bypass poolers, because LISTEN needs a database session. */
export function createSignals(direct: Pick<Sql, 'listen'>) {
  const handlers = new Map<string, ((payload: string) => void)[]>()
  const reconnected: (() => void)[] = []
  let stop: (() => void) | undefined
  let isLost = false
  let losses = 0

  const hear = (message: string) => {
    for (const line of message.split('\n').slice(1)) {
      const colon = line.indexOf(':')
      for (const handler of handlers.get(line.slice(0, colon)) ?? []) handler(line.slice(colon + 1))
    }
  }

  return {
    on(name: string, handler: (payload: string) => void): void {
      handlers.set(name, [...(handlers.get(name) ?? []), handler])
    },
    onReconnect(handler: () => void): void {
      reconnected.push(handler)
    },
    async listen(): Promise<void> {
      stop = await direct.listen(CHANNEL, {
        hear,
        onListening() {
          isLost = false
          if (losses > 0) for (const handler of reconnected) handler()
        },
        onLost() {
          isLost = true
          losses += 1
        },
      })
    },
    state: () => ({ isLost, losses }),
    async close(): Promise<void> {
      stop?.()
    },
  }
}

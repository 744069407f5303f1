import type { Db, Sql } from '#platform/database.ts'

/**
 * Short messages to every node, by PostgreSQL's LISTEN and NOTIFY: inside a transaction they leave on commit. A node
 * that lost its connection gets `onReconnect`, because what was sent meanwhile is gone.
 */
export type Signals = {
  on(name: string, handler: (payload: string) => void): void
  onReconnect(handler: () => void): void
  listen(): Promise<void>
  close(): Promise<void>
}

const CHANNEL = 'kith'

/** Sends a signal to all nodes, this one included. The payload stays well below PostgreSQL's 8,000 bytes. */
export async function sendSignal(sql: Db, name: string, payload: string | number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`${name}:${payload}`})`
}

export function createSignals(sql: Sql): Signals {
  const handlers = new Map<string, ((payload: string) => void)[]>()
  const reconnected: (() => void)[] = []
  let stop: (() => Promise<void>) | undefined
  let first = true
  return {
    on(name, handler) {
      handlers.set(name, [...(handlers.get(name) ?? []), handler])
    },
    onReconnect(handler) {
      reconnected.push(handler)
    },
    async listen() {
      const { unlisten } = await sql.listen(
        CHANNEL,
        (message) => {
          const colon = message.indexOf(':')
          for (const handler of handlers.get(message.slice(0, colon)) ?? []) handler(message.slice(colon + 1))
        },
        () => {
          if (!first) for (const handler of reconnected) handler()
          first = false
        },
      )
      stop = unlisten
    },
    async close() {
      await stop?.()
    },
  }
}

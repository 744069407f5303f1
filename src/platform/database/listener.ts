import { type Client, connect, isRefusal, type Settings, sendQuery } from './connection.ts'
import { createTag, type Send, type Tag } from './statement.ts'

const RETRY_MS = 250
const MOST_RETRY_MS = 2_000
/** Interval of heartbeats, without which a dead connection looks idle. */
const BEAT_MS = 1_000
/** Missed heartbeats before a reconnect. A timeout would also expire while this process is paused. */
const MOST_MISSED = 3
/**
 * Time after which PostgreSQL ends a session without heartbeats and releases its locks. Otherwise the locks of a
 * node that loses power would stay until the TCP keepalive of the server, usually for two hours.
 */
const SESSION_MS = 60_000

export type Listener = {
  hear(payload: string, channel: string): void
  /**
   * Receives the database session of each new connection, so that the caller can hold advisory locks in it.
   */
  onOpen?(session: Tag): Promise<void>
  onListening?(): void
  onLost?(): void
}

/**
 * Listens to NOTIFY over a dedicated connection, reconnects automatically, and returns the function that stops it.
 * Rejects only when the first attempt to connect fails.
 */
export async function listenOn(
  settings: Settings,
  channels: readonly string[],
  { hear, onOpen, onListening, onLost }: Listener,
  sessionMs = SESSION_MS,
): Promise<() => void> {
  let isOver = false
  const clients = new Set<Client>()
  let retry: NodeJS.Timeout | undefined
  let beats: NodeJS.Timeout | undefined
  let failures = 0

  const open = async (): Promise<void> => {
    let isLost = false
    const lose = () => {
      if (isLost || isOver) return
      isLost = true
      clearInterval(beats)
      onLost?.()
      const waitMs = Math.min(RETRY_MS * 2 ** failures, MOST_RETRY_MS) * (0.75 + Math.random() / 2)
      failures += 1
      retry = setTimeout(() => void open().catch(() => {}), waitMs)
    }
    try {
      const made = await connect(settings, { pipeline: true })
      if (isOver) return made.destroy()
      clients.add(made)
      const { client } = made
      client.once('end', () => {
        clients.delete(made)
        lose()
      })
      client.on('notification', ({ channel, payload = '' }) => {
        if (!isLost) hear(payload, channel)
      })
      let isAsking = false
      let missed = 0
      const ask = async (statement: string) => {
        isAsking = true
        missed = 0
        await client.query(statement)
        isAsking = false
      }
      beats = setInterval(() => {
        if (!isAsking) void ask('select 1').catch(lose)
        else if (++missed >= MOST_MISSED) lose()
      }, BEAT_MS).unref()
      const send: Send = (query) => {
        const { reject } = query
        query.reject = (error) => {
          if (!isRefusal(error)) lose()
          reject(error)
        }
        sendQuery(made, query)
      }
      await onOpen?.(createTag(send, false)).catch((error) => {
        made.destroy()
        throw error
      })
      // Closes lost connections only after `onOpen`, because they may still hold the locks that `onOpen` acquires.
      for (const other of clients) if (other !== made) other.destroy()
      await ask(
        [...channels.map((channel) => `listen "${channel}"`), `set idle_session_timeout = ${sessionMs}`].join(
          ';',
        ),
      )
      if (isLost) return
      failures = 0
      onListening?.()
    } catch (error) {
      lose()
      throw error
    }
  }
  const stop = () => {
    isOver = true
    clearTimeout(retry)
    clearInterval(beats)
    for (const client of clients) client.destroy()
  }
  await open().catch((error) => {
    stop()
    throw error
  })
  return stop
}

import { type Client, connect, type Settings } from './connection.ts'

const RETRY_MS = 250
/** Interval of heartbeats, without which a dead connection looks idle. */
const BEAT_MS = 1_000
/** Missed heartbeats before a reconnect. A time limit would also expire while this process is paused. */
const MOST_MISSED = 3

export type Listening = { unlisten: () => Promise<void> }

export type Listener = {
  hear(payload: string): void
  onListening(): void
  onLost(error: unknown): void
}

/**
 * Listens to NOTIFY over a dedicated connection and reconnects automatically. Rejects only when the first
 * attempt to connect fails.
 */
export async function listenOn(
  settings: Settings,
  channel: string,
  { hear, onListening, onLost }: Listener,
): Promise<Listening> {
  let isOver = false
  let current: Client | undefined
  let retry: NodeJS.Timeout | undefined
  let beats: NodeJS.Timeout | undefined

  const open = async (): Promise<void> => {
    let made: Client | undefined
    let isLost = false
    const lose = (error: unknown) => {
      if (isLost || isOver) return
      isLost = true
      clearInterval(beats)
      onLost(error)
      made?.destroy()
      retry = setTimeout(() => void open().catch(() => {}), RETRY_MS)
    }
    try {
      made = await connect(settings)
      current = made
      if (isOver) return made.destroy()
      const { client } = made
      client.once('end', () => lose(new Error('the connection closed')))
      client.on('notification', ({ channel: from, payload = '' }) => {
        if (from === channel) hear(payload)
      })
      let missed = 0
      let isAsking = false
      const ask = async (statement: string) => {
        isAsking = true
        missed = 0
        await client.query(statement)
        isAsking = false
      }
      beats = setInterval(() => {
        if (!isAsking) void ask('select 1').catch(lose)
        else if (++missed >= MOST_MISSED) lose(new Error('the listening connection does not answer'))
      }, BEAT_MS)
      beats.unref()
      await ask(`listen "${channel}"`)
      if (!isLost) onListening()
    } catch (error) {
      lose(error)
      throw error
    }
  }
  const stop = () => {
    isOver = true
    clearTimeout(retry)
    clearInterval(beats)
  }
  await open().catch((error) => {
    stop()
    throw error
  })
  return {
    async unlisten() {
      stop()
      current?.destroy()
    },
  }
}

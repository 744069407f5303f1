import postgres from 'postgres'
import type { Driver } from './connection.ts'

const RETRY_MS = 250

/** What is heard on a channel, until it is stopped. */
export type Listening = { unlisten: () => Promise<void> }

/**
 * Listens over a connection of its own, and again on another whenever that one breaks: the driver gives up where the
 * database answers but refuses, as one does that is not the primary yet. Resolves when it first listens.
 */
export async function listenOn(
  like: Driver,
  channel: string,
  hear: (payload: string) => void,
  onListening: () => void,
  onFailure: (error: unknown) => void,
): Promise<Listening> {
  let isOver = false
  let driver: Driver | undefined
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    let isLost = false
    const lose = () => {
      if (isLost || isOver) return
      isLost = true
      void made.end({ timeout: 0 }).catch(() => {})
      timer = setTimeout(() => void connect().catch(() => {}), RETRY_MS)
    }
    const options = Object.assign(Object.create(like.options), {
      max: 1,
      no_subscribe: true,
      idle_timeout: null,
      fetch_types: false,
      shared: { retries: 0, typeArrayMap: {} },
      onnotify: (from: string, payload: string) => from === channel && hear(payload),
      onclose: lose,
    })
    const made = postgres(options) as unknown as Driver
    driver = made
    try {
      await made.unsafe(`listen "${channel}"`)
      if (!isLost) onListening()
    } catch (error) {
      onFailure(error)
      lose()
      throw error
    }
  }
  await connect().catch((error) => {
    isOver = true
    clearTimeout(timer)
    throw error
  })
  return {
    async unlisten() {
      isOver = true
      clearTimeout(timer)
      await driver?.end({ timeout: 0 }).catch(() => {})
    },
  }
}

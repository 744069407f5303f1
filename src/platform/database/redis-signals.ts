import type { Redis } from 'ioredis'
import type { Log } from '#platform/observability'
import { connectRedis } from '#platform/processes'

const CHANNEL = 'kith:signals'
/** Interval of pings. Without pings, the socket timeout would close an idle subscription. */
const BEAT_MS = 1_000

export type RedisSignals = {
  /** Rejects while Redis is disconnected, so that the caller can use NOTIFY. */
  publish(messages: readonly string[]): Promise<void>
  close(): void
}

type Receiver = {
  hear(message: string): void
  onRestored(): void
}

/** Connects in the background, so that a server can start without Redis. */
export function openRedisSignals(url: string, log: Log, { hear, onRestored }: Receiver): RedisSignals {
  const connections = new Set<Redis>()
  let publisher: Redis | undefined
  let beats: NodeJS.Timeout | undefined
  let isClosed = false

  const open = async (): Promise<Redis> => {
    const made = await connectRedis(url, log)
    if (isClosed) made.disconnect()
    connections.add(made)
    return made
  }
  const subscribe = async () => {
    const subscriber = await open()
    let subscriptions = 0
    subscriber.on('message', (_channel, message) => hear(message))
    subscriber.on('ready', () => {
      subscriber.subscribe(CHANNEL).then(
        () => {
          subscriptions += 1
          if (subscriptions > 1) onRestored()
        },
        (error) => log.warn({ err: error }, 'subscribing to signals in redis failed'),
      )
    })
    beats = setInterval(() => void subscriber.ping().catch(() => {}), BEAT_MS).unref()
  }
  Promise.all([subscribe(), open().then((made) => (publisher = made))]).catch((error) =>
    log.warn({ err: error }, 'redis'),
  )
  return {
    async publish(messages) {
      if (publisher?.status !== 'ready') throw new Error('redis is not connected')
      const pipeline = publisher.pipeline()
      for (const message of messages) pipeline.publish(CHANNEL, message)
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
    },
    close() {
      isClosed = true
      clearInterval(beats)
      for (const connection of connections) connection.disconnect()
    },
  }
}

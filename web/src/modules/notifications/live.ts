import type { Kith } from '@kith/client'

const NAME = 'kith.notifications'

/**
 * Calls back when notifications arrive. One tab holds the stream for all tabs, because HTTP/1.1 allows few
 * connections per site.
 */
export function watch(api: Kith, signal: AbortSignal, onNotification: () => void): void {
  // Older browsers have no channel between tabs. Every tab then holds a stream.
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : null
  if (channel) channel.onmessage = onNotification
  signal.addEventListener('abort', () => channel?.close())
  const listen = async () => {
    // Refreshes on every connection, because the stream omits notifications from before it opened.
    const onConnection = (isOpen: boolean) => isOpen && onNotification()
    for await (const _ of api.notifications({ signal, onConnection })) {
      onNotification()
      channel?.postMessage('')
    }
  }
  // Ignores the error of an ended session, because the next request of the page reports the error.
  const listenQuietly = () => listen().catch(() => {})
  // Browsers provide locks only on secure origins.
  if (channel && navigator.locks)
    void navigator.locks.request(NAME, { signal }, listenQuietly).catch(() => {})
  else void listenQuietly()
}

import type { Kith } from '@kith/client'

const NAME = 'kith.notifications'

/**
 * Calls back when notifications arrive. One page of a browser holds the stream and tells the others, because
 * HTTP/1.1 allows few connections to a site at a time.
 */
export function watch(api: Kith, signal: AbortSignal, onNews: () => void): void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = onNews
  signal.addEventListener('abort', () => channel.close())
  const listen = async () => {
    // Events from before the stream opened, or from an interruption, are missing.
    const onConnection = (isOpen: boolean) => isOpen && onNews()
    for await (const _ of api.notifications({ signal, onConnection })) {
      onNews()
      channel.postMessage('')
    }
  }
  // The stream throws when the sign-in is over. The next request of the page tells the person.
  const quietly = () => listen().catch(() => {})
  // Locks exist on secure origins only.
  if (navigator.locks) void navigator.locks.request(NAME, { signal }, quietly).catch(() => {})
  else void quietly()
}

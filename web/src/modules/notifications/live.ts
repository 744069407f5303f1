import type { Kith } from '@kith/client'

const NAME = 'kith.notifications'

/**
 * Calls back when notifications arrive. One tab holds the stream and informs the others, because HTTP/1.1 allows
 * few connections per site.
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
  // The stream throws when the session ends. The next request of the page reports it.
  const quietly = () => listen().catch(() => {})
  // Browsers offer locks on secure origins only.
  if (navigator.locks) void navigator.locks.request(NAME, { signal }, quietly).catch(() => {})
  else void quietly()
}

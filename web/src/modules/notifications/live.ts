import type { Kith } from '@kith/client'

const NAME = 'kith.notifications'

/**
 * Calls back when notifications arrive. One tab holds the stream for all tabs, because HTTP/1.1 allows few
 * connections per site.
 */
export function watch(api: Kith, signal: AbortSignal, onNews: () => void): void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = onNews
  signal.addEventListener('abort', () => channel.close())
  const listen = async () => {
    // Refreshes on every connection, because the stream omits notifications from before it opened.
    const onConnection = (isOpen: boolean) => isOpen && onNews()
    for await (const _ of api.notifications({ signal, onConnection })) {
      onNews()
      channel.postMessage('')
    }
  }
  // Ignores the error of an ended session, which the page's next request reports.
  const quietly = () => listen().catch(() => {})
  // Browsers provide locks only on secure origins.
  if (navigator.locks) void navigator.locks.request(NAME, { signal }, quietly).catch(() => {})
  else void quietly()
}

import type { ChatEvent, Kith } from '@kith/client'

const NAME = 'kith.chats'

export type LiveEvent = ChatEvent | { event: 'open' }

/**
 * Calls back with events of all conversations. One tab holds the stream for all tabs, because HTTP/1.1 allows few
 * connections per site.
 */
export function watchChats(api: Kith, signal: AbortSignal, onEvent: (event: LiveEvent) => void): void {
  // Older browsers have no channel between tabs. Every tab then holds a stream.
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : null
  if (channel) channel.onmessage = ({ data }) => onEvent(data)
  signal.addEventListener('abort', () => channel?.close())
  const tell = (event: LiveEvent) => {
    if (signal.aborted) return
    onEvent(event)
    channel?.postMessage(event)
  }
  const listen = async () => {
    const onConnection = (isOpen: boolean) => isOpen && tell({ event: 'open' })
    for await (const event of api.chat.events({ signal, onConnection })) tell(event)
  }
  // Ignores the error of an ended session, because the next request of the page reports the error.
  const listenQuietly = () => listen().catch(() => {})
  // Browsers provide locks only on secure origins.
  if (channel && navigator.locks)
    void navigator.locks.request(NAME, { signal }, listenQuietly).catch(() => {})
  else void listenQuietly()
}

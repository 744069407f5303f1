import type { ChatEvent, Kith } from '@kith/client'

const NAME = 'kith.chats'

/** An event of conversations, or `open`: the stream began, and what came before is in no event. */
export type LiveEvent = ChatEvent | { event: 'open' }

/**
 * Calls back with the events of all conversations. One page of a browser holds the stream and tells the others,
 * because HTTP/1.1 allows few connections to a site at a time.
 */
export function watchChats(api: Kith, signal: AbortSignal, onEvent: (event: LiveEvent) => void): void {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = ({ data }) => onEvent(data)
  signal.addEventListener('abort', () => channel.close())
  const tell = (event: LiveEvent) => {
    if (signal.aborted) return
    onEvent(event)
    channel.postMessage(event)
  }
  const listen = async () => {
    const onConnection = (isOpen: boolean) => isOpen && tell({ event: 'open' })
    for await (const event of api.chat.events({ signal, onConnection })) tell(event)
  }
  // The stream throws when the sign-in is over. The next request of the page tells the person.
  const quietly = () => listen().catch(() => {})
  // Locks exist on secure origins only.
  if (navigator.locks) void navigator.locks.request(NAME, { signal }, quietly).catch(() => {})
  else void quietly()
}

import { Readable } from 'node:stream'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import type { Viewer } from '#platform/http'

/**
 * Limit of buffered bytes per stream, to save memory. Above the limit, the server fetches no further notifications
 * for the stream.
 */
const ENOUGH = 32 * 1024

export type EventStream = {
  viewer: Viewer
  language: Language
  last: number | undefined
  chats?: {
    /** Id of a transaction. The stream has sent all chat messages of older transactions. */
    cursor: number | undefined
    /**
     * True while the stream catches up with chat messages. New messages then set `hasMissed` and are not
     * sent.
     */
    isBehind: boolean
    hasMissed: boolean
    /** Last position sent while catching up, by conversation. */
    sent: Map<number, number>
  }
  readable: Readable
  /** False until the response has started, and while the buffer is full. */
  isReady(): boolean
  write(text: string): void
  /**
   * Sends a comment, so that proxies do not close the connection. Closes the stream of a stalled
   * client and returns false.
   */
  beat(): boolean
  end(reason: string): void
}

export function createEventStream(
  viewer: Viewer,
  language: Language,
  { onReady, onClose }: { onReady: () => void; onClose: () => void },
): EventStream {
  let ready = true
  let isEnded = false
  let idleBeats = 0
  const readable = new Readable({
    highWaterMark: ENOUGH,
    read() {
      idleBeats = 0
      if (ready) return
      ready = true
      onReady()
    },
    destroy(error, done) {
      onClose()
      done(error)
    },
  })
  const write = (text: string) => {
    // A stream may be closed before its first event is written.
    if (!isEnded && !readable.destroyed) ready = readable.push(text)
  }
  const stream: EventStream = {
    viewer,
    language,
    last: undefined,
    readable,
    isReady: () => ready && stream.last !== undefined && !isEnded && !readable.destroyed,
    write,
    beat() {
      idleBeats = readable.readableLength === 0 ? 0 : idleBeats + 1
      if (idleBeats > 1) readable.destroy()
      else if (idleBeats === 0) write(': beat\n\n')
      return !readable.destroyed
    },
    end(reason) {
      if (isEnded || readable.destroyed) return
      isEnded = true
      readable.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
      readable.push(null)
      onClose()
    },
  }
  return stream
}

/**
 * The event id is the position from which a client resumes: `<notification>` or `<notification>-<chat
 * cursor>`.
 */
export function eventOf({ last, chats }: EventStream, event: string, data: string): string {
  const id = chats?.cursor === undefined ? last : `${last}-${chats.cursor}`
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
}

export type OpenStreams = {
  of(userId: number): EventStream[]
  all(): EventStream[]
}

/** Source of chat events. Injected by `im`, because this module must not import `im`. */
type ChatSource = {
  /**
   * Resolves when the stream's start position is known. Without `after`, streams start at the newest message.
   */
  open(stream: EventStream, after: number | undefined): Promise<void>
  resume(stream: EventStream): void
  poll(): void
  close(): void
}
export type CreateChatSource = (ctx: Context, streams: OpenStreams) => ChatSource

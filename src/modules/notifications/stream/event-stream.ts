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
  /** Name of the site's epoch, in which the positions of this stream are valid. */
  epoch: string
  chats?: {
    /** Position of a transaction. The stream has sent all chat messages of older transactions. */
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
  /** Ends the stream of a client that has closed its connection. An error would reach the log. */
  leave(): void
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
    epoch: '',
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
    leave() {
      if (isEnded || readable.destroyed) return
      isEnded = true
      readable.push(null)
      onClose()
    },
  }
  return stream
}

/**
 * The position from which a client resumes: `<notification>` or `<notification>-<chat cursor>`, followed by `-<epoch>`
 * except in the first epoch.
 */
export function placeOf({ last, epoch, chats }: EventStream): string {
  return [last, chats?.cursor, epoch || undefined].filter((part) => part !== undefined).join('-')
}

export const eventOf = (stream: EventStream, event: string, data: string): string =>
  `id: ${placeOf(stream)}\nevent: ${event}\ndata: ${data}\n\n`

export type OpenStreams = {
  of(userId: number): EventStream[]
  all(): EventStream[]
}

/** Source of chat events. Injected by `im`, because this module must not import `im`. */
type ChatSource = {
  /**
   * Resolves when the stream's start position is known. Without `after`, streams start at the newest message. Resolves
   * with false if no transaction has reached `after`, because the position is then of a lost history.
   */
  open(stream: EventStream, after: number | undefined): Promise<boolean>
  /** Resolves when the stream has caught up, or cannot go on. */
  resume(stream: EventStream): Promise<void>
  poll(): void
  /** Drops all positions, because they belong to an earlier epoch of the site. */
  forget(): void
  close(): void
}
export type CreateChatSource = (ctx: Context, streams: OpenStreams) => ChatSource

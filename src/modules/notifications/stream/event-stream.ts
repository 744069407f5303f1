import { Readable } from 'node:stream'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import type { Viewer } from '#platform/http'

/** Buffered bytes above which no more notifications are fetched for a reader, to limit memory. */
const ENOUGH = 32 * 1024

export type EventStream = {
  viewer: Viewer
  language: Language
  /** Sequence number of the last notification sent. Undefined until the start is known. */
  last: number | undefined
  /** Absent: the reader asked for no chat messages. */
  chats?: {
    /** Messages of all older transactions have been sent. Undefined until the start is known. */
    cursor: number | undefined
    /** True while older messages are read. Live messages are skipped then and noted in `hasMissed`. */
    isBehind: boolean
    hasMissed: boolean
    /** Positions up to which the conversations were sent while behind. */
    sent: Map<number, number>
  }
  readable: Readable
  /** False while the reader's buffer is full. */
  isReady(): boolean
  write(text: string): void
  /**
   * Sends a comment that keeps proxies from closing the connection. Returns false when a stalled reader was
   * dropped.
   */
  beat(): boolean
  end(reason: string): void
}

/** Creates a stream. Calls `onReady` when a full buffer has drained. */
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
    // A stream that ends while it opens accepts no first line.
    if (!isEnded && !readable.destroyed) ready = readable.push(text)
  }
  return {
    viewer,
    language,
    last: undefined,
    readable,
    isReady: () => ready && !isEnded && !readable.destroyed,
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
}

/**
 * Formats one event of a stream. A reader resumes at its id: the notification, and with chats the cursor of the
 * messages after a dash.
 */
export function eventOf({ last, chats }: EventStream, event: string, data: string): string {
  const id = chats?.cursor === undefined ? last : `${last}-${chats.cursor}`
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
}

export type OpenStreams = {
  of(userId: number): EventStream[]
  all(): EventStream[]
}

/** Source of chat events for streams that request them. Injected by a higher module. */
type ChatSource = {
  /**
   * Starts a stream after the cursor of an earlier one, otherwise at the newest message. Resolves when the
   * start is known.
   */
  open(stream: EventStream, after: number | undefined): Promise<void>
  resume(stream: EventStream): void
  /** Looks for events whose signals were lost. */
  poll(): void
  close(): void
}
export type CreateChatSource = (ctx: Context, streams: OpenStreams) => ChatSource

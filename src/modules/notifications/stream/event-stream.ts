import { Readable } from 'node:stream'
import type { Language } from '#platform/errors.ts'
import type { Viewer } from '#platform/http.ts'

/** With this much unread nothing more is fetched for a reader, so that memory stays bounded. */
const ENOUGH = 32 * 1024

/** One open stream of a person. */
export type EventStream = {
  viewer: Viewer
  language: Language
  /** The place of the last notification sent; undefined until it is known where to begin. */
  last: number | undefined
  readable: Readable
  /** False while the reader has enough to read. */
  isReady(): boolean
  write(text: string): void
  /** A comment that keeps proxies from closing the connection; false when a stalled reader was dropped. */
  beat(): boolean
  end(reason: string): void
}

/** Makes a stream; `onReady` is called when a reader that had enough wants more. */
export function createEventStream(
  viewer: Viewer,
  language: Language,
  { onReady, onClose }: { onReady: () => void; onClose: () => void },
): EventStream {
  let ready = true
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
    if (!readable.destroyed) ready = readable.push(text)
  }
  return {
    viewer,
    language,
    last: undefined,
    readable,
    isReady: () => ready && !readable.destroyed,
    write,
    beat() {
      idleBeats = readable.readableLength === 0 ? 0 : idleBeats + 1
      if (idleBeats > 1) readable.destroy()
      else if (idleBeats === 0) write(': beat\n\n')
      return !readable.destroyed
    },
    end(reason) {
      if (readable.destroyed) return
      readable.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
      readable.push(null)
      onClose()
    },
  }
}

/** One event of a stream: `id` is where a reader resumes. */
export const eventOf = (id: number, data: object): string =>
  `id: ${id}\nevent: notification\ndata: ${JSON.stringify(data)}\n\n`

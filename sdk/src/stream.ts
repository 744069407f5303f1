import { KithError, networkError, readError } from './errors.ts'
import type { components } from './generated/api.ts'
import { backOff, wait } from './transport.ts'

/** A notification as it happens. `seq` is its place in the reader's order: begin after it the next time. */
export type StreamedNotification = components['schemas']['Notification'] & {
  type: 'at' | 'comment' | 'like' | 'follow' | 'system'
  seq: number
}

export type StreamOptions = {
  /** The last `seq` that was handled: what came after it is sent first. Without it the stream begins with what is new once it is open. */
  after?: number
  signal?: AbortSignal
  /** Told when the connection is there, and when it is lost and tried again. */
  onConnection?: (isOpen: boolean) => void
}

type Event = { id: string; event: string; data: string }

/** The server writes something every 15 seconds; a connection that brings nothing for so long is dead. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** Reasons of an end after which there is nothing to come back for. */
const FINAL = new Map([
  ['token_revoked', 'unauthenticated'],
  ['too_many_streams', 'too_many_streams'],
])

/**
 * Notifications as they happen, each once, across lost connections, exchanged tokens and restarts of the server. Ends
 * with the signal, and throws when the sign-in is over or another stream took its place.
 */
export async function* notificationsOf(
  open: (after: number | undefined, signal: AbortSignal) => Promise<Response>,
  options: StreamOptions,
): AsyncGenerator<StreamedNotification, void, undefined> {
  let { after } = options
  let failures = 0
  while (!options.signal?.aborted) {
    const silence = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, silence.signal]) : silence.signal
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const response = await open(after, signal)
      if (!response.ok) throw await readError(response)
      let isOpen = false
      for await (const event of eventsOf(response, () => {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
      })) {
        failures = 0
        // The first thing told is where the stream begins: lost before anything happened, it goes on from there.
        if (event.id !== '') after = Number(event.id)
        if (!isOpen) options.onConnection?.(true)
        isOpen = true
        if (event.event === 'end') {
          const { reason } = JSON.parse(event.data) as { reason: string }
          const code = FINAL.get(reason)
          if (code)
            throw new KithError(code === 'unauthenticated' ? 401 : 503, code, `The stream ended: ${reason}`)
          break
        }
        if (event.event !== 'notification') continue
        yield { ...JSON.parse(event.data), seq: Number(event.id) }
      }
    } catch (error) {
      if (options.signal?.aborted) return
      const failure = silence.signal.aborted ? networkError('silence') : error
      if (failure instanceof KithError && isFinal(failure)) throw failure
    } finally {
      clearTimeout(timer)
      // Whoever stops reading lets the connection go.
      silence.abort()
    }
    options.onConnection?.(false)
    failures += 1
    await wait(backOff(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS), options.signal).catch(() => {})
  }
}

/** A refusal stays one; of everything else the server may recover. */
const isFinal = ({ status, code }: KithError) =>
  (status >= 400 && status < 500 && status !== 429) || code === 'too_many_streams'

/** What a stream of Server-Sent Events tells, blocks without data among them; `onBytes` is called for comments as well. */
async function* eventsOf(response: Response, onBytes: () => void): AsyncGenerator<Event> {
  const decoder = new TextDecoder()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    text += decoder.decode(value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event: Event = { id: '', event: 'message', data: '' }
      for (const line of block.split('\n')) {
        const [, name, content = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
        if (name) event[name as keyof Event] += name === 'event' ? '' : content
        if (name === 'event') event.event = content
      }
      yield event
    }
  }
}

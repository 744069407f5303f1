import { KithError, networkError, readError } from './errors.ts'
import type { components } from './generated/api.ts'
import { backOff, wait } from './transport.ts'

/** New notification with its number `seq`, and the `place` after which a later stream can resume. */
export type StreamedNotification = components['schemas']['Notification'] & {
  type: 'at' | 'comment' | 'like' | 'follow' | 'system'
  seq: number
  place: string
}

export type StreamOptions = {
  /**
   * `place` of the last handled notification, after which the stream resumes. After a restore of the site, and by
   * default, the stream starts with new notifications.
   */
  after?: string | number
  signal?: AbortSignal
  /** Called with true when the connection opens, and with false when the connection is lost. */
  onConnection?: (isOpen: boolean) => void
}

export type StreamEvent = { id: string; event: string; data: string }

/** Reconnects after this long without data. The server sends data every 15 seconds. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** Error codes by close reason. The client does not reconnect after these reasons. */
const FINAL = new Map([
  ['token_revoked', 'unauthenticated'],
  ['too_many_streams', 'too_many_streams'],
])

export type OpenStream = (after: string | undefined, signal: AbortSignal) => Promise<Response>

export async function* notificationsOf(
  open: OpenStream,
  { after, ...options }: StreamOptions,
): AsyncGenerator<StreamedNotification, void, undefined> {
  for await (const { event, id, data } of streamedEvents(open, {
    ...options,
    after: after === undefined ? undefined : String(after),
  }))
    if (event === 'notification') yield { ...JSON.parse(data), seq: Number.parseInt(id, 10), place: id }
}

/**
 * Yields the events of a stream, and reconnects after lost connections. Throws when the session was revoked,
 * another stream replaced this stream, or the server rejected the request.
 */
export async function* streamedEvents(
  open: OpenStream,
  options: Omit<StreamOptions, 'after'> & { after: string | undefined },
): AsyncGenerator<StreamEvent, void, undefined> {
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
        if (event.id !== '') after = event.id
        if (!isOpen) options.onConnection?.(true)
        isOpen = true
        if (event.event === 'end') {
          const { reason } = JSON.parse(event.data) as { reason: string }
          const code = FINAL.get(reason)
          if (code)
            throw new KithError(code === 'unauthenticated' ? 401 : 503, code, `The stream ended: ${reason}`)
          break
        }
        if (event.data !== '') yield event
      }
    } catch (error) {
      if (options.signal?.aborted) return
      const failure = silence.signal.aborted ? networkError('silence') : error
      if (failure instanceof KithError && isFinal(failure)) throw failure
    } finally {
      clearTimeout(timer)
      // Closes the connection when the caller stops reading.
      silence.abort()
    }
    options.onConnection?.(false)
    failures += 1
    await wait(backOff(failures, FIRST_WAIT_MS, LONGEST_WAIT_MS), options.signal).catch(() => {})
  }
}

/** Returns false for network errors, rate limits and most server errors, which the client retries. */
const isFinal = ({ status, code }: KithError) =>
  (status >= 400 && status < 500 && status !== 429) || code === 'too_many_streams'

async function* eventsOf(response: Response, onBytes: () => void): AsyncGenerator<StreamEvent> {
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
      const event: StreamEvent = { id: '', event: 'message', data: '' }
      for (const line of block.split('\n')) {
        const [, name, content = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
        if (name) event[name as keyof StreamEvent] += name === 'event' ? '' : content
        if (name === 'event') event.event = content
      }
      yield event
    }
  }
}

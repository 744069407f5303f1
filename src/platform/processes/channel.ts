import cluster from 'node:cluster'

type Handler = (value: never) => unknown

type Message =
  | { kind: 'tell'; subject: string; value: unknown }
  | { kind: 'ask'; subject: string; value: unknown; n: number }
  | { kind: 'answer'; value: unknown; n: number; failed?: true }

export type Channel = ReturnType<typeof openChannel>

/** Has the code of a broken connection, so that the server responds with 503 and the client can retry. */
const exitError = () => Object.assign(new Error('the other process has disconnected'), { code: 'ECONNRESET' })

/**
 * Batches the messages of one event loop turn, because a separate write for each message would cost as much
 * as a short request.
 */
export function openChannel(send: (batch: unknown) => void) {
  const handlers = new Map<string, Handler>()
  const asked = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let outgoing: Message[] = []
  let count = 0
  let isClosed = false

  const flush = () => {
    const batch = outgoing
    outgoing = []
    if (!isClosed) send(batch)
  }
  const put = (message: Message) => {
    outgoing.push(message)
    if (outgoing.length === 1) setImmediate(flush)
  }
  const handle = (subject: string, value: unknown) => {
    const handler = handlers.get(subject)
    if (!handler) throw new Error(`no handler is registered for "${subject}"`)
    return handler(value as never)
  }
  const reply = async (n: number, subject: string, value: unknown) => {
    // Defers the handler, so that callers whose replies are in the same batch continue first.
    await null
    try {
      put({ kind: 'answer', n, value: await handle(subject, value) })
    } catch (error) {
      put({ kind: 'answer', n, value: String(error), failed: true })
    }
  }
  const receive = (message: Message) => {
    if (message.kind === 'tell') handle(message.subject, message.value)
    else if (message.kind === 'ask') void reply(message.n, message.subject, message.value)
    else {
      const waiting = asked.get(message.n)
      asked.delete(message.n)
      if (message.failed) waiting?.reject(new Error(String(message.value)))
      else waiting?.resolve(message.value as never)
    }
  }

  return {
    on<T>(subject: string, handler: (value: T) => unknown): void {
      handlers.set(subject, handler as Handler)
    },
    tell(subject: string, value: unknown = null): void {
      put({ kind: 'tell', subject, value })
    },
    ask<T>(subject: string, value: unknown = null): Promise<T> {
      if (isClosed) return Promise.reject(exitError())
      count += 1
      const n = count
      return new Promise<T>((resolve, reject) => {
        asked.set(n, { resolve, reject })
        put({ kind: 'ask', subject, value, n })
      })
    },
    receive(batch: unknown): void {
      if (Array.isArray(batch)) for (const message of batch as Message[]) receive(message)
    },
    /** Rejects all pending requests, because the other process has exited. */
    close(): void {
      isClosed = true
      for (const { reject } of asked.values()) reject(exitError())
      asked.clear()
    },
  }
}

// Ignores send errors, because the pipe's `disconnect` event follows.
export const supervisorChannel: Channel | undefined = cluster.isWorker
  ? openChannel((batch) => void process.send?.(batch, undefined, undefined, () => {}))
  : undefined

if (supervisorChannel) {
  supervisorChannel.on('alive', () => true)
  process.on('message', supervisorChannel.receive)
  // Rejects pending requests, because no response can arrive after the supervisor has exited.
  process.once('disconnect', supervisorChannel.close)
}

import type { Log } from '#platform/observability'

export type PushMessage = {
  token: string
  platform: 'ios' | 'android' | 'web'
  title: string
  text: string
  badge?: number
  data: Record<string, string | number>
}

export type PushSender = {
  /**
   * Returns the device tokens that are unregistered (`gone`), and those whose message is worth a retry (`failed`) or
   * must not be retried (`rejected`). May throw instead if all messages are worth a retry.
   */
  send(messages: PushMessage[]): Promise<{ gone: string[]; failed?: string[]; rejected?: string[] }>
  /** Sends a request that notifies no device. Throws when the service would reject messages. */
  check?(): Promise<void>
}

export type SitePush = PushSender & { services: Record<string, PushSender> }

export type PushOptions =
  | { provider: 'log'; log: Log }
  | { provider: 'http'; url: string; secret: string; timeout?: number }

export function createPush(options: PushOptions): PushSender {
  if (options.provider === 'log') {
    const { log } = options
    return {
      async send(messages) {
        for (const { platform, data } of messages)
          log.debug({ platform, type: data.type }, 'no push gateway is configured')
        return { gone: [] }
      },
    }
  }
  const { url, secret, timeout = 5_000 } = options
  const post = (messages: PushMessage[]) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
      // A redirect would pass the secret to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
  return {
    async check() {
      const { status } = await post([])
      // Any other 4xx status proves no fault, because a gateway may reject the empty list.
      if (status === 401 || status === 403 || status >= 500) throw new Error(`it answered ${status}`)
    },
    async send(messages) {
      const response = await post(messages)
      const answer = await response.text()
      if (!response.ok) throw new Error(`the push gateway answered ${response.status}`)
      return { gone: tokensOf(answer) }
    },
  }
}

/** Returns the unregistered device tokens of the reply `{gone: [token, …]}`, and none for any other reply. */
function tokensOf(answer: string): string[] {
  try {
    const { gone } = JSON.parse(answer) as { gone?: unknown }
    return Array.isArray(gone) ? gone.filter((token) => typeof token === 'string') : []
  } catch {
    return []
  }
}

export function routePush(
  gateway: PushSender,
  services: { android?: PushSender | undefined; ios?: PushSender | undefined },
): PushSender {
  return {
    async send(messages) {
      const bySender = Map.groupBy(messages, ({ platform }) =>
        platform === 'web' ? gateway : (services[platform] ?? gateway),
      )
      const outcomes = await Promise.all(
        [...bySender].map(([sender, own]) =>
          sender
            .send(own)
            // A push service that is unavailable fails only the messages that go through this service.
            .catch(() => ({ gone: [], failed: own.map(({ token }) => token), rejected: [] })),
        ),
      )
      return {
        gone: outcomes.flatMap(({ gone }) => gone),
        failed: outcomes.flatMap(({ failed = [] }) => failed),
        rejected: outcomes.flatMap(({ rejected = [] }) => rejected),
      }
    },
  }
}

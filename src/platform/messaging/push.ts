import type { Log } from '#platform/observability'

export type PushMessage = {
  token: string
  platform: 'ios' | 'android' | 'web'
  title: string
  text: string
  /** Unread notifications, for the badge of the app. */
  badge?: number
  data: Record<string, string | number>
}

export type PushSender = {
  /**
   * Sends messages and returns the tokens of devices that are gone, and of those where a retry may help. Throws
   * when a retry may help for all. `rejected` messages would be rejected again.
   */
  send(messages: PushMessage[]): Promise<{ gone: string[]; failed?: string[]; rejected?: string[] }>
  /** Sends a harmless request. Throws when the service would reject messages. */
  check?(): Promise<void>
}

export type SitePush = PushSender & { services?: Record<string, PushSender> }

export type PushOptions =
  | { provider: 'log'; log: Log }
  | { provider: 'http'; url: string; secret: string; timeout?: number }

/** Sends push messages through a gateway, or to the log without one. */
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
      // A gateway may reject a request without messages.
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

/** Reads `{gone: [token, …]}` of a reply; any other reply means that all devices exist. */
function tokensOf(answer: string): string[] {
  try {
    const { gone } = JSON.parse(answer) as { gone?: unknown }
    return Array.isArray(gone) ? gone.filter((token) => typeof token === 'string') : []
  } catch {
    return []
  }
}

/** Services of the site by platform. A platform without one uses the gateway. */
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
            // One service that is away fails its own messages only.
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

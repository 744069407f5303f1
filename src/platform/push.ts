import type { Log } from '#platform/log.ts'

/** A message to one device. */
export type PushMessage = {
  token: string
  platform: 'ios' | 'android' | 'web'
  title: string
  text: string
  data: Record<string, string | number>
}

export type PushSender = {
  /** Sends messages; answers the tokens of devices that are gone for good. Throws when it should be tried again. */
  send(messages: PushMessage[]): Promise<{ gone: string[] }>
}

export type PushOptions =
  | { provider: 'log'; log: Log }
  | { provider: 'http'; url: string; secret: string; timeout?: number }

/** Messages to devices through a gateway, or to the log when there is none. */
export function createPush(options: PushOptions): PushSender {
  if (options.provider === 'log') {
    const { log } = options
    return {
      async send(messages) {
        for (const { platform, title } of messages)
          log.debug({ platform, title }, 'no push gateway is configured')
        return { gone: [] }
      },
    }
  }
  const { url, secret, timeout = 5_000 } = options
  return {
    async send(messages) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages }),
        // A redirect would hand the secret to somebody else.
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      })
      const answer = await response.text()
      if (!response.ok) throw new Error(`the push gateway answered ${response.status}`)
      return { gone: tokensOf(answer) }
    },
  }
}

/** `{gone: [token, …]}` of an answer; any other answer means that all devices are there. */
function tokensOf(answer: string): string[] {
  try {
    const { gone } = JSON.parse(answer) as { gone?: unknown }
    return Array.isArray(gone) ? gone.filter((token) => typeof token === 'string') : []
  } catch {
    return []
  }
}

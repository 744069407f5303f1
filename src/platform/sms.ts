import type { Log } from '#platform/log.ts'

export type TextMessage = { phone: string; text: string; code?: string }

export type SmsSender = {
  send(message: TextMessage): Promise<void>
}

export type SmsOptions =
  | { provider: 'log'; log: Log }
  | { provider: 'http'; url: string; secret: string; timeout?: number }

/** A message the provider did not take. It never carries the number or the text. */
export class SmsError extends Error {
  readonly status: number | undefined
  /** True when sending the same again cannot succeed. */
  readonly permanent: boolean

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'SmsError'
    this.status = status
    this.permanent = status !== undefined && status < 500 && ![401, 403, 408, 425, 429].includes(status)
  }
}

/** Text messages through a provider, or to the log when there is none. */
export function createSms(options: SmsOptions): SmsSender {
  if (options.provider === 'log') return createLogSender(options.log)
  const { url, secret, timeout = 5_000 } = options
  return { send: (message) => post(url, secret, timeout, message) }
}

function createLogSender(log: Log): SmsSender {
  return {
    async send({ phone, text, code }) {
      if (code === undefined) log.warn({ phone, text }, 'no SMS provider is configured: message not sent')
      else log.warn({ phone, code }, `no SMS provider is configured: verification code ${code} for ${phone}`)
    },
  }
}

async function post(url: string, secret: string, timeout: number, message: TextMessage): Promise<void> {
  let response: Response
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      // a redirect would hand the secret to somebody else
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    throw new SmsError(
      isTimeout
        ? `the SMS provider did not answer in ${timeout} ms`
        : `the SMS provider is unreachable${reason(error)}`,
    )
  }
  await response.body?.cancel()
  if (!response.ok) throw new SmsError(`the SMS provider answered ${response.status}`, response.status)
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return ''
  return `: ${'code' in cause ? cause.code : cause.message}`
}

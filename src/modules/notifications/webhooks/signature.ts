import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Generates a secret in the format of Standard Webhooks. */
export const createWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** Headers of a message in the format of Standard Webhooks, signed with each valid secret. */
export function signedHeaders(message: {
  key: string
  seconds: number
  body: string
  secrets: string[]
}): Record<string, string> {
  const { key, seconds, body, secrets } = message
  const signatures = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', bytes).update(`${key}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': key,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

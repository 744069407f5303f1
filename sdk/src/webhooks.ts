import { KithError } from './errors.ts'

type HeaderSource = Headers | Record<string, string | string[] | undefined>

const read = (headers: HeaderSource, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))

/** A webhook message. A repeated delivery has the same `id`. */
export type WebhookMessage = { id: string; sentAt: Date; payload: unknown }

/**
 * Verifies the signature over the unparsed `body` (Standard Webhooks). Throws `webhook_not_signed` when headers are
 * missing, the message is too old, or no secret matches.
 */
export async function verifyWebhook(input: {
  headers: HeaderSource
  body: string | Uint8Array
  secrets: string | string[]
  /** Maximum age of a message, and maximum clock difference. The default is 300 seconds. */
  toleranceSeconds?: number
}): Promise<WebhookMessage> {
  const refuse = (why: string) =>
    new KithError(0, 'webhook_not_signed', `The webhook message failed verification: ${why}.`)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    read(input.headers, `webhook-${name}`),
  ) as [string, string, string]
  if (!id || !/^\d+$/.test(timestamp) || !signatures) throw refuse('its headers are missing')
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (age > (input.toleranceSeconds ?? 300)) throw refuse('it is too old, or the clocks differ')
  const text = typeof input.body === 'string' ? input.body : new TextDecoder().decode(input.body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  const given = signatures.split(' ').filter((each) => each.startsWith('v1,'))
  for (const secret of [input.secrets].flat()) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const raw = bytesOf(secret.replace(/^whsec_/, ''))
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify'])
    for (const each of given)
      if (await crypto.subtle.verify('HMAC', key, signatureOf(each), signed))
        return { id, sentAt: new Date(Number(timestamp) * 1000), payload: JSON.parse(text) }
  }
  throw refuse('no secret matches the signature')
}

function signatureOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    return bytesOf(text.slice('v1,'.length))
  } catch {
    return new Uint8Array()
  }
}

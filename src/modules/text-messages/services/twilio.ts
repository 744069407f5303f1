import { createHmac, timingSafeEqual } from 'node:crypto'
import { callTextService, referenceOf } from './call.ts'
import {
  BadReceipt,
  faultCode,
  type SettingsOf,
  SmsError,
  type TextService,
  withCountryCode,
} from './text-service.ts'

/** Twilio signs the URL followed by all fields, sorted by name. */
export const signTwilio = (token: string, url: string, fields: URLSearchParams): string =>
  createHmac('sha1', token)
    .update(
      url +
        [...fields]
          .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
          .map((pair) => pair.join(''))
          .join(''),
    )
    .digest('base64')

const FINAL = ['delivered', 'undelivered', 'failed']

/** A signature in `sms:templates` replaces the configured sender. */
export function createTwilio(
  { url, account, token, from }: SettingsOf<'twilio'>,
  receiptUrl?: () => string | undefined,
): TextService {
  const headers = {
    authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const home = `${url}/2010-04-01/Accounts/${encodeURIComponent(account)}`
  const refused = (status: number, code: unknown) =>
    new SmsError(`Twilio answered ${status} ${faultCode(code)}`, { status })
  return {
    async check() {
      const { status, body } = await callTextService('Twilio', `${home}.json`, { method: 'GET', headers })
      if (status >= 300) throw refused(status, body.code)
    },
    async send({ phone, text, site }, { signature }) {
      const sender = signature ?? from
      const report = receiptUrl?.()
      const { status, body } = await callTextService('Twilio', `${home}/Messages.json`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          To: withCountryCode(phone),
          Body: site === undefined ? text : `${site}: ${text}`,
          ...(/^MG[0-9a-f]{32}$/.test(sender) ? { MessagingServiceSid: sender } : { From: sender }),
          ...(report ? { StatusCallback: report } : {}),
        }).toString(),
      })
      if (status >= 300) throw refused(status, body.code)
      return typeof body.sid === 'string' ? body.sid : null
    },
    receipts: {
      acknowledgement: { type: 'text/plain', body: '' },
      read({ headers: given, body }) {
        const fields = new URLSearchParams(body)
        const address = receiptUrl?.()
        const expected = Buffer.from(address === undefined ? '' : signTwilio(token, address, fields))
        const signature = Buffer.from(String(given['x-twilio-signature'] ?? ''))
        if (
          address === undefined ||
          signature.length !== expected.length ||
          !timingSafeEqual(signature, expected)
        )
          throw new BadReceipt('the signature is wrong')
        const status = fields.get('MessageStatus') ?? ''
        if (!FINAL.includes(status)) return []
        return [
          {
            reference: referenceOf(fields.get('MessageSid')),
            delivered: status === 'delivered',
            fault: faultCode(fields.get('ErrorCode') ?? status),
          },
        ]
      },
    },
  }
}

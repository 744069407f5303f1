import { createHash, createHmac, randomUUID } from 'node:crypto'
import { callTextService, field, parseReports, referenceOf } from './call.ts'
import { faultCode, type SettingsOf, SmsError, type TextService } from './text-service.ts'

const VERSION = '2017-05-25'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/**
 * Percent-encodes as Aliyun's signatures require. `URLSearchParams` encodes spaces and asterisks differently.
 */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

type Signed = {
  host: string
  action: string
  version: string
  query: Record<string, string>
  date: string
  nonce: string
}

/** Signs a request without a body (ACS3-HMAC-SHA256, signature method V3). */
export function signAliyun(
  { keyId, keySecret }: Pick<SettingsOf<'aliyun'>, 'keyId' | 'keySecret'>,
  { host, action, version, query, date, nonce }: Signed,
): { query: string; headers: Record<string, string> } {
  const payload = sha256('')
  const headers: Record<string, string> = {
    host,
    'x-acs-action': action,
    'x-acs-content-sha256': payload,
    'x-acs-date': date,
    'x-acs-signature-nonce': nonce,
    'x-acs-version': version,
  }
  const text = Object.keys(query)
    .sort()
    .map((name) => `${encode(name)}=${encode(query[name] ?? '')}`)
    .join('&')
  const names = Object.keys(headers)
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = ['POST', '/', text, lines, names.join(';'), payload].join('\n')
  const signature = createHmac('sha256', keySecret)
    .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
    .digest('hex')
  const { host: _, ...sent } = headers
  return {
    query: text,
    headers: {
      ...sent,
      authorization: `ACS3-HMAC-SHA256 Credential=${keyId},SignedHeaders=${names.join(';')},Signature=${signature}`,
    },
  }
}

/** Errors of the Aliyun account that an operator can fix while the job is retried. */
const FIXABLE = new Set(['isv.AMOUNT_NOT_ENOUGH', 'isv.OUT_OF_SERVICE', 'isv.ACCOUNT_ABNORMAL'])

/** Aliyun requires an approved template and signature for every message. */
export function createAliyun({ url, keyId, keySecret }: SettingsOf<'aliyun'>): TextService {
  const ask = async (action: string, parameters: Record<string, string>) => {
    const { query, headers } = signAliyun(
      { keyId, keySecret },
      {
        host: new URL(url).host,
        action,
        version: VERSION,
        query: parameters,
        date: `${new Date().toISOString().slice(0, 19)}Z`,
        nonce: randomUUID(),
      },
    )
    const { status, body } = await callTextService('Aliyun', `${url}/?${query}`, { method: 'POST', headers })
    if (status === 200 && body.Code === 'OK') return body
    const code = faultCode(body.Code)
    const isFinal = code.startsWith('isv.') && !FIXABLE.has(code)
    throw new SmsError(`Aliyun answered ${status} ${code}`, { status, permanent: isFinal })
  }
  return {
    async check() {
      await ask('QuerySmsSignList', { PageIndex: '1', PageSize: '1' })
    },
    async send({ phone, code }, { template, signature }) {
      if (!template || !signature)
        throw new SmsError('Aliyun has no template for this message', { permanent: true })
      const { BizId } = await ask('SendSms', {
        PhoneNumbers: phone.replace(/^\+/, ''),
        SignName: signature,
        TemplateCode: template,
        ...(code === undefined ? {} : { TemplateParam: JSON.stringify({ code }) }),
      })
      return typeof BizId === 'string' ? BizId : null
    },
    receipts: {
      acknowledgement: { type: 'application/json', body: '{"code":0,"msg":"OK"}' },
      read: ({ body }) =>
        parseReports(body).map((report) => ({
          reference: referenceOf(field(report, 'biz_id')),
          delivered: field(report, 'success') === true,
          fault: faultCode(field(report, 'err_code')),
        })),
    },
  }
}

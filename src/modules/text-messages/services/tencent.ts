import { createHash, createHmac } from 'node:crypto'
import { callTextService, field, parseReports, referenceOf } from './call.ts'
import { faultCode, type SettingsOf, SmsError, type TextService, withCountryCode } from './text-service.ts'

const VERSION = '2021-01-11'
const CONTENT_TYPE = 'application/json; charset=utf-8'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Signs a POST request (TC3-HMAC-SHA256). `at` is Unix time in seconds. */
export function signTencent(
  { secretId, secretKey }: Pick<SettingsOf<'tencent'>, 'secretId' | 'secretKey'>,
  { host, service, body, at }: { host: string; service: string; body: string; at: number },
): string {
  const day = new Date(at * 1000).toISOString().slice(0, 10)
  const names = 'content-type;host'
  const canonical = `POST\n/\n\ncontent-type:${CONTENT_TYPE}\nhost:${host}\n\n${names}\n${sha256(body)}`
  const scope = `${day}/${service}/tc3_request`
  const key = mac(mac(mac(`TC3${secretKey}`, day), service), 'tc3_request')
  const signature = mac(key, `TC3-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
}

const RETRYABLE =
  /^(InternalError|AuthFailure|RequestLimitExceeded|FailedOperation\.InsufficientBalance|LimitExceeded\.DeliveryFrequency)/

/** Tencent Cloud requires an approved template, and in mainland China also a signature. */
export function createTencent(settings: SettingsOf<'tencent'>): TextService {
  const { url, appId, region } = settings
  const ask = async (action: string, parameters: object) => {
    const body = JSON.stringify({ SmsSdkAppId: appId, ...parameters })
    const at = Math.floor(Date.now() / 1000)
    const reply = await callTextService('Tencent Cloud', url, {
      method: 'POST',
      headers: {
        authorization: signTencent(settings, { host: new URL(url).host, service: 'sms', body, at }),
        'content-type': CONTENT_TYPE,
        'x-tc-action': action,
        'x-tc-version': VERSION,
        'x-tc-timestamp': String(at),
        'x-tc-region': region,
      },
      body,
    })
    const answer = field(reply.body, 'Response')
    const fault = field(field(answer, 'Error'), 'Code')
    if (reply.status === 200 && answer !== undefined && fault === undefined) return answer
    throw refused(fault ?? reply.status, reply.status)
  }
  const refused = (code: unknown, status = 200) =>
    new SmsError(`Tencent Cloud answered ${faultCode(code)}`, {
      status,
      permanent: typeof code === 'string' && !RETRYABLE.test(code),
    })
  return {
    async check() {
      const hour = `${new Date().toISOString().slice(0, 13).replace(/\D/g, '')}`
      await ask('SmsPackagesStatistics', { Limit: 1, Offset: 0, BeginTime: hour, EndTime: hour })
    },
    async send({ phone, code }, { template, signature }) {
      if (!template) throw new SmsError('Tencent Cloud has no template for this message', { permanent: true })
      const answer = await ask('SendSms', {
        PhoneNumberSet: [withCountryCode(phone)],
        TemplateId: template,
        TemplateParamSet: code === undefined ? [] : [code],
        ...(signature ? { SignName: signature } : {}),
      })
      const list = field(answer, 'SendStatusSet')
      const sent: unknown = Array.isArray(list) ? list[0] : undefined
      const result = field(sent, 'Code')
      // Tencent Cloud reports the result of each number, so a request succeeds even if its only message is rejected.
      if (result !== 'Ok') throw refused(result)
      const serial = field(sent, 'SerialNo')
      return typeof serial === 'string' ? serial : null
    },
    receipts: {
      acknowledgement: { type: 'application/json', body: '{"result":0,"errmsg":"OK"}' },
      read: ({ body }) =>
        parseReports(body).map((report) => ({
          reference: referenceOf(field(report, 'sid')),
          delivered: field(report, 'report_status') === 'SUCCESS',
          fault: faultCode(field(report, 'errmsg')),
        })),
    },
  }
}

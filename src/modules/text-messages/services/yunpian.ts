import { callTextService, field, parseReports, referenceOf } from './call.ts'
import {
  BadReceipt,
  faultCode,
  type SettingsOf,
  SmsError,
  type TextService,
  withCountryCode,
} from './text-service.ts'

/** Code of an empty balance. Not permanent, because an operator can top up the account while the job is retried. */
const NO_BALANCE = 3

export function createYunpian(
  { url, key }: SettingsOf<'yunpian'>,
  receiptUrl?: () => string | undefined,
): TextService {
  const ask = async (path: string, fields: Record<string, string>) => {
    const { status, body } = await callTextService('Yunpian', `${url}${path}`, {
      method: 'POST',
      headers: {
        accept: 'application/json;charset=utf-8',
        'content-type': 'application/x-www-form-urlencoded;charset=utf-8',
      },
      body: new URLSearchParams({ apikey: key, ...fields }).toString(),
    })
    const code = Number(body.code ?? 0)
    if (status < 300 && code === 0) return body
    throw new SmsError(`Yunpian answered ${status} ${faultCode(body.code)}`, {
      status,
      // Negative codes concern the API key or Yunpian itself, so a retry may succeed.
      permanent: code > 0 && code !== NO_BALANCE,
    })
  }
  return {
    async check() {
      await ask('/v2/user/get.json', {})
    },
    async send({ phone, text, code }, { template, signature }) {
      const report = receiptUrl?.()
      const common = { mobile: withCountryCode(phone), ...(report ? { callback_url: report } : {}) }
      if (!template && !signature)
        throw new SmsError('Yunpian has no signature for this message', { permanent: true })
      const { sid } = template
        ? await ask('/v2/sms/tpl_single_send.json', {
            ...common,
            tpl_id: template,
            tpl_value: code === undefined ? '' : `${encodeURIComponent('#code#')}=${code}`,
          })
        : await ask('/v2/sms/single_send.json', { ...common, text: `【${signature}】${text}` })
      return sid === undefined ? null : String(sid)
    },
    receipts: {
      acknowledgement: { type: 'text/plain', body: 'SUCCESS' },
      read({ body }) {
        const status = new URLSearchParams(body).get('sms_status')
        if (status === null) throw new BadReceipt('the form has no sms_status')
        // Yunpian may percent-encode the value of the form field twice.
        const json = status.startsWith('%') ? decodeURIComponent(status) : status
        return parseReports(json).map((report) => ({
          reference: referenceOf(field(report, 'sid')),
          delivered: field(report, 'report_status') === 'SUCCESS',
          fault: faultCode(field(report, 'error_msg')),
        }))
      },
    },
  }
}

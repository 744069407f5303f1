import { sign, verify } from 'node:crypto'
import { readAlipayBill } from './alipay-bill.ts'
import { callProvider, downloadBill, parseReply } from './call.ts'
import { chineseTime, fenOf, statementReadyAt, yuanOf } from './chinese-time.ts'
import { wayOf } from './methods.ts'
import {
  BadNotice,
  type PaymentFacts,
  PaymentFault,
  type PaymentService,
  returnAddress,
  type SettingsOf,
} from './provider.ts'

type Fields = Record<string, string>

const WAYS = {
  app: { call: 'alipay.trade.app.pay', product: 'QUICK_MSECURITY_PAY' },
  wap: { call: 'alipay.trade.wap.pay', product: 'QUICK_WAP_WAY' },
  page: { call: 'alipay.trade.page.pay', product: 'FAST_INSTANT_TRADE_PAY' },
} as const

const signedText = (fields: Fields, without: string[]) =>
  Object.keys(fields)
    .filter((name) => fields[name] !== '' && !without.includes(name))
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')

/** Returns the raw JSON of a member of the reply, because the signature covers the original bytes. */
function cutMember(body: string, name: string): string | undefined {
  const start = body.indexOf('{', body.indexOf(`"${name}"`) + name.length + 2)
  if (!body.includes(`"${name}"`) || start < 0) return undefined
  const tokens = /"(?:[^"\\]|\\.)*"|[{}]/g
  tokens.lastIndex = start
  for (let depth = 0, token = tokens.exec(body); token; token = tokens.exec(body)) {
    depth += token[0] === '{' ? 1 : token[0] === '}' ? -1 : 0
    if (depth === 0) return body.slice(start, tokens.lastIndex)
  }
  return undefined
}

function factsOf(trade: Record<string, unknown>, paidAt: unknown): PaymentFacts {
  const order = String(trade.out_trade_no ?? '')
  const state = trade.trade_status
  const isPaid =
    state === 'TRADE_SUCCESS' ||
    state === 'TRADE_FINISHED' ||
    (state === 'TRADE_CLOSED' && (paidAt || trade.gmt_refund))
  if (!isPaid) return { order, status: state === 'TRADE_CLOSED' ? 'expired' : 'unpaid' }
  const amount = fenOf(trade.total_amount) ?? -1
  // A refund of the whole amount closes a paid trade.
  const refunded = state === 'TRADE_CLOSED' ? amount : fenOf(trade.refund_fee)
  return {
    order,
    payment: String(trade.trade_no ?? ''),
    status: 'paid',
    amount,
    currency: String(trade.trans_currency ?? 'CNY').toLowerCase(),
    ...(refunded === undefined ? {} : { refunded }),
  }
}

export function createAlipay(settings: SettingsOf<'alipay'>): PaymentService {
  const { url, appId, privateKey, publicKey } = settings

  const signed = (method: string, content: Record<string, unknown>, more: Fields = {}): Fields => {
    const fields: Fields = {
      app_id: appId,
      method,
      format: 'JSON',
      charset: 'utf-8',
      sign_type: 'RSA2',
      timestamp: chineseTime(new Date()),
      version: '1.0',
      biz_content: JSON.stringify(content),
      ...more,
    }
    const text = signedText(fields, ['sign'])
    return { ...fields, sign: sign('sha256', Buffer.from(text), privateKey).toString('base64') }
  }

  /**
   * Calls Alipay and verifies the signature of the reply. Returns undefined when Alipay reports the error
   * code in `absent`.
   */
  const ask = async (method: string, content: Record<string, unknown>, absent?: string) => {
    const { status, text } = await callProvider('Alipay', url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
      body: new URLSearchParams(signed(method, content)).toString(),
    })
    if (status !== 200) throw new PaymentFault(`Alipay answered ${status}`, { status })
    const name = `${method.replaceAll('.', '_')}_response`
    const reply = parseReply('Alipay', text)
    // Alipay does not sign an `error_response`, so the error below contains none of its content.
    if (reply.error_response !== undefined)
      throw new PaymentFault('Alipay refused the app id or its signature')
    const member = cutMember(text, name)
    const signature = Buffer.from(String(reply.sign ?? ''), 'base64')
    if (member === undefined || !verify('sha256', Buffer.from(member), publicKey, signature))
      throw new PaymentFault('Alipay sent an answer with a wrong signature')
    const answer = parseReply('Alipay', member)
    if (answer.code === '10000') return answer
    const code = String(answer.sub_code ?? answer.code)
    if (code === absent) return undefined
    const isRefusal = code.startsWith('ACQ.') && code !== 'ACQ.SYSTEM_ERROR'
    throw new PaymentFault(`Alipay refused: ${code}`, { code, isRefusal })
  }

  const find = async (number: string): Promise<PaymentFacts> => {
    // A missing trade is no error, because Alipay creates the trade only when the payer opens the payment
    // page or app.
    const trade = await ask('alipay.trade.query', { out_trade_no: number }, 'ACQ.TRADE_NOT_EXIST')
    if (!trade) return { order: number, status: 'unknown' }
    if (trade.out_trade_no !== number) throw new PaymentFault('Alipay answered with another order')
    return factsOf(trade, trade.send_pay_date)
  }

  return {
    acknowledgement: { status: 200, type: 'text/plain', body: 'success' },
    charge: (fen) => ({ amount: fen, currency: 'cny' }),
    async begin({ number, method, amount, title, expiresAt }) {
      const way = wayOf('alipay', method) ?? 'page'
      const { call, product } = WAYS[way]
      const back = returnAddress(settings.returnUrl, number)
      const fields = signed(
        call,
        {
          out_trade_no: number,
          total_amount: yuanOf(amount),
          subject: title,
          product_code: product,
          time_expire: chineseTime(expiresAt),
          ...(way === 'wap' ? { quit_url: `${back}&cancelled=1` } : {}),
        },
        { notify_url: settings.noticeUrl, ...(way === 'app' ? {} : { return_url: back }) },
      )
      const query = new URLSearchParams(fields).toString().replaceAll('+', '%20')
      return { session: null, data: way === 'app' ? { orderInfo: query } : { url: `${url}?${query}` } }
    },
    async readNotice({ body }) {
      const fields = Object.fromEntries(new URLSearchParams(body))
      const signature = Buffer.from(fields.sign ?? '', 'base64')
      const text = Buffer.from(signedText(fields, ['sign', 'sign_type']))
      if (fields.sign_type !== 'RSA2' || !verify('sha256', text, publicKey, signature))
        throw new BadNotice('the signature is wrong')
      if (fields.app_id !== appId) throw new BadNotice('the notice is for another app')
      if (fields.seller_id !== settings.sellerId) throw new BadNotice('the notice is for another seller')
      return fields.out_trade_no ? factsOf(fields, fields.gmt_payment) : undefined
    },
    find: ({ number }) => find(number),
    async close({ number }) {
      await ask('alipay.trade.close', { out_trade_no: number }, 'ACQ.TRADE_NOT_EXIST')
    },
    async refund({ order, number, amount, reason }) {
      const done = await ask('alipay.trade.refund', {
        out_trade_no: order,
        out_request_no: number,
        refund_amount: yuanOf(amount),
        refund_reason: reason,
      })
      // `refund_fee` is the sum of all refunds of the trade.
      return { state: 'done', refunded: fenOf(done?.refund_fee) }
    },
    stated: {
      readyAt: (day) => statementReadyAt(day, 9),
      async lines(day) {
        const found = await ask(
          'alipay.data.dataservice.bill.downloadurl.query',
          { bill_type: 'trade', bill_date: day },
          'isp.bill_not_exist',
        )
        if (!found) return []
        return readAlipayBill(await downloadBill('Alipay', String(found.bill_download_url)))
      },
    },
    async check() {
      await find('k0000000000_0')
    },
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { cutText } from '#lib/text.ts'
import { downloadBill, field, parseReply, type Wire } from './call.ts'
import { chineseTime, fenOf, statementReadyAt } from './chinese-time.ts'
import { wayOf } from './methods.ts'
import {
  BadNotice,
  type Notice,
  type PaymentFacts,
  PaymentFault,
  type PaymentService,
  returnAddress,
  type SettingsOf,
  type StatementLine,
} from './provider.ts'
import { createWechatSigning, readSignature, type Sealed, signLines, unseal } from './wechat-signing.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const whole = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : -1)

/** Maximum age of a webhook request, as WeChat Pay recommends. */
const TOLERANCE_S = 300

const STATES: Record<string, PaymentFacts['status']> = {
  SUCCESS: 'paid',
  // The payment was made, and then refunded in part or in full.
  REFUND: 'paid',
  CLOSED: 'expired',
  REVOKED: 'failed',
}

/**
 * `ABNORMAL` is absent and counts as waiting, because the merchant must complete such a refund at WeChat
 * Pay.
 */
const REFUND_STATES: Record<string, 'done' | 'refused'> = { SUCCESS: 'done', CLOSED: 'refused' }

function factsOf(transaction: Wire): PaymentFacts {
  const status = STATES[text(transaction.trade_state)] ?? 'unpaid'
  const order = text(transaction.out_trade_no)
  if (status !== 'paid') return { order, status }
  return {
    order,
    payment: text(transaction.transaction_id),
    status,
    amount: whole(field(transaction.amount, 'total')),
    currency: text(field(transaction.amount, 'currency')).toLowerCase(),
  }
}

function readBill(bill: string): StatementLine[] {
  const [first = '', ...rest] = bill.replace(/^\uFEFF/, '').split(/\r?\n/)
  const header = first.split(',')
  const column = (name: string) => header.indexOf(name)
  const [payment, order, state, paid, number, refunded, refundState] = [
    column('微信订单号'),
    column('商户订单号'),
    column('交易状态'),
    column('订单金额'),
    column('商户退款单号'),
    column('申请退款金额'),
    column('退款状态'),
  ] as [number, number, number, number, number, number, number]
  if (bill !== '' && [payment, order, state, paid, number, refunded, refundState].includes(-1))
    throw new PaymentFault('WeChat Pay sent an unreadable bill')
  const lines: StatementLine[] = []
  for (const line of rest) {
    const row = line.replace(/^`/, '').split(',`')
    // Stops at the summary at the end of a bill. The summary has other columns than the table.
    if (row.length !== header.length) break
    const kind = ({ SUCCESS: 'payment', REFUND: 'refund' } as const)[row[state] ?? '']
    if (!kind) continue
    const amount = fenOf(row[kind === 'refund' ? refunded : paid]) ?? -1
    lines.push({
      kind,
      payment: row[payment] ?? '',
      order: row[order] ?? '',
      amount,
      currency: 'cny',
      // Notices name a refund by the same number.
      ...(kind === 'refund' && row[refundState] === 'SUCCESS'
        ? { news: { refund: { number: row[number] ?? '', amount, state: 'done' } } }
        : {}),
    })
  }
  return lines
}

export function createWechat(settings: SettingsOf<'wechat'>): PaymentService {
  const { url, merchantId, apiKey, privateKey, noticeUrl } = settings
  const signing = createWechatSigning(settings)

  const isOwnApp = (id: unknown) => id === settings.appId || id === settings.mobileAppId
  const pathOf = (number: string) => `/v3/pay/transactions/out-trade-no/${encodeURIComponent(number)}`
  const find = async (number: string): Promise<PaymentFacts> => {
    try {
      const found = await signing.ask('GET', `${pathOf(number)}?mchid=${merchantId}`)
      if (found.out_trade_no !== number || found.mchid !== merchantId || !isOwnApp(found.appid))
        throw new PaymentFault('WeChat Pay answered with another order')
      return factsOf(found)
    } catch (error) {
      if (
        error instanceof PaymentFault &&
        error.status === 404 &&
        /^ORDER_?NOT_?EXIST$/.test(error.code ?? '')
      )
        return { order: number, status: 'unknown' }
      throw error
    }
  }

  const openNotice = async ({ headers, body }: Notice) => {
    const signature = readSignature((name) => headers[name])
    if (!(Math.abs(Date.now() / 1000 - Number(signature.timestamp)) <= TOLERANCE_S))
      throw new BadNotice('the notice is too old')
    if (!(await signing.verify(signature, body))) throw new BadNotice('the signature is wrong')
    const notice = parseReply('WeChat Pay', body)
    try {
      return {
        type: text(notice.event_type),
        content: JSON.parse(unseal(notice.resource as Sealed, apiKey)) as Wire,
      }
    } catch {
      throw new BadNotice('the content is sealed with another key')
    }
  }

  return {
    acknowledgement: { status: 200, type: 'application/json', body: '{"code":"SUCCESS"}' },
    charge: (fen) => ({ amount: fen, currency: 'cny' }),
    lacks: ({ method, extra }) =>
      wayOf('wechat', method) === 'jsapi' && text(extra.openid ?? extra.open_id) === ''
        ? 'openid'
        : undefined,
    async begin({ number, method, amount, title, expiresAt, address, extra }) {
      const way = wayOf('wechat', method) ?? 'native'
      const appId = way === 'app' ? settings.mobileAppId : settings.appId
      const made = await signing.ask('POST', `/v3/pay/transactions/${way}`, {
        appid: appId,
        mchid: merchantId,
        description: title,
        out_trade_no: number,
        time_expire: `${chineseTime(expiresAt).replace(' ', 'T')}+08:00`,
        notify_url: noticeUrl,
        amount: { total: amount, currency: 'CNY' },
        ...(way === 'jsapi' ? { payer: { openid: text(extra.openid ?? extra.open_id) } } : {}),
        ...(way === 'h5' ? { scene_info: { payer_client_ip: address, h5_info: { type: 'Wap' } } } : {}),
      })
      if (way === 'native') return { session: null, data: { codeUrl: text(made.code_url) } }
      if (way === 'h5') {
        const back = returnAddress(settings.returnUrl, number)
        return {
          session: null,
          data: { url: `${text(made.h5_url)}&redirect_url=${encodeURIComponent(back)}` },
        }
      }
      const prepaid = text(made.prepay_id)
      if (prepaid === '') throw new PaymentFault('WeChat Pay opened no order')
      const [timeStamp, nonceStr] = [String(Math.floor(Date.now() / 1000)), randomBytes(16).toString('hex')]
      const signed = (last: string) => signLines([appId, timeStamp, nonceStr, last], privateKey)
      if (way === 'jsapi') {
        const of = `prepay_id=${prepaid}`
        return {
          session: null,
          data: { appId, timeStamp, nonceStr, package: of, signType: 'RSA', paySign: signed(of) },
        }
      }
      return {
        session: null,
        data: {
          appId,
          partnerId: merchantId,
          prepayId: prepaid,
          packageValue: 'Sign=WXPay',
          nonceStr,
          timeStamp,
          sign: signed(prepaid),
        },
      }
    },
    async readNotice(notice) {
      const { type, content } = await openNotice(notice)
      if (content.mchid !== merchantId) throw new BadNotice('the notice is for another merchant')
      if (type.startsWith('TRANSACTION.')) {
        if (!isOwnApp(content.appid)) throw new BadNotice('the notice is for another app')
        return factsOf(content)
      }
      if (!type.startsWith('REFUND.')) return undefined
      return {
        order: text(content.out_trade_no),
        payment: text(content.transaction_id),
        status: 'unknown',
        refund: {
          number: text(content.out_refund_no),
          amount: whole(field(content.amount, 'refund')),
          state: REFUND_STATES[text(content.refund_status)] ?? 'waiting',
        },
      }
    },
    find: ({ number }) => find(number),
    async close({ number }) {
      await signing.ask('POST', `${pathOf(number)}/close`, { mchid: merchantId })
    },
    async refund({ order, number, amount, charged, currency, reason }) {
      const { status } = await signing.ask('POST', '/v3/refund/domestic/refunds', {
        out_trade_no: order,
        out_refund_no: number,
        reason: cutText(reason, 80),
        notify_url: noticeUrl,
        amount: { refund: amount, total: charged, currency: currency.toUpperCase() },
      })
      const state = REFUND_STATES[text(status)] ?? 'waiting'
      if (state === 'refused')
        throw new PaymentFault('WeChat Pay closed the refund', { code: 'CLOSED', isRefusal: true })
      return { state }
    },
    stated: {
      readyAt: (day) => statementReadyAt(day, 10),
      async lines(day) {
        let found: Wire
        try {
          found = await signing.ask('GET', `/v3/bill/tradebill?bill_date=${day}&bill_type=ALL`)
        } catch (error) {
          if (error instanceof PaymentFault && error.code === 'NO_STATEMENT_EXIST') return []
          throw error
        }
        const address = new URL(text(found.download_url), url)
        const bill = await downloadBill('WeChat Pay', address.href, {
          authorization: signing.authorization('GET', address.pathname + address.search, ''),
        })
        const hash = createHash('sha1').update(bill).digest('hex')
        if (hash !== text(found.hash_value).toLowerCase())
          throw new PaymentFault('WeChat Pay sent a bill with a wrong hash')
        return readBill(bill.toString('utf8'))
      },
    },
    async check() {
      await find('k0000000000_0')
      await signing.check()
    },
  }
}

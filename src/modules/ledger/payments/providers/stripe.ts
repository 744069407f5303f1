import { createHmac, timingSafeEqual } from 'node:crypto'
import { callProvider, field, parseReply, type Wire } from './call.ts'
import {
  BadNotice,
  type Dispute,
  type PaymentFacts,
  PaymentFault,
  type PaymentService,
  returnAddress,
  type SettingsOf,
  type StatementLine,
} from './provider.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const whole = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined)

const ZERO_DECIMAL = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '))
/** Currencies with three decimals. Stripe requires the last decimal to be zero. */
const THREE_DECIMAL = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd'])
/** Returns a fee in the currency of the balance at Stripe, not in the currency of the payment. */
function feeOf(row: Wire): Pick<StatementLine, 'fee'> {
  const [amount, currency] = [whole(row.fee), text(row.currency)]
  return amount === undefined || currency === undefined ? {} : { fee: { amount, currency } }
}

/** A dispute may concern a part of its payment. */
function disputeFacts(dispute: unknown): Pick<PaymentFacts, 'dispute' | 'claim'> {
  const [number, amount] = [text(field(dispute, 'id')), whole(field(dispute, 'amount'))]
  const currency = text(field(dispute, 'currency'))
  return {
    dispute: disputeStateOf(field(dispute, 'status')),
    ...(number === undefined || amount === undefined || currency === undefined
      ? {}
      : { claim: { number, amount, currency } }),
  }
}

function newsOf(kind: StatementLine['kind'], source: unknown): Pick<StatementLine, 'news'> {
  if (kind === 'dispute') return { news: disputeFacts(source) }
  const [number, amount] = [text(field(source, 'id')), whole(field(source, 'amount'))]
  if (kind !== 'refund' || number === undefined || amount === undefined) return {}
  return { news: { stated: { number, amount } } }
}

/** Maximum age of a signed webhook request, against replay attacks. */
const TOLERANCE_S = 300
/**
 * Stripe allows a checkout to last from 30 minutes to 24 hours. Both limits have a margin of one minute
 * here.
 */
const LIFE_S = [31 * 60, 24 * 3600 - 60] as const

/** Treats an unknown status as open, so that administrators see the dispute. */
const disputeStateOf = (status: unknown): Dispute =>
  status === 'lost'
    ? 'lost'
    : status === 'won' || status === 'warning_closed' || status === 'prevented'
      ? 'won'
      : 'open'

function factsOfSession(session: unknown, failed = false): PaymentFacts {
  const payment = field(session, 'payment_intent')
  const charge = field(payment, 'latest_charge')
  const isPaid = field(session, 'payment_status') === 'paid'
  const refunded = whole(field(charge, 'amount_refunded'))
  return {
    order: text(field(session, 'client_reference_id')) ?? '',
    session: text(field(session, 'id')) ?? '',
    ...(payment ? { payment: text(payment) ?? text(field(payment, 'id')) ?? '' } : {}),
    status: isPaid
      ? 'paid'
      : failed
        ? 'failed'
        : field(session, 'status') === 'expired'
          ? 'expired'
          : 'unpaid',
    ...(isPaid
      ? {
          amount: whole(field(session, 'amount_total')) ?? -1,
          currency: text(field(session, 'currency')) ?? '',
        }
      : {}),
    ...(refunded === undefined ? {} : { refunded }),
  }
}

function factsOfEvent(type: unknown, object: unknown): PaymentFacts | undefined {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return factsOfSession(object)
    case 'checkout.session.async_payment_failed':
      return factsOfSession(object, true)
    case 'charge.refunded':
      // Does not report the charge as paid, because only the checkout that Kith opened may credit its order.
      return {
        payment: text(field(object, 'payment_intent')) ?? '',
        order: text(field(field(object, 'metadata'), 'order')) ?? '',
        status: 'unknown',
        refunded: whole(field(object, 'amount_refunded')) ?? 0,
      }
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return {
        payment: text(field(object, 'payment_intent')) ?? '',
        status: 'unknown',
        ...disputeFacts(object),
      }
    default:
      return undefined
  }
}

/** Verifies a signature as docs.stripe.com/webhooks#verify-manually describes. */
function verifySignature(header: string, body: string, secret: string): void {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string])
  const at = Number(parts.find(([name]) => name === 't')?.[1])
  const expected = createHmac('sha256', secret).update(`${at}.${body}`).digest()
  const isSigned = parts.some(([name, value = '']) => {
    const given = Buffer.from(value, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isSigned) throw new BadNotice('the signature is wrong')
  if (!(Math.abs(Date.now() / 1000 - at) <= TOLERANCE_S)) throw new BadNotice('the notice is too old')
}

export function createStripe(settings: SettingsOf<'stripe'>): PaymentService {
  const { url, secretKey, currency } = settings
  const isLive = secretKey.includes('_live_')

  const ask = async (method: string, path: string, fields: Record<string, string> = {}, key?: string) => {
    const query = new URLSearchParams(fields).toString()
    const isGet = method === 'GET'
    const { status, text: body } = await callProvider(
      'Stripe',
      `${url}${path}${isGet && query ? `?${query}` : ''}`,
      {
        method,
        headers: {
          authorization: `Bearer ${secretKey}`,
          'content-type': 'application/x-www-form-urlencoded',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(isGet ? {} : { body: query }),
      },
    )
    if (status >= 300)
      throw new PaymentFault(`Stripe answered ${status}`, {
        status,
        code: status < 500 ? text(field(field(parseReply('Stripe', body), 'error'), 'code')) : undefined,
        isRefusal: status === 400 || status === 402 || status === 404,
      })
    return parseReply('Stripe', body)
  }

  return {
    acknowledgement: { status: 200, type: 'application/json', body: '{}' },
    charge(fen) {
      const amount = ZERO_DECIMAL.has(currency) ? fen / 100 : THREE_DECIMAL.has(currency) ? fen * 10 : fen
      return Number.isInteger(amount) ? { amount, currency } : undefined
    },
    async begin({ number, amount, title, expiresAt }) {
      const life = Math.round((expiresAt.getTime() - Date.now()) / 1000)
      const expires = Math.min(Math.max(life, LIFE_S[0]), LIFE_S[1])
      const back = returnAddress(settings.returnUrl, number)
      const session = await ask(
        'POST',
        '/v1/checkout/sessions',
        {
          mode: 'payment',
          client_reference_id: number,
          'metadata[order]': number,
          'payment_intent_data[metadata][order]': number,
          'line_items[0][quantity]': '1',
          'line_items[0][price_data][currency]': currency,
          'line_items[0][price_data][unit_amount]': String(amount),
          'line_items[0][price_data][product_data][name]': title,
          expires_at: String(Math.floor(Date.now() / 1000) + expires),
          success_url: back,
          cancel_url: `${back}&cancelled=1`,
        },
        number,
      )
      const id = text(session.id)
      const address = text(session.url)
      if (!id || !address) throw new PaymentFault('Stripe opened no checkout')
      return { session: id, data: { session: id, url: address } }
    },
    async readNotice({ headers, body }) {
      verifySignature(String(headers['stripe-signature'] ?? ''), body, settings.webhookSecret)
      const event = parseReply('Stripe', body)
      // A site with live keys must not credit a payment that was made with a test card.
      if (event.livemode !== isLive) throw new BadNotice('the notice is of the other mode')
      return factsOfEvent(event.type, field(event.data, 'object'))
    },
    async find({ number, session }) {
      if (session === null) return { order: number, status: 'unknown' }
      const found = await ask('GET', `/v1/checkout/sessions/${encodeURIComponent(session)}`, {
        'expand[]': 'payment_intent.latest_charge',
      })
      if (field(found, 'client_reference_id') !== number)
        throw new PaymentFault('Stripe answered with another order')
      return factsOfSession(found)
    },
    async orderOf(payment) {
      try {
        const intent = await ask('GET', `/v1/payment_intents/${encodeURIComponent(payment)}`)
        return text(field(intent.metadata, 'order'))
      } catch (error) {
        if (error instanceof PaymentFault && error.status === 404) return undefined
        throw error
      }
    },
    async disputeOf(payment) {
      const { data } = await ask('GET', '/v1/disputes', { payment_intent: payment, limit: '100' })
      const disputes = (Array.isArray(data) ? (data as Wire[]) : []).map(disputeFacts)
      // A payment may have several disputes. The last open one decides when the question is asked again.
      const state = (['open', 'lost', 'won'] as const).find((each) =>
        disputes.some(({ dispute }) => dispute === each),
      )
      const found = disputes.filter(({ dispute }) => dispute === state)
      const [first] = found
      if (state !== 'lost' || !first?.claim || found.some(({ claim }) => !claim)) return first ?? {}
      const amount = found.reduce((sum, { claim }) => sum + (claim?.amount ?? 0), 0)
      return { dispute: state, claim: { ...first.claim, amount } }
    },
    async close({ session }) {
      if (session !== null) await ask('POST', `/v1/checkout/sessions/${encodeURIComponent(session)}/expire`)
    },
    async refund({ payment, number, amount }) {
      // Searches for an earlier refund with this number, because Stripe forgets idempotency keys after a day.
      const { data } = await ask('GET', '/v1/refunds', { payment_intent: payment, limit: '100' })
      const refunds = Array.isArray(data) ? (data as Wire[]) : []
      const known = refunds.find((each) => field(each.metadata, 'refund') === number)
      const fields = { payment_intent: payment, amount: String(amount), 'metadata[refund]': number }
      const { status } = known ?? (await ask('POST', '/v1/refunds', fields, number))
      if (status === 'failed' || status === 'canceled')
        throw new PaymentFault('Stripe could not refund', { code: status, isRefusal: true })
      if (status !== 'succeeded') return { state: 'waiting' }
      const sum = refunds
        .filter((each) => each !== known && each.status === 'succeeded')
        .reduce((total, each) => total + (whole(each.amount) ?? 0), amount)
      return { state: 'done', refunded: sum }
    },
    stated: {
      readyAt: (day) => new Date(Date.parse(`${day}T00:00:00Z`) + 26 * 3600_000),
      async lines(day) {
        const from = Date.parse(`${day}T00:00:00Z`) / 1000
        const lines: StatementLine[] = []
        for (let after: string | undefined; ; ) {
          const page = await ask('GET', '/v1/balance_transactions', {
            'created[gte]': String(from),
            'created[lt]': String(from + 86_400),
            limit: '100',
            'expand[]': 'data.source',
            ...(after === undefined ? {} : { starting_after: after }),
          })
          const rows = Array.isArray(page.data) ? (page.data as Wire[]) : []
          for (const row of rows) {
            const kind = {
              charge: 'payment',
              payment: 'payment',
              refund: 'refund',
              payment_refund: 'refund',
              refund_failure: 'refund_failed',
              // A bank may return a debit days after it succeeded.
              payment_failure_refund: 'payment_failed',
              payment_reversal: 'payment_failed',
              // The other adjustments concern no payment.
              adjustment: field(row.source, 'object') === 'dispute' ? 'dispute' : undefined,
            }[String(row.type)] as StatementLine['kind'] | undefined
            if (!kind) continue
            const order = text(field(field(row.source, 'metadata'), 'order'))
            const refund = kind === 'refund_failed' ? text(field(row.source, 'id')) : undefined
            // Uses the amount of the charge or refund, because the balance at Stripe may be in another currency.
            lines.push({
              kind,
              payment: text(field(row.source, 'payment_intent')) ?? text(field(row.source, 'id')) ?? '',
              ...(order === undefined ? {} : { order }),
              ...(refund === undefined ? {} : { refund }),
              amount: whole(field(row.source, 'amount')) ?? -1,
              currency: text(field(row.source, 'currency')) ?? '',
              ...(kind === 'payment' ? feeOf(row) : {}),
              ...newsOf(kind, row.source),
            })
          }
          after = text(rows.at(-1)?.id)
          if (page.has_more !== true || after === undefined) return lines
        }
      },
    },
    async check() {
      // Lists disputes, because a restricted key may lack this right.
      await ask('GET', '/v1/disputes', { limit: '1' })
    },
  }
}

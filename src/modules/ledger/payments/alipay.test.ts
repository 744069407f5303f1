import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { readConfig } from '#platform/config'
import { alipayDouble, alipayFields, alipayNotice } from '#test/fixtures/alipay-double.ts'
import type { DoublePayment } from '#test/fixtures/payment-services.ts'
import { paymentSuite } from '#test/fixtures/payment-suite.ts'

const double = await alipayDouble()
const state = (payment: DoublePayment) => alipayNotice(alipayFields(payment))

const { begin, offer, person } = await paymentSuite({
  provider: 'alipay',
  method: 'AlipayOrder',
  env: double.env,
  double,
  enter: (data) => double.enter(data),
  notices: {
    state,
    refunded: state,
    refused(payment) {
      const fields = alipayFields(payment)
      const signed = alipayNotice(fields)
      const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
      return [
        ['another key', alipayNotice(fields, stranger)],
        [
          'a changed amount',
          { ...signed, body: signed.body.replace('total_amount=3.00', 'total_amount=3.01') },
        ],
        ['another app', alipayNotice({ ...fields, app_id: '2021000000000002' })],
        ['another seller', alipayNotice({ ...fields, seller_id: '2088000000000002' })],
        ['another kind of signature', { ...signed, body: signed.body.replace('RSA2', 'RSA') }],
        ['no signature', { ...signed, body: new URLSearchParams(fields).toString() }],
      ]
    },
  },
  acknowledgement: 'success',
  noon: (day) => Date.parse(`${day}T12:00:00+08:00`),
})

test('returns payment data in the format of the requested payment type', async () => {
  await offer(['AlipayOrder', 'AlipayWapOrder', 'alipay_pc_direct'])
  const anna = await person()
  const app = (await begin(anna, { type: 'AlipayOrder' })).data as { orderInfo: string }
  assert.match(app.orderInfo, /method=alipay\.trade\.app\.pay/)
  assert.doesNotMatch(app.orderInfo, /\+/)
  for (const [type, method] of [
    ['AlipayWapOrder', 'alipay.trade.wap.pay'],
    ['alipay_pc_direct', 'alipay.trade.page.pay'],
  ] as const) {
    const { id, data } = await begin(anna, { type, amount: 1205 })
    const query = new URL((data as { url: string }).url).searchParams
    assert.equal(query.get('method'), method)
    assert.match(query.get('notify_url') ?? '', /\/payments\/alipay\/notices$/)
    assert.match(
      query.get('return_url') ?? '',
      new RegExp(`^https://site.example/paid\\?payment=k[0-9a-f]{10}_${id}$`),
    )
    const content = JSON.parse(query.get('biz_content') ?? '')
    assert.equal(content.total_amount, '12.05')
    // Without an expiry, Alipay could accept a payment after Kith closed the order.
    assert.ok(Date.parse(`${content.time_expire.replace(' ', 'T')}+08:00`) > Date.now())
  }
  await offer(['AlipayOrder'])
})

test('reports missing and invalid settings of Alipay', () => {
  const faultsOf = (env: Record<string, string>) => {
    try {
      readConfig(env)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const { ALIPAY_SELLER_ID: _, ...partial } = double.env
  assert.match(faultsOf(partial), /ALIPAY_SELLER_ID is required for payments by Alipay/)
  const broken = faultsOf({ ...double.env, ALIPAY_PRIVATE_KEY: 'bm90IGEga2V5' })
  assert.match(broken, /ALIPAY_PRIVATE_KEY is not an RSA key/)
  assert.doesNotMatch(broken, /bm90IGEga2V5/)
})

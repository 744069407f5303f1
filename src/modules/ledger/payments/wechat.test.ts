import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type PaymentSettings, readPaymentSettings } from '#platform/config/payment-settings.ts'
import type { DoublePayment } from '#test/fixtures/payment-services.ts'
import { paymentSuite } from '#test/fixtures/payment-suite.ts'
import {
  byCertificate,
  isSignedByMerchant,
  wechatDouble,
  wechatNotice,
  wechatRefundNotice,
  wechatTransaction,
} from '#test/fixtures/wechat-double.ts'
import { paymentService } from './providers/choose.ts'
import { compareStatement } from './reconcile.ts'

const double = await wechatDouble()
const state = (payment: DoublePayment) => wechatNotice(wechatTransaction(payment))
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

const { as, begin, check, ctx, offer, owns, person, send } = await paymentSuite({
  provider: 'wechat',
  method: 'WechatOrder',
  env: double.env,
  double,
  enter() {},
  notices: {
    state,
    refunded: wechatRefundNotice,
    refused(payment) {
      const content = wechatTransaction(payment)
      const signed = wechatNotice(content)
      return [
        ['another key', wechatNotice(content, { key: stranger })],
        ['an unknown key id', wechatNotice(content, { serial: 'PUB_KEY_ID_0' })],
        ['an old notice', wechatNotice(content, { at: Date.now() - 301_000 })],
        ['a notice of the future', wechatNotice(content, { at: Date.now() + 3_600_000 })],
        ['a changed body', { ...signed, body: signed.body.replace('"event_type"', '"event-type"') }],
        ['another APIv3 key', wechatNotice(content, { apiKey: randomBytes(16).toString('hex') })],
        ['another merchant', wechatNotice({ ...content, mchid: '1900000002' })],
        ['another app', wechatNotice({ ...content, appid: 'wx0000000000000009' })],
        ['no signature', { ...signed, headers: { 'content-type': 'application/json' } }],
      ]
    },
  },
  acknowledgement: '{"code":"SUCCESS"}',
  noon: (day) => Date.parse(`${day}T12:00:00+08:00`),
})

test('returns payment data in the format of the requested payment type', async () => {
  await offer(['WechatOrder', 'wx_pub', 'WechatWapOrder', 'wx_pub_qr'])
  const anna = await person()
  const app = (await begin(anna, { type: 'WechatOrder' })).data as Record<string, string>
  assert.ok(isSignedByMerchant([app.appId, app.timeStamp, app.nonceStr, app.prepayId], app.sign))
  const page = (await begin(anna, { type: 'wx_pub', extra: { openid: 'o123' } })).data as Record<
    string,
    string
  >
  assert.match(page.package ?? '', /^prepay_id=wx/)
  assert.ok(isSignedByMerchant([page.appId, page.timeStamp, page.nonceStr, page.package], page.paySign))
  assert.deepEqual(double.bodies.at(-1)?.payer, { openid: 'o123' })
  const wap = (await begin(anna, { type: 'WechatWapOrder' })).data as { url: string }
  assert.match(wap.url, /&redirect_url=https%3A%2F%2Fsite\.example%2Fpaid%3Fpayment%3Dk/)
  assert.deepEqual(double.bodies.at(-1)?.scene_info, {
    payer_client_ip: '127.0.0.1',
    h5_info: { type: 'Wap' },
  })
  const code = (await begin(anna, { type: 'wx_pub_qr' })).data as { codeUrl: string }
  assert.match(code.codeUrl, /^weixin:/)
  assert.match(String(double.bodies.at(-1)?.notify_url), /\/payments\/wechat\/notices$/)
  assert.match(String(double.bodies.at(-1)?.time_expire), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/)
  const wanted = { type: 'wx_pub', amount: 300 }
  const lacking = await as(anna, 'POST', '/plus-pay/recharge', wanted, { 'accept-language': 'zh' })
  assert.deepEqual(
    [lacking.status, lacking.body.errors],
    [422, { extra: ['附加信息.微信用户标识不能为空。'] }],
  )
  await offer(['WechatOrder'])
})

test('returns 503 when WeChat Pay fails or sends a forged response', async () => {
  const anna = await person()
  for (const fault of ['timeout', 500, 'garbage', 429, 'forged'] as const) {
    if (fault === 'forged') double.forges = 1
    else double.faults.push(fault)
    const made = await as(anna, 'POST', '/plus-pay/recharge', { type: 'WechatOrder', amount: 300 })
    assert.deepEqual([made.status, made.headers['x-error-code']], [503, 'payment_unavailable'])
  }
})

test('credits a payment once when the refund notification precedes the payment notification', async () => {
  const anna = await person()
  const { id } = await begin(anna)
  double.pay(id)
  const notice = wechatRefundNotice(double.refund(id, 100), 100)
  assert.equal((await send(notice)).statusCode, 200)
  assert.equal((await owns(anna)).wallet, 200)
  assert.equal((await check(anna, id)).status, 200)
  assert.equal((await send(state(double.of(id)))).statusCode, 200)
  assert.equal((await owns(anna)).wallet, 200)
})

test('rejects a daily statement with a wrong hash', async () => {
  const { id } = await begin(await person())
  double.pay(id).paidAt = Date.parse('2026-02-01T12:00:00+08:00')
  double.faults.push('none', 'garbage')
  await assert.rejects(compareStatement(ctx, 'wechat', '2026-02-01'), /wrong hash/)
})

const settingsFrom = (env: Record<string, string>): PaymentSettings => {
  const faults: string[] = []
  const text = (name: string) => env[name]
  const settings = readPaymentSettings(
    { text, url: text, faults },
    'https://site.example',
    'https://site.example/wallet/recharge',
  )
  assert.deepEqual(faults, [])
  return settings
}

const paid: DoublePayment = {
  order: 'k0123456789_1',
  session: '',
  payment: '4200',
  amount: 300,
  currency: 'cny',
  status: 'paid',
  refunded: 0,
}
const paidFacts = { order: paid.order, payment: '4200', status: 'paid', amount: 300, currency: 'cny' }

test('fetches platform certificates from WeChat Pay when no public key is configured', async () => {
  const service = await paymentService(settingsFrom(double.certificateEnv), 'wechat')
  assert.ok(service)
  const content = wechatTransaction(paid)
  const before = double.requests.length
  assert.deepEqual(await service.readNotice(wechatNotice(content, byCertificate)), paidFacts)
  await assert.rejects(
    service.readNotice(wechatNotice(content, { ...byCertificate, key: stranger })),
    /signature/,
  )
  for (const serial of ['AA', 'BB'])
    await assert.rejects(service.readNotice(wechatNotice(content, { serial })), /signature/)
  // Unknown serial numbers cause at most one request for certificates per minute.
  assert.deepEqual(double.requests.slice(before), ['GET /v3/certificates'])
  const other = await paymentService(
    settingsFrom({ ...double.certificateEnv, WECHAT_PAY_API_KEY: randomBytes(16).toString('hex') }),
    'wechat',
  )
  await assert.rejects(async () => other?.check(), /APIv3 key/)
})

test('fetches certificates once for concurrent notifications, and again five seconds after a failure', async (t) => {
  const service = await paymentService(settingsFrom(double.certificateEnv), 'wechat')
  assert.ok(service)
  const read = () => service.readNotice(wechatNotice(wechatTransaction(paid), byCertificate))
  const before = double.requests.length
  const fetched = () => double.requests.length - before
  const start = performance.now()
  let now = start
  t.mock.method(performance, 'now', () => now)
  double.faults.push(500)
  const failed = await Promise.allSettled([read(), read()])
  now = start + 4_900
  for (const result of [...failed, ...(await Promise.allSettled([read()]))])
    assert.match(String(result.status === 'rejected' && result.reason), /answered 500/)
  assert.equal(fetched(), 1)
  now = start + 5_100
  assert.deepEqual(await Promise.all([read(), read()]), [paidFacts, paidFacts])
  assert.equal(fetched(), 2)
})

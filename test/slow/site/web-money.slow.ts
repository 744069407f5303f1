import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { STRIPE_HOOK, STRIPE_KEY, stripeDouble } from '#test/fixtures/payment-services.ts'
import { wechatDouble } from '#test/fixtures/wechat-double.ts'
import { updateSettings } from '#test/settings.ts'
import { findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const stripe = skip ? undefined : await stripeDouble()
const wechat = skip ? undefined : await wechatDouble()
const site =
  stripe && wechat
    ? await openSite({
        STRIPE_SECRET_KEY: STRIPE_KEY,
        STRIPE_WEBHOOK_SECRET: STRIPE_HOOK,
        STRIPE_URL: stripe.url,
        ...wechat.env,
      })
    : undefined
if (site) {
  await updateSettings(site.ctx, site.sql, { 'wallet:recharge-types': ['manual', 'stripe', 'wx_pub_qr'] })
}

const PAGES = [
  '/wallet',
  '/wallet/money',
  '/wallet/earlier',
  '/wallet/recharge',
  '/wallet/withdraw',
  '/wallet/exchange',
]

test('exchanges recharged money for points', {
  skip,
}, async () => {
  const { as, person, sql } = site!
  const ada = await person()
  const page = await site!.open('/wallet', { person: ada })
  await page.route('https://checkout.stripe.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Checkout</title>' }),
  )
  await page.getByRole('link', { name: 'Recharge' }).click()
  await page.getByRole('heading', { name: 'Recharge' }).waitFor()
  await page.getByLabel('Amount in CNY').fill('12.50')
  await page.getByLabel('Payment method').selectOption('stripe')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.waitForURL('https://checkout.stripe.example/**')
  const [{ id, number }] = await sql<[{ id: number; number: string }]>`
    select recharge_id as id, order_number as number from payments order by recharge_id desc limit 1`
  stripe!.pay(id)
  await page.goto(`${site!.address}/wallet/recharge?payment=${number}`)
  await page.getByText('The payment was credited.').waitFor()
  await page.getByRole('link', { name: 'View wallet' }).click()
  await page.locator('.balance', { hasText: '¥12.50' }).waitFor()

  await page.getByRole('link', { name: 'Exchange for points' }).click()
  await page.getByRole('heading', { name: 'Exchange money for points' }).waitFor()
  await page.getByLabel('Amount in CNY').fill('2')
  await page.getByText('You get 200 points.').waitFor()
  // Drops the response after the exchange, so that the user sends the same form again.
  await page.route('**/plus-pay/transform', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Exchange', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await page.getByLabel('Amount in CNY').inputValue(), '2')
  await page.unroute('**/plus-pay/transform')
  await page.reload()
  await page.getByLabel('Amount in CNY').fill('2.00')
  await page.getByRole('button', { name: 'Exchange', exact: true }).click()
  await page.getByText('Exchanged.').waitFor()
  const { body: me } = await as(ada, 'GET', '/api/v2/user')
  assert.deepEqual([me.new_wallet.balance, me.currency.sum], [1050, 200])

  await page.getByRole('link', { name: 'Withdraw' }).click()
  await page.getByRole('heading', { name: 'Withdraw', exact: true }).waitFor()
  await page.getByLabel('Amount in CNY').fill('100')
  await page.getByLabel('Receiving account').fill('ada@example.org')
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Amount in CNY').fill('5,5')
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  await page.getByText('ada@example.org').last().waitFor()
  await page.getByText(/^in review · /).waitFor()
  const { body: cashes } = await as(ada, 'GET', '/api/v2/plus-pay/cashes')
  assert.deepEqual(
    cashes.map(({ value, account }: { value: number; account: string }) => [value, account]),
    [[550, 'ada@example.org']],
  )
  await page.goto(`${site!.address}/wallet/recharge`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Amount in CNY').fill('3')
  await page.getByLabel('Payment method').selectOption('wx_pub_qr')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('img', { name: 'QR code of the payment' }).waitFor()
  await page.waitForURL(/payment=\d+$/)
  await page.reload()
  await page.getByRole('img', { name: 'QR code of the payment' }).waitFor()
  await look(page, 'money-wide-code')
  assert.deepEqual(await findings(page), [])
  wechat!.pay(Number(new URL(page.url()).searchParams.get('payment')))
  await page.getByText('The payment was credited.').waitFor()

  await page.goto(`${site!.address}/account/security`)
  await page.locator('html[data-ready]').waitFor()
  const start = page.locator('form', { has: page.getByRole('button', { name: 'Set up' }) })
  await start.locator('[name=name]').fill(ada.name)
  await start.getByRole('button').click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  assert.deepEqual(await findings(page), [])

  for (const path of PAGES) {
    await page.goto(site!.address + path)
    await page.locator('html[data-ready]').waitFor()
    await look(page, `money-wide${path.replaceAll('/', '-')}`)
    assert.deepEqual(await findings(page), [], path)
  }
  await page.context().close()

  const dark = await site!.open('/wallet', {
    person: ada,
    colorScheme: 'dark',
    locale: 'zh-CN',
    ...TELEPHONE,
  })
  for (const path of PAGES) {
    await dark.goto(site!.address + path)
    await dark.locator('html[data-ready]').waitFor()
    await look(dark, `money-narrow${path.replaceAll('/', '-')}`)
    assert.deepEqual(await findings(dark), [], path)
    assert.ok(Number(await dark.evaluate('document.documentElement.scrollWidth')) <= 390, path)
  }
  await dark.goto(`${site!.address}/wallet/recharge`)
  await dark.locator('html[data-ready]').waitFor()
  await dark.getByLabel('金额（元）').fill('3')
  await dark.getByLabel('支付方式').selectOption('manual')
  await dark.getByLabel('充值到').selectOption('points')
  await dark.getByRole('button', { name: '去支付' }).click()
  await dark.getByText(/备注 ORDER-\d+/).waitFor()
  await look(dark, 'money-narrow-manual')
  await dark.goto(`${site!.address}/wallet/recharge?payment=k0_1&cancelled=1`)
  await dark.getByText('支付已取消').waitFor()
  await dark.context().close()
  assert.deepEqual(
    site!.faults.filter((fault) => !fault.includes('checkout.stripe.example')),
    [],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { addEarlierOrder } from '#test/fixtures/earlier-orders.ts'
import { findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

test('shows members their transactions at the former site (money-27)', { skip }, async () => {
  const { person, sql } = site!
  const [ada, ben] = [await person(), await person()]
  for (let id = 1; id <= 30; id += 1)
    await addEarlierOrder(sql, id, ada.id, { created_at: `2020-01-${String(id).padStart(2, '0')}T03:04:05Z` })
  await addEarlierOrder(sql, 101, ada.id, {
    title: 'Recharge with Alipay',
    body: 'a body of two words',
    amount: 123456,
    provider: 'AlipayOrder',
    number: 'N101',
    provider_number: '2020010122001412345678',
    created_at: '2021-03-04T05:06:07Z',
  })
  await addEarlierOrder(sql, 102, ada.id, {
    title: 'Withdrawal',
    amount: -700,
    currency: 'points',
    state: 0,
    created_at: '2021-03-03T05:06:07Z',
  })
  await addEarlierOrder(sql, 103, ada.id, {
    title: 'Returned',
    amount: 50,
    refunded: true,
    created_at: '2021-03-02T05:06:07Z',
  })

  const page = await site!.open('/wallet', { person: ada })
  await page.getByRole('link', { name: 'Transactions before the move' }).click()
  await page.getByRole('heading', { name: 'Transactions before the move' }).waitFor()
  const rows = page.locator('ul.rows li')
  const textOf = async (n: number) => (await rows.nth(n).innerText()).replace(/\s+/g, ' ')
  await rows.nth(2).waitFor()
  assert.match(
    await textOf(0),
    /^Recharge with Alipay a body of two words .* Payment 2020010122001412345678 \+¥1,234\.56$/,
  )
  assert.match(await textOf(1), /^Withdrawal .* pending −700$/)
  assert.match(await textOf(2), /^Returned .* refund \+¥0\.50$/)
  await look(page, 'earlier-wide')
  assert.deepEqual(await findings(page), [])
  for (let n = 0; (await rows.count()) < 33 && n < 20; n += 1) {
    const shown = await rows.count()
    await page.getByRole('link', { name: 'Show more' }).scrollIntoViewIfNeeded()
    await rows.nth(shown).waitFor()
  }
  assert.equal(await rows.count(), 33)
  assert.match(await textOf(32), /^order 1 /)
  await page.context().close()

  const dark = await site!.open('/wallet/earlier', {
    person: ada,
    colorScheme: 'dark',
    locale: 'zh-CN',
    ...TELEPHONE,
  })
  await dark.getByText('支付单号 2020010122001412345678').waitFor()
  await look(dark, 'earlier-narrow')
  assert.deepEqual(await findings(dark), [])
  assert.ok(Number(await dark.evaluate('document.documentElement.scrollWidth')) <= 390)
  await dark.context().close()

  const other = await site!.open('/wallet/earlier', { person: ben })
  await other.getByText('No transactions before the move.').waitFor()
  await other.goto(`${site!.address}/wallet`)
  await other.locator('html[data-ready]').waitFor()
  assert.equal(await other.getByRole('link', { name: 'Transactions before the move' }).count(), 0)
  await other.context().close()
  assert.deepEqual(site!.faults, [])
})

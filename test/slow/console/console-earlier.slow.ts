import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole, settled } from '#test/console-browser.ts'
import { addEarlierOrder } from '#test/fixtures/earlier-orders.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()

test('finds an order of a former site by its payment number (money-27)', { skip }, async () => {
  const { sql, person, address, open } = world!
  const ada = await person({ name: 'ada' })
  for (let id = 1; id <= 12; id += 1) await addEarlierOrder(sql, id, ada.id, { number: `N${id}` })
  await addEarlierOrder(sql, 50, ada.id, {
    title: 'Recharge with Alipay',
    amount: 123456,
    provider: 'AlipayOrder',
    number: 'N50',
    provider_number: '2020010122001412345678',
    refunded: true,
  })
  const page = await open('/earlier-orders', {})
  await settled(page)
  await page.locator('table tbody tr').nth(12).waitFor()
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/console-earlier-list.png` })
  assert.deepEqual(await findings(page), [])
  await page
    .getByRole('textbox', { name: /search/i })
    .first()
    .fill('2020010122001412345678')
  await page.waitForURL(/2020010122001412345678/)
  await settled(page)
  const rows = page.locator('table tbody tr')
  await rows.nth(1).waitFor({ state: 'detached' })
  const row = (await rows.first().innerText()).replace(/\s+/g, ' ')
  for (const part of ['ada', 'Recharge with Alipay', '1,234.56']) assert.ok(row.includes(part), row)
  await rows.first().click()
  await page.getByText('2020010122001412345678').first().waitFor()
  await settled(page)
  for (const text of ['N50', 'AlipayOrder', 'Recharge with Alipay'])
    assert.ok(await page.getByText(text).first().isVisible(), text)
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/console-earlier-order.png` })
  assert.deepEqual(await findings(page), [])
  assert.ok(page.url().startsWith(`${address}/admin/earlier-orders`))
  await page.context().close()
  assert.deepEqual(world!.faults, [])
})

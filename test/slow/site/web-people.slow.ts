import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const RANKS = ['followers', 'feeds', 'news', 'answers', 'likes', 'experts', 'checkins', 'balance', 'income']

test('finds users by recommendation, popularity, tags and location', { skip }, async () => {
  const { as, open, address, person, sql } = site!
  const [ada, lin, ben] = [
    await person({ name: 'ada_nearby' }),
    await person({ name: 'lin_nearby' }),
    await person({ name: 'ben_popular' }),
  ]
  await as(ada, 'PUT', `/api/v2/user/followings/${ben.id}`)
  await sql`update users set recommended_at = now() where id = ${lin.id}`
  const [tag] = await sql<[{ id: number }]>`
    with category as (insert into tag_categories (name, name_key) values ('Crafts', 'crafts') returning id)
    insert into tags (tag_category_id, name, name_key) select id, 'Weaving', 'weaving' from category returning id`
  await as(lin, 'PUT', `/api/v2/user/tags/${tag.id}`)
  await as(lin, 'POST', '/api/v2/around-amap', { latitude: 30.5, longitude: 104.1 })

  const plain = await open('/people', { javaScriptEnabled: false, ...TELEPHONE })
  await plain.getByRole('link', { name: 'lin_nearby' }).first().waitFor()
  await plain.getByRole('link', { name: 'Popular', exact: true }).click()
  assert.match(await plain.locator('.rows li').first().innerText(), /ben_popular/)
  for (const rank of RANKS) {
    await plain.goto(`${address}/ranks/${rank}`)
    assert.equal(await plain.locator('h1').count(), 1, rank)
  }
  await plain.goto(`${address}/ranks/followers`)
  assert.match(await plain.locator('.rows li').first().innerText(), /ben_popular/)
  await plain.context().close()

  const page = await open('/account/tags', {
    person: ada,
    geolocation: { latitude: 30.5004, longitude: 104.1002 },
    permissions: ['geolocation'],
  })
  await page.getByLabel('Weaving').check()
  await until(page, '!document.querySelector("input[type=checkbox]").disabled')
  await page.goto(`${address}/people/tags`)
  await page.getByRole('link', { name: 'lin_nearby' }).first().waitFor()
  await page.getByRole('link', { name: 'Nearby', exact: true }).click()
  await page.getByRole('button', { name: 'Share my location and search' }).click()
  await page.locator('.rows').getByRole('link', { name: 'lin_nearby' }).first().waitFor()
  await look(page, 'nearby')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Stop sharing my location' }).click()
  await page.getByText('Your location is no longer shared.').waitFor()
  const { body } = await as(ben, 'GET', '/api/v2/around-amap?latitude=30.5&longitude=104.1')
  assert.deepEqual(
    body.map(({ user_id }: { user_id: number }) => user_id),
    [lin.id],
  )
  await page.context().close()

  for (const options of [
    { colorScheme: 'dark' as const },
    { colorScheme: 'light' as const, locale: 'zh-CN', ...TELEPHONE },
  ]) {
    const each = await open('/people', { person: ada, ...options })
    for (const path of [
      '/people',
      '/people/new',
      '/people/tags',
      '/people/nearby',
      '/account/tags',
      '/ranks',
      '/ranks/feeds?type=week',
    ]) {
      await each.goto(address + path)
      await each.locator('html[data-ready]').waitFor()
      await look(each, `people-${options.colorScheme}${path.replaceAll(/[/?=]/g, '-')}`)
      assert.deepEqual(await findings(each), [], path)
      if ('viewport' in options)
        assert.ok(Number(await each.evaluate('document.documentElement.scrollWidth')) <= 390, path)
    }
    await each.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('resubmits a rejected certification', { skip }, async () => {
  const { as, open, person, sql } = site!
  const who = await person()
  const page = await open('/account/certification', { person: who, ...TELEPHONE })
  await page.getByLabel('Type').selectOption('org')
  await page.getByLabel('Organisation name').fill('Harbour office')
  await page.getByLabel('Organisation address').fill('Quay 1')
  await page.getByLabel('Full name').fill('Ada')
  await page.getByLabel('Phone').fill('13800000001')
  await page.getByLabel('Identity card or business licence number').fill('110101199003070011')
  await page.getByLabel('Badge text').fill('Harbour master')
  const buffer = await flatPicture(64, 64).png().toBuffer()
  await page
    .getByLabel('Photos of the documents')
    .setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
  await look(page, 'certification')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('Your application is waiting for review.').waitFor()
  const asked = async () => (await as(who, 'GET', '/api/v2/user/certification')).body
  const first = await asked()
  assert.deepEqual(
    [first.status, first.certification_name, first.data.org_name, first.files.length],
    [0, 'org', 'Harbour office', 1],
  )
  await sql`update certifications set status = 2 where user_id = ${who.id}`
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
  await page.getByText('Your application was rejected.').waitFor()
  await page.getByLabel('Badge text').fill('Master of the harbour')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('Your application is waiting for review.').waitFor()
  assert.equal((await asked()).data.desc, 'Master of the harbour')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

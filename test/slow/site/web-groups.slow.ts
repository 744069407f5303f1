import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

test('creates a group and decides on its membership requests', {
  skip,
}, async () => {
  const { as, open, address, person, sql } = site!
  const [ada, ben, eve] = [
    await person({ name: 'ada_founds' }),
    await person({ name: 'ben_asks' }),
    await person({ name: 'eve_asks' }),
  ]
  await sql`insert into group_categories (name, name_key) values ('Boats', 'boats')`
  const page = await open('/groups', { person: ada })
  await page.getByRole('link', { name: 'Create a group' }).click()
  await page.getByLabel('Name').fill('Night sailors')
  await page.getByLabel('Description').fill('We sail by the stars.')
  await page.getByLabel('Access').selectOption('private')
  await look(page, 'group-new')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('Group submitted. An administrator will review it.').waitFor()
  await page.waitForURL(/\/groups\/\d+$/)
  const id = Number(page.url().split('/').at(-1))
  await sql`update groups set audit = 1 where id = ${id}`

  for (const who of [ben, eve]) {
    const other = await open(`/groups/${id}`, { person: who, ...TELEPHONE })
    await other.getByRole('button', { name: 'Join' }).click()
    await other.getByRole('button', { name: 'Cancel request' }).waitFor()
    await other.context().close()
  }
  await page.goto(`${address}/groups/${id}/members?type=audit`)
  const rowOf = (name: string) => page.locator('.rows li').filter({ hasText: name })
  await look(page, 'group-requests')
  await rowOf('ben_asks').getByRole('button', { name: 'Accept' }).click()
  await rowOf('ben_asks').waitFor({ state: 'detached' })
  await rowOf('eve_asks').getByRole('button', { name: 'Reject' }).click()
  await rowOf('eve_asks').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await rowOf('ben_asks').getByRole('button', { name: 'Make administrator' }).click()
  await rowOf('ben_asks').getByText('Administrator', { exact: true }).waitFor()
  await look(page, 'group-members')
  assert.deepEqual(await findings(page), [])
  await rowOf('ben_asks').getByRole('button', { name: 'Make member' }).click()
  await rowOf('ben_asks').getByRole('button', { name: 'Make administrator' }).waitFor()
  for (const width of [1280, 640, 520, 360]) {
    await page.setViewportSize({ width, height: 900 })
    const name = await rowOf('ben_asks').locator('> div').boundingBox()
    assert.ok((name?.width ?? 0) >= 100, `the name has ${name?.width} px at ${width} px`)
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= width, String(width))
  }
  await look(page, 'group-members-360')
  await page.setViewportSize({ width: 1280, height: 900 })
  const { body: members } = await as(ada, 'GET', `/api/v2/groups/${id}/members`)
  assert.deepEqual(
    members.map(({ role, user }: { role: string; user: { name: string } }) => `${user.name} ${role}`).sort(),
    ['ada_founds founder', 'ben_asks member'],
  )

  await page.goto(`${address}/groups/${id}/edit`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Notice').fill('Bring a lamp.')
  await page.getByLabel('Who can post').selectOption('founder')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual(await findings(page), [])
  const { body: group } = await as(ada, 'GET', `/api/v2/groups/${id}`)
  assert.deepEqual([group.notice, group.permissions, group.mode], ['Bring a lamp.', 'founder', 'private'])
  await page.goto(`${address}/groups/mine`)
  await page.getByRole('link', { name: 'Night sailors' }).waitFor()
  await page.context().close()

  const narrow = await open('/groups/mine', {
    person: ada,
    colorScheme: 'dark',
    locale: 'zh-CN',
    ...TELEPHONE,
  })
  for (const path of [
    '/groups/mine',
    '/groups/new',
    `/groups/${id}`,
    `/groups/${id}/members`,
    `/groups/${id}/edit`,
  ]) {
    await narrow.goto(address + path)
    await narrow.locator('html[data-ready]').waitFor()
    await look(narrow, `group-narrow${path.replaceAll('/', '-')}`)
    assert.deepEqual(await findings(narrow), [], path)
    assert.ok(Number(await narrow.evaluate('document.documentElement.scrollWidth')) <= 390, path)
  }
  await narrow.context().close()
  const stranger = await open(`/groups/${id}/edit`, { person: eve })
  await stranger
    .getByText('Only the founder and administrators of the group can change its settings.')
    .waitFor()
  await stranger.context().close()
  assert.deepEqual(site!.faults, [])
})

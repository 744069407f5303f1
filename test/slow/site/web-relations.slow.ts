import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
let mark = 0

const LOOKS = [
  { colorScheme: 'dark' as const },
  { colorScheme: 'light' as const, locale: 'zh-CN', ...TELEPHONE },
]

test('removes a follower, and blocks a person, from their pages', { skip }, async () => {
  const { as, open, person } = site!
  const [ada, bob] = [await person({ name: 'ada_block' }), await person({ name: 'bob_block' })]
  await as(bob, 'PUT', `/api/v2/user/followings/${ada.id}`)
  const page = await open(`/users/${ada.id}/followers`, { person: ada })
  await page.getByRole('button', { name: 'Remove follower bob_block' }).click()
  await look(page, 'relations-remove-follower')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No users yet.').waitFor()
  assert.deepEqual((await as(ada, 'GET', '/api/v2/user/followers')).body, [])
  await as(bob, 'PUT', `/api/v2/user/followings/${ada.id}`)
  await page.goto(`${site!.address}/users/${bob.id}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByText('Follows you').waitFor()
  await page.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByRole('button', { name: 'Unblock' }).waitFor()
  assert.equal(await page.getByText('Follows you').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Follow', exact: true }).count(), 0)
  await look(page, 'relations-blocked')
  // A guest and the blocked person have no button to remove followers.
  const other = await open(`/users/${ada.id}/followers`, { person: bob })
  assert.equal(await other.getByRole('button', { name: /Remove/ }).count(), 0)
  for (const each of [page, other]) await each.context().close()
  assert.deepEqual(site!.faults, [])
})

test('mutes a person and a word, and shows a collapsed post anyway', { skip }, async () => {
  const { as, open, person } = site!
  const [ada, bob] = [await person({ name: 'ada_mute' }), await person({ name: 'bob_mute' })]
  const publish = (text: string) => {
    mark += 1
    return as(bob, 'POST', '/api/v2/feeds', { feed_content: text, feed_from: 1, feed_mark: mark })
  }
  await publish('The end is a spoiler of the film')
  const page = await open('/account/muted', { person: ada })
  await page.getByLabel('Word or #topic').fill('Spoiler')
  await page.getByRole('button', { name: 'Mute word' }).click()
  await page.getByRole('button', { name: 'Unmute Spoiler' }).waitFor()
  await page.goto(site!.address)
  await page.getByText('Hidden, because it has the muted word “spoiler”.').waitFor()
  assert.equal(await page.getByText('The end is').count(), 0)
  await look(page, 'relations-collapsed')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Show anyway' }).click()
  await page.getByText('The end is').waitFor()
  await page.goto(`${site!.address}/users/${bob.id}`)
  await page.locator('html[data-ready]').waitFor()
  await page.locator('.profile').getByRole('button', { name: 'More' }).click()
  await look(page, 'relations-mute-menu')
  await page.getByRole('button', { name: 'Mute for a week' }).click()
  await page.getByText('You muted this user.').waitFor()
  await look(page, 'relations-muted-profile')
  await page.goto(site!.address)
  await page.locator('html[data-ready]').waitFor()
  assert.equal(await page.getByText('muted word').count(), 0)
  for (const options of LOOKS) {
    const each = await open('/account/muted', { person: ada, ...options })
    await each.locator('html[data-ready]').waitFor()
    await look(each, `relations-muted-${options.colorScheme}`)
    assert.deepEqual(await findings(each), [])
    await each.context().close()
  }
  await page.goto(`${site!.address}/account/muted`)
  await page.locator('html[data-ready]').waitFor()
  await page.locator('.rows').getByRole('button', { name: 'Unmute bob_mute' }).click()
  await page.getByText('You have not muted anyone.').waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('saves who may contact a member', { skip }, async () => {
  const { as, open, person } = site!
  const ada = await person({ name: 'ada_contact' })
  const page = await open('/account/contact', { person: ada })
  await page.getByLabel('Mention you').selectOption('followed')
  await page.getByLabel('Write messages to you').selectOption('nobody')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.deepEqual((await as(ada, 'GET', '/api/v2/user/contact-rules')).body, {
    comments: 'everybody',
    mentions: 'followed',
    quotes: 'everybody',
    messages: 'nobody',
  })
  await page.context().close()
  for (const options of LOOKS) {
    const each = await open('/account/contact', { person: ada, ...options })
    await each.locator('html[data-ready]').waitFor()
    await look(each, `relations-contact-${options.colorScheme}`)
    assert.deepEqual(await findings(each), [])
    await each.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('makes an account private, and asks, accepts and refuses to follow', { skip }, async () => {
  const { as, open, person } = site!
  const names = ['ada_private', 'bob_private', 'cid_private']
  const [ada, bob, cid] = await Promise.all(names.map((name) => person({ name })))
  mark += 1
  await as(ada!, 'POST', '/api/v2/feeds', { feed_content: 'Behind the hedge', feed_from: 1, feed_mark: mark })
  const settings = await open('/account/contact', { person: ada! })
  await settings.getByLabel('Show my posts to followers only').check()
  await settings.getByText('Saved.').waitFor()
  assert.deepEqual((await as(ada!, 'GET', '/api/v2/user/privacy')).body, { private: true })
  for (const [name, who] of [
    ['guest', undefined],
    ['stranger', bob!],
  ] as const)
    for (const options of LOOKS) {
      const each = await open(`/users/${ada!.id}`, { ...(who ? { person: who } : {}), ...options })
      await each.locator('html[data-ready]').waitFor()
      await each
        .getByText(
          'locale' in options ? '仅关注者可见其动态。' : 'Only followers see the posts of this person.',
        )
        .waitFor()
      assert.equal(await each.getByText('Behind the hedge').count(), 0)
      await look(each, `relations-private-${name}-${options.colorScheme}`)
      assert.deepEqual(await findings(each), [])
      await each.context().close()
    }
  const page = await open(`/users/${ada!.id}`, { person: bob! })
  await page.getByRole('button', { name: 'Request to follow' }).click()
  await page.getByRole('button', { name: 'Requested', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Requested' }).click()
  await page.getByRole('button', { name: 'Request to follow' }).click()
  await page.getByRole('button', { name: 'Requested', pressed: true }).waitFor()
  await look(page, 'relations-requested')
  await as(cid!, 'PUT', `/api/v2/user/followings/${ada!.id}`)
  for (const options of LOOKS) {
    const each = await open('/account/contact', { person: ada!, ...options })
    await each.locator('html[data-ready]').waitFor()
    await look(each, `relations-requests-${options.colorScheme}`)
    assert.deepEqual(await findings(each), [])
    await each.goto(`${site!.address}/users/${cid!.id}`)
    await each.locator('html[data-ready]').waitFor()
    await look(each, `relations-asks-you-${options.colorScheme}`)
    await each.context().close()
  }
  await settings.goto(`${site!.address}/users/${cid!.id}`)
  await settings
    .getByRole('group', { name: 'Asks to follow you' })
    .getByRole('button', { name: 'Refuse' })
    .click()
  await settings.getByText('Asks to follow you').waitFor({ state: 'detached' })
  await settings.goto(`${site!.address}/account/contact`)
  await settings.getByRole('button', { name: 'Accept bob_private' }).click()
  await settings.getByText('No requests wait.').waitFor()
  await page.goto(`${site!.address}/users/${ada!.id}`)
  await page.getByText('Behind the hedge').waitFor()
  await page.getByRole('button', { name: 'Following', pressed: true }).waitFor()
  await page.goto(`${site!.address}/notifications?type=system`)
  await page.locator('html[data-ready]').waitFor()
  await look(page, 'relations-accepted')
  for (const each of [page, settings]) await each.context().close()
  assert.deepEqual(site!.faults, [])
})

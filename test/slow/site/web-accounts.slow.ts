import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { cookieOf, findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

const PASSWORD = 'correct horse'
let counter = 0

async function newcomer(name: string): Promise<Person> {
  counter += 1
  const person = await site!.person({ name: `${name}_${counter}` })
  const body = { password: PASSWORD, password_confirmation: PASSWORD }
  await site!.as(person, 'PUT', '/user/password', body)
  return person
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'What is happening?' })
const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click()
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign in to continue' })

async function openTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(site!.address + path)
  await tab.locator('html[data-ready]').waitFor()
  return tab
}

async function signInOn(page: Page, { name }: Person): Promise<void> {
  await page.goto(`${site!.address}/sign-in`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Username, e-mail or phone').fill(name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${site!.address}/`)
  await page.locator('html[data-ready]').waitFor()
}

/** Ends the session on the server, as an expiry does. */
const expire = (person: Person) => site!.as(person, 'POST', '/auth/logout')

/** Everything that scripts of the site can read of the account in this browser. */
const left = (page: Page) =>
  page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })') as Promise<string>

const textsOf = async (person: Person): Promise<string[]> => {
  const { body } = await site!.guest('GET', `/feeds?type=users&user=${person.id}`)
  return body.feeds.map((feed: { feed_content: string }) => feed.feed_content)
}

for (const [width, options] of [
  ['1280', {}],
  ['390', TELEPHONE],
] as const) {
  test(`leaves nothing of an account to the next one on the same browser, ${width} px`, {
    skip,
  }, async () => {
    const [ann, bob] = [await newcomer('ann'), await newcomer('bob')]
    const page = await site!.open('/', { person: ann, ...options })
    await composer(page).fill('A secret of Ann')
    const other = await openTab(page, '/questions/ask')
    await other.getByLabel('Question', { exact: true }).fill('A question of Ann')
    await page.goto(`${site!.address}/account/sessions`)
    await page.locator('html[data-ready]').waitFor()
    assert.match(await left(page), /A secret of Ann.*A question of Ann|A question of Ann.*A secret of Ann/)
    await page.getByRole('button', { name: 'Sign out' }).last().click()
    await page.waitForURL(`${site!.address}/`)
    await page.locator('html[data-ready]').waitFor()
    assert.doesNotMatch(await left(page), /Ann|draft/)
    // The other tab reloads as a guest, who may not ask.
    await other.waitForURL(/\/sign-in/)
    assert.doesNotMatch(await left(other), /Ann|draft/)
    await signInOn(page, bob)
    assert.equal(await composer(page).inputValue(), '')
    assert.equal(await page.locator('.draft-note').count(), 0)
    assert.doesNotMatch(await left(page), /Ann/)
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

  test(`signs in above the page when the session ends, and goes on, ${width} px`, { skip }, async () => {
    const ann = await newcomer('ann')
    const page = await site!.open('/', { person: ann, ...options })
    await composer(page).fill('Written before the session ended')
    await expire(ann)
    await publish(page)
    await dialog(page).waitFor()
    assert.deepEqual(await findings(page), [])
    await look(page, `session-end-${width}`)
    assert.equal(await composer(page).inputValue(), 'Written before the session ended')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    assert.equal(await composer(page).inputValue(), 'Written before the session ended')
    assert.deepEqual(await textsOf(ann), [])
    await publish(page)
    await dialog(page).getByLabel('Password').fill('wrong horse')
    await dialog(page).getByRole('button', { name: 'Sign in' }).click()
    await dialog(page).getByRole('alert').waitFor()
    await dialog(page).getByLabel('Password').fill(PASSWORD)
    await dialog(page).getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Published.').waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    assert.equal(await composer(page).inputValue(), '')
    assert.deepEqual(await textsOf(ann), ['Written before the session ended'])
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })
}

test('asks for a sign-in when a visit to another page finds that the session has ended', {
  skip,
}, async () => {
  const ann = await newcomer('ann')
  const page = await site!.open('/', { person: ann })
  await composer(page).fill('Written before the visit')
  await expire(ann)
  await page.getByRole('link', { name: 'Saved' }).click()
  await page.waitForURL(`${site!.address}/sign-in?next=%2Fsaved`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Username, e-mail or phone').fill(ann.name)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Saved', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  assert.equal(await composer(page).inputValue(), 'Written before the visit')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('keeps the account and its draft when a sign-out fails without a connection', { skip }, async () => {
  const ann = await newcomer('ann')
  const page = await site!.open('/', { person: ann })
  await composer(page).fill('Written before the tunnel')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: `Account: ${ann.name}` }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are offline. Nothing is lost.').waitFor()
  assert.equal(await composer(page).inputValue(), 'Written before the tunnel')
  await page.context().setOffline(false)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('publishes nothing under another account', { skip }, async () => {
  const [ann, bob] = [await newcomer('ann'), await newcomer('bob')]
  const page = await site!.open('/', { person: ann })
  await composer(page).fill('Only Ann may say this')
  await expire(ann)
  await publish(page)
  await dialog(page).getByLabel('Username, e-mail or phone').fill(bob.name)
  await dialog(page).getByLabel('Password').fill(PASSWORD)
  await dialog(page).getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Profile' }).first().waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await page.locator('html[data-ready]').waitFor()
  assert.equal(await composer(page).inputValue(), '')
  assert.equal(await page.locator('.draft-note').count(), 0)
  assert.deepEqual([await textsOf(ann), await textsOf(bob)], [[], []])

  // Another tab changes the account while this tab sleeps, so no event reaches it.
  await composer(page).fill('Only Bob may say this')
  const [name = '', value = ''] = cookieOf(await newcomer('cid')).split('=')
  await page.context().addCookies([{ name, value, url: site!.address, httpOnly: true, sameSite: 'Lax' }])
  await page.evaluate("localStorage.setItem('kith.account', '0')")
  const reloaded = page.waitForEvent('load')
  await publish(page)
  await reloaded
  assert.deepEqual([await textsOf(ann), await textsOf(bob)], [[], []])
  await page.context().close()
})

test('reloads the page of an account when another tab signs in to another account', { skip }, async () => {
  const [ann, bob] = [await newcomer('ann'), await newcomer('bob')]
  const page = await site!.open('/', { person: ann })
  await composer(page).fill('Only for Ann')
  await expire(ann)
  const other = await page.context().newPage()
  await other.context().clearCookies()
  const reloaded = page.waitForEvent('load')
  await signInOn(other, bob)
  await reloaded
  await page.locator('html[data-ready]').waitFor()
  assert.equal(await composer(page).inputValue(), '')
  // Ann did not sign out, so that her draft waits for her, and only for her.
  await signInAs(page, ann)
  assert.equal(await composer(page).inputValue(), 'Only for Ann')
  await page.context().close()
})

async function signInAs(page: Page, person: Person): Promise<void> {
  await page.context().clearCookies()
  await signInOn(page, person)
}

test('sends a message with Enter, but not with the Enter that ends a composition', { skip }, async () => {
  const [ann, bob] = [await newcomer('ann'), await newcomer('bob')]
  const chat = await chatsOf(site!).pair(ann, bob)
  const page = await site!.open(`/chats/${chat}`, { person: ann })
  const field = page.getByLabel('Write a message')
  await field.fill('你好')
  const press = (key: string, init: object) =>
    field.evaluate(
      (element, [name, more]) =>
        element.dispatchEvent(
          // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types the tests do not have
          new (globalThis as any).KeyboardEvent('keydown', {
            key: name,
            bubbles: true,
            cancelable: true,
            ...(more as object),
          }),
        ),
      [key, init] as const,
    )
  // Safari ends the composition before the event of its Enter.
  await press('Enter', { keyCode: 229 })
  await press('Enter', { isComposing: true })
  assert.equal(await field.inputValue(), '你好')
  assert.equal(await page.locator('.message').count(), 0)
  await field.press('Enter')
  await page.locator('.message', { hasText: '你好' }).waitFor()
  await field.fill('见 @bo')
  await field.press('End')
  await field.pressSequentially('b_')
  await page.getByRole('option').first().waitFor()
  await press('Enter', { keyCode: 229 })
  assert.equal(await field.inputValue(), '见 @bob_')
  await page.context().close()
})

test('starts a new line with Enter on a phone', { skip }, async () => {
  const [ann, bob] = [await newcomer('ann'), await newcomer('bob')]
  const chat = await chatsOf(site!).pair(ann, bob)
  const page = await site!.open(`/chats/${chat}`, { person: ann, ...TELEPHONE })
  const field = page.getByLabel('Write a message')
  await field.fill('First line')
  await field.press('Enter')
  await field.pressSequentially('second line')
  assert.equal(await field.inputValue(), 'First line\nsecond line')
  await look(page, 'chat-two-lines')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.message', { hasText: 'second line' }).waitFor()
  assert.equal(await field.inputValue(), '')
  await page.context().close()
})

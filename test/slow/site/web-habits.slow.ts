import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { agree, findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const SIZES = [
  ['telephone', { ...TELEPHONE, viewport: { width: 390, height: 844 } }],
  ['desktop', { viewport: { width: 1280, height: 900 } }],
] as const

let mark = 0
const publish = async (who: Parameters<NonNullable<typeof site>['as']>[0], text: string): Promise<number> =>
  (await site!.as(who, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: ++mark })).body.id

async function fill() {
  const { person, sql } = site!
  const ada = await person({ name: 'ada_lovelace' })
  const lin = await person({ name: 'lin_xiaoyu' })
  const founder = await person({ name: 'fay_founds', roles: ['founder'] })
  const old = await publish(lin, 'Long ago')
  await sql`update feeds set created_at = '2021-03-03 17:30:00+00' where id = ${old}`
  for (let n = 0; n < 12; n += 1) await publish(n % 2 ? ada : lin, `Note ${n} of a long walk`)
  return { ada, lin, founder, old }
}
const filled = site ? await fill() : undefined

const isFocused = (element: Locator) =>
  element.evaluate((node) => (node as unknown as { matches(s: string): boolean }).matches(':focus'))

const isOnScreen = (element: Locator, { width, height }: { width: number; height: number }) =>
  element
    .boundingBox()
    .then(
      (box) =>
        box !== null &&
        box.x >= 0 &&
        box.y >= 0 &&
        box.x + box.width <= width &&
        box.y + box.height <= height,
    )

for (const [size, options] of SIZES)
  test(`closes menus on Escape and on a click outside, on a ${size}`, { skip }, async () => {
    const { ada, lin } = filled!
    const chat = await chatsOf(site!).pair(ada, lin)
    const page = await site!.open('/', { person: ada, ...options })
    for (const [path, name, colorScheme] of [
      ['/', 'More', 'light'],
      [`/feeds/${filled!.old}`, 'More', 'dark'],
      [`/chats/${chat}`, 'Conversation options', 'dark'],
      ...(size === 'desktop' ? [['/topics', 'Account: ada_lovelace', 'light']] : []),
    ] as [string, string, 'light' | 'dark'][]) {
      await page.goto(site!.address + path)
      await page.locator('html[data-ready]').waitFor()
      await page.emulateMedia({ colorScheme })
      const opener = page.getByRole('button', { name, exact: true }).last()
      const menu = page.locator('.popover:popover-open')
      assert.equal(
        await page.locator('.popover').filter({ visible: true }).count(),
        0,
        `${path}: closed menus`,
      )
      await opener.click()
      await menu.waitFor()
      assert.ok(await isOnScreen(menu, options.viewport), `${name} is cut off`)
      await look(page, `menu-${size}-${name.replaceAll(/\W/g, '-')}`)
      assert.deepEqual(await findings(page), [], name)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      assert.ok(await isFocused(opener), `${name} has no focus after Escape`)
      await page.keyboard.press('Enter')
      await menu.waitFor()
      await page.keyboard.press('Tab')
      assert.ok(await isFocused(menu.locator('a, button').first()))
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      assert.ok(await isFocused(opener), `${name} has no focus after Escape in the menu`)
      await opener.click()
      await menu.waitFor()
      await page.locator('main').click({ position: { x: 5, y: 5 } })
      await menu.waitFor({ state: 'detached' })
      // A second menu replaces the first.
      if (path !== '/') continue
      await page.getByRole('button', { name, exact: true }).first().click()
      await menu.waitFor()
      await page.getByRole('button', { name, exact: true }).nth(1).focus()
      await page.keyboard.press('Enter')
      assert.equal(await menu.count(), 1)
      await page.keyboard.press('Escape')
    }
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

test('closes the list of suggestions on Escape and on a click outside', { skip }, async () => {
  const page = await site!.open('/', { person: filled!.ada, ...TELEPHONE })
  const text = page.getByLabel('What is happening?')
  const list = page.getByRole('listbox')
  await text.pressSequentially('Look @lin_x')
  await list.waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  assert.ok(await isFocused(text))
  await text.pressSequentially('i')
  await list.waitFor()
  await page.locator('main').click({ position: { x: 200, y: 5 } })
  await list.waitFor({ state: 'detached' })
  await page.context().close()
})

test('offers to sign out in the account menu, and the console only to those who may enter it', {
  skip,
}, async () => {
  const { open, address } = site!
  for (const [who, mayEnter] of [
    [filled!.founder, true],
    [await site!.person({ name: 'an_ordinary_member_with_a_long_name' }), false],
  ] as const) {
    const page = await open('/topics', { person: who })
    assert.equal(await page.locator('a[href="/admin"]').count(), 0)
    const abilities = page.waitForResponse((answer) => answer.url().endsWith('/user/abilities'))
    await page.getByRole('button', { name: `Account: ${who.name}` }).click()
    await abilities
    const menu = page.locator('.popover:popover-open')
    await menu.getByRole('link', { name: 'Settings' }).waitFor()
    if (mayEnter) await menu.getByRole('link', { name: 'Console' }).waitFor()
    assert.equal(await menu.getByRole('link', { name: 'Console' }).count(), mayEnter ? 1 : 0)
    await look(page, `account-${mayEnter ? 'founder' : 'member'}`)
    assert.deepEqual(await findings(page), [])
    const phone = await open('/more', { person: who, ...TELEPHONE })
    assert.equal(await phone.getByRole('link', { name: 'Console' }).count(), mayEnter ? 1 : 0)
    await look(phone, `menu-page-${mayEnter ? 'founder' : 'member'}`)
    await phone.context().close()
    await menu.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${address}/`)
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
    await page.context().close()
  }
  const guest = await open('/more')
  assert.equal(await guest.locator('a[href="/admin"]').count(), 0)
  await guest.context().close()
  assert.deepEqual(site!.faults, [])
})

for (const [size, options] of SIZES)
  test(`asks in a dialog before a deletion, on a ${size}`, { skip }, async () => {
    const { open, person } = site!
    const who = await person()
    const id = await publish(who, 'Delete me')
    const page = await open(`/feeds/${id}`, { person: who, ...options, locale: 'en' })
    const opener = page.getByRole('button', { name: 'More' })
    const question = page.getByRole('alertdialog', { name: 'Delete this post permanently?' })
    const askAgain = async () => {
      await opener.click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await question.waitFor()
    }
    await askAgain()
    assert.ok(await isFocused(question.getByRole('button', { name: 'Cancel' })))
    await look(page, `question-${size}`)
    assert.deepEqual(await findings(page), [])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.ok(await isFocused(opener), 'Escape returns the focus')
    await askAgain()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.ok(await isFocused(opener), 'Cancel returns the focus')
    assert.equal((await site!.as(who, 'GET', `/feeds/${id}`)).status, 200)
    await askAgain()
    await agree(page, 'Delete')
    await page.waitForURL(`${site!.address}/`)
    assert.equal((await site!.as(who, 'GET', `/feeds/${id}`)).status, 404)
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

test('asks before leaving a group, and says that a payment is not returned', { skip }, async () => {
  const { as, open, person } = site!
  const { group: make, join } = groupMaker(site!)
  const founder = await person()
  const who = await questionsOf(site!).rich()
  const free = await make(founder, { name: 'Open water' })
  const paid = await make(founder, { name: 'Deep water', mode: 'paid', money: 40 })
  for (const [id, question] of [
    [free, 'Leave this group?'],
    [
      paid,
      'Leave this group? The 40 points that you paid are not returned, and you pay again to join again.',
    ],
  ] as const) {
    await join(id, founder, who)
    const page = await open(`/groups/${id}`, { person: who, ...TELEPHONE, locale: 'en' })
    const leave = page.getByRole('button', { name: 'Leave', exact: true })
    await leave.click()
    const dialog = page.getByRole('alertdialog', { name: question })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await as(who, 'GET', `/groups/${id}`)).body.joined?.audit, 1)
    await leave.click()
    await agree(page, 'Leave')
    await page.getByRole('button', { name: /^Join/ }).waitFor()
    assert.equal((await as(who, 'GET', `/groups/${id}`)).body.joined, null)
    await page.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('shows no button without scripts that needs them, and changes the language by a link', {
  skip,
}, async () => {
  const page = await site!.open(`/feeds/${await publish(filled!.lin, 'Plain')}`, {
    person: filled!.ada,
    javaScriptEnabled: false,
    viewport: { width: 1280, height: 900 },
    locale: 'en',
  })
  await page.getByText('Plain', { exact: true }).first().waitFor()
  const dead = await page
    .locator("button[type='button']:not([popovertarget]):not(.action):visible")
    .allTextContents()
  assert.deepEqual(dead, [])
  await page.getByRole('link', { name: 'Language: 中文' }).click()
  await page.getByRole('link', { name: '语言: English' }).waitFor()
  await page.context().close()
})

test('returns the focus to the button when a dialog ends with success', { skip }, async () => {
  const page = await site!.open(`/users/${filled!.lin.id}`, { person: filled!.ada })
  const opener = page.locator('.profile').getByRole('button', { name: 'Report' })
  await opener.click()
  await page.getByLabel('Reason for the report').fill('Too kind')
  await page.locator('dialog').getByRole('button', { name: 'Report' }).click()
  await page.getByText('Moderators will review it.').waitFor()
  assert.ok(await isFocused(opener))
  await page.context().close()
})

/** Distance of the selected tab from the visible part of its strip, in pixels. */
const HIDDEN_TABS = `[...document.querySelectorAll('.tabs')].map((strip) => {
  const [tab, box] = [strip.querySelector('.is-here'), strip.getBoundingClientRect()]
  if (!tab) return 'no tab is selected'
  if (tab.getAttribute('aria-current') !== 'page') return 'aria-current is missing'
  const { left, right } = tab.getBoundingClientRect()
  return Math.max(0, box.left - left, right - box.right)
})`

test("shows the selected tab of every strip on a phone's screen", { skip }, async () => {
  const { open, address } = site!
  const { ada } = filled!
  const editor = await newsEditor(site!)
  const categories: number[] = []
  for (let n = 0; n < 8; n += 1) categories.push(await createCategory(site!, editor))
  const group = await groupMaker(site!).group(ada, { name: 'Walkers' })
  const page = await open('/', { person: ada, ...TELEPHONE })
  const paths = [
    ...['/', '/hot', '/following', '/topics', '/topics?hot=1', '/questions?type=excellent'],
    ...['/settings', '/account/security', '/account/blocked', '/notifications/preferences'],
    ...['/account/exports', '/account/sanctions', '/wallet/exchange', '/saved/albums', '/people/nearby'],
    ...['/ranks/income', '/ranks/answers?type=month', '/notifications/system', '/pins/group-posts'],
    ...['/search?q=a&type=groups', '/questions/mine?kind=watched', '/news/mine?state=refused'],
    ...['/groups/mine', `/groups/${group}/members?type=blacklist`, `/groups/${group}/requests?kind=pins`],
    `/news?category=${categories.at(-1)}`,
  ]
  for (const path of paths) {
    await page.goto(address + path)
    await page.locator('html[data-ready]').waitFor()
    const hidden = await page.evaluate<(number | string)[]>(HIDDEN_TABS)
    assert.ok(hidden.length > 0, path)
    assert.deepEqual(
      hidden.filter((each) => each !== 0),
      [],
      path,
    )
  }
  await page.goto(`${address}/settings`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('link', { name: 'Sanctions' }).click()
  await page.waitForURL(`${address}/account/sanctions`)
  await page.getByText('You have not received any sanctions.').waitFor()
  assert.deepEqual(await page.evaluate(HIDDEN_TABS), [0])
  await look(page, 'tabs')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

const isShown = (page: Page, selector: string) =>
  until(
    page,
    `(() => {
      const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect()
      const bar = document.querySelector('.menu').getBoundingClientRect()
      return box && box.height > 0 && box.top >= 0 && box.top < (innerWidth < 760 ? bar.top : innerHeight) - 20
    })()`,
  )

for (const [size, options] of SIZES)
  test(`brings a new post on screen, on a ${size}`, { skip }, async () => {
    const { open, address, person, sql } = site!
    const who = await person()
    const long = await publish(filled!.lin, `Pinned\n\n${'A long line.\n'.repeat(60)}`)
    await sql`
      insert into pins (channel, thing_id, target_id, user_id, amount, day, state, expires_at)
      values ('feed', ${long}, ${long}, ${filled!.lin.id}, 0, 1, 'active', now() + interval '1 day')`
    const page = await open('/', { person: who, ...options, reducedMotion: 'reduce' })
    await page.getByLabel('What is happening?').fill(`Here I am, ${size}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page
      .locator('article')
      .filter({ hasText: `Here I am, ${size}` })
      .waitFor()
    const id = await newestOf()
    await isShown(page, `#feed-${id}`)
    await look(page, `published-${size}`)
    // A list without the post gives way to the post's page.
    await page.goto(`${address}/hot?hot=1`)
    await page.locator('html[data-ready]').waitFor()
    await page.getByLabel('What is happening?').fill(`Hot already, ${size}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page
      .locator('article')
      .filter({ hasText: `Hot already, ${size}` })
      .waitFor()
    await isShown(page, `#feed-${await newestOf()}`)
    await page.context().close()
    assert.deepEqual(site!.faults, [])
    async function newestOf(): Promise<number> {
      const [row] = await sql<{ id: number }[]>`
        select id from feeds where user_id = ${who.id} order by id desc limit 1`
      return row?.id ?? 0
    }
  })

test('brings a new answer and a new group post on screen', { skip }, async () => {
  const { open, address, person, sql } = site!
  const { ada } = filled!
  const questions = questionsOf(site!)
  const question = await questions.ask(ada, { subject: 'When is low water?' })
  for (let n = 0; n < 17; n += 1) await questions.answer(await person(), question, { body: `At ${n}.` })
  await sql`update answers set likes_count = 1 where question_id = ${question}`
  const who = await person()
  const page = await open(`/questions/${question}`, { person: who, ...TELEPHONE, reducedMotion: 'reduce' })
  await page.getByLabel('Write an answer').fill('At dawn.')
  await page.getByRole('button', { name: 'Publish answer' }).click()
  await page.waitForURL(/\/question-answers\/\d+$/)
  await page.getByText('At dawn.').waitFor()
  const { group: make, post } = groupMaker(site!)
  const group = await make(ada, { name: 'Harbour walkers', summary: 'Far away. '.repeat(25) })
  for (let n = 0; n < 3; n += 1) await post(ada, group, { title: `Post ${n}` })
  await page.goto(`${address}/groups/${group}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('button', { name: 'Write a post' }).click()
  await page.getByLabel('Title').fill('I am new here')
  await page.getByLabel('Text').fill('Hello, walkers.')
  await page.locator('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: 'I am new here' }).waitFor()
  const [row] = await sql<{ id: number }[]>`select max(id) as id from group_posts where group_id = ${group}`
  await isShown(page, `#post-${row?.id}`)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test("corrects times to the reader's zone when the scripts start", { skip }, async () => {
  const path = `/feeds/${filled!.old}`
  const textOf = (page: Page) => page.locator('article time').first().innerText()
  const plain = await site!.open(path, { javaScriptEnabled: false, timezoneId: 'Asia/Tokyo' })
  assert.equal(await textOf(plain), 'Mar 3, 2021')
  await plain.context().close()
  for (const [timezoneId, text, title] of [
    ['Asia/Tokyo', 'Mar 4, 2021', /^Thursday, March 4, 2021 at 2:30:00.AM GMT\+9$/],
    ['America/New_York', 'Mar 3, 2021', /^Wednesday, March 3, 2021 at 12:30:00.PM EST$/],
  ] as const) {
    const page = await site!.open('/sign-in', { timezoneId })
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    // Collects every text of the time, to find an empty or repeated one while the scripts start.
    await page.addInitScript(`
      globalThis.seen = []
      const look = () => {
        const times = document.querySelectorAll('article time')
        if (times.length > 0) seen.push([...times].map((time) => time.textContent).join('|'))
      }
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
    `)
    await page.goto(site!.address + path)
    await page.locator('html[data-ready]').waitFor()
    assert.equal(await textOf(page), text)
    const time = page.locator('article time').first()
    assert.match((await time.getAttribute('title')) ?? '', title)
    assert.equal(await time.getAttribute('datetime'), '2021-03-03T17:30:00.000Z')
    const seen = new Set(await page.evaluate<string[]>('seen'))
    for (const each of seen) assert.match(each, /^Mar [34], 2021$/)
    assert.equal(await page.locator('article').count(), 1)
    assert.deepEqual(errors, [])
    await page.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('scrolls without an animation when the reader prefers reduced motion', { skip }, async () => {
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    const page = await site!.open('/', { person: filled!.ada, reducedMotion })
    await page.evaluate(`
      globalThis.behaviors = []
      for (const each of [globalThis, Element.prototype]) {
        const { scrollTo } = each
        each.scrollTo = function (...given) {
          behaviors.push(given[0]?.behavior)
          return scrollTo.apply(this, given)
        }
      }
    `)
    await publish(filled!.lin, `Something just happened, ${reducedMotion}`)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    const show = page.getByRole('button', { name: 'Show new posts' })
    await show.waitFor()
    // After a failure the button stays.
    await page.route('**/api/v2/feeds?*', (route) => route.fulfill({ status: 500, body: '' }))
    await show.click()
    await page.locator('.toasts').getByText('Something went wrong on the site.').waitFor()
    await page.unroute('**/api/v2/feeds?*')
    await show.click()
    await page.getByText(`Something just happened, ${reducedMotion}`).waitFor()
    await until(page, 'behaviors.length > 0')
    const expected = reducedMotion === 'reduce' ? 'instant' : 'smooth'
    assert.deepEqual(await page.evaluate('behaviors'), [expected])
    await page.context().close()
  }
})

test('prints the text and its address without menus and buttons', { skip }, async () => {
  const { open, address } = site!
  const { ada, lin } = filled!
  const editor = await newsEditor(site!)
  const news = await createNews(site!, editor, lin, {
    category_id: await createCategory(site!, editor),
    title: 'Ferries every hour',
    content: '# The harbour\n\nFerries leave **every hour**.\n\n![spy](https://spy.example/x.png)',
  })
  const questions = questionsOf(site!)
  const question = await questions.ask(lin, { subject: 'When is low water?' })
  await questions.answer(ada, question, { body: 'At nine.' })
  const unanswered = await questions.ask(lin, { subject: 'Who feeds the swans?' })
  const groups = groupMaker(site!)
  const group = await groups.group(ada, { name: 'Hikers' })
  const post = await groups.post(ada, group, { title: 'Boots wanted', body: 'Size 42' })
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('/', { person: ada, colorScheme })
    for (const [path, text] of [
      [`/news/${news}`, 'Ferries leave'],
      [`/questions/${question}`, 'At nine.'],
      [`/questions/${unanswered}`, 'Who feeds the swans?'],
      [`/users/${lin.id}`, 'Long ago'],
      [`/groups/${group}`, 'Boots wanted'],
      [`/groups/${group}/posts/${post}`, 'Size 42'],
      ['/topics', 'Topics'],
      ['/settings', 'Settings'],
      [`/feeds/${filled!.old}`, 'Long ago'],
      ['/', 'Note 11 of a long walk'],
    ] as const) {
      await page.goto(address + path)
      await page.locator('html[data-ready]').waitFor()
      await page.emulateMedia({ media: 'print' })
      // Lists draw the rows that are far below the screen.
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')
      assert.ok(await page.locator('main').getByText(text).first().isVisible(), path)
      const visible = 'button, nav, form, textarea, input, .menu, .top, .aside, .actions, .action'
      assert.equal(await page.locator(visible).filter({ visible: true }).count(), 0, path)
      assert.equal(
        await page.evaluate('getComputedStyle(document.querySelector("main"), "::after").content'),
        `"${address}${path}"`,
      )
      assert.equal(
        await page.evaluate('getComputedStyle(document.querySelector("main")).color'),
        'rgb(28, 35, 33)',
      )
      await look(page, `print-${colorScheme}${path.replaceAll('/', '-')}`)
      await page.emulateMedia({ media: 'screen' })
    }
    await page.context().close()
  }
})

const PIXELS = `(() => {
  const canvas = document.querySelector('canvas')
  const at = (x) => [...canvas.getContext('2d').getImageData(x, canvas.height / 2, 1, 1).data].slice(0, 3)
  const isRed = (x) => at(x)[0] > 128
  let border = 0
  while (border < canvas.width && isRed(border)) border += 1
  return border
})()`

test('crops a profile picture with mouse, fingers and keys behind a round mask', { skip }, async () => {
  const who = await site!.person()
  // The left half is red. The right half is blue.
  const blue = { create: { width: 400, height: 400, channels: 3 as const, background: '#1565c0' } }
  const picture = await flatPicture(800, 400)
    .composite([{ input: blue, left: 400, top: 0 }])
    .png()
    .toBuffer()
  const choose = async (page: Page, name: string) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name }).click()
    await (await chooser).setFiles([{ name: 'halves.png', mimeType: 'image/png', buffer: picture }])
    await page.locator('canvas').waitFor()
    await until(page, `${PIXELS} > 0`)
  }
  for (const [size, options] of SIZES) {
    const page = await site!.open('/settings', { person: who, ...options })
    await choose(page, 'Change cover')
    assert.equal(await page.locator('.crop-frame.is-round').count(), 0)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await choose(page, 'Change profile picture')
    assert.equal(await page.locator('.crop-frame.is-round').count(), 1)
    const border = () => page.evaluate<number>(PIXELS)
    assert.ok(Math.abs((await border()) - 256) < 3, `${await border()}`)
    await page.locator('canvas').scrollIntoViewIfNeeded()
    await look(page, `crop-${size}`)
    assert.deepEqual(await findings(page), [])
    const box = (await page.locator('canvas').boundingBox())!
    const scale = 512 / box.width
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    // The page draws after the event.
    const moved = () => until(page, `Math.abs(${PIXELS} - ${256 + 40 * scale}) < 4`)
    if (size === 'desktop') {
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + 20, y)
      await page.mouse.move(x + 40, y)
      await page.mouse.up()
      await page.mouse.move(x + 90, y)
    } else {
      const client = await page.context().newCDPSession(page)
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [number, number][]) =>
        client.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: points.map(([x, y], id) => ({ x, y, id })),
        })
      await touch('touchStart', [x, y])
      await touch('touchMove', [x + 20, y])
      await touch('touchMove', [x + 40, y])
      await touch('touchEnd')
      await moved()
      // Two fingers that part twice as far double the size.
      await touch('touchStart', [x - 20, y], [x + 20, y])
      await touch('touchMove', [x - 40, y], [x + 40, y])
      await touch('touchEnd')
      const zoom = Number(await page.getByRole('slider', { name: 'Zoom' }).inputValue())
      assert.ok(Math.abs(zoom - 2) < 0.1, `${zoom}`)
      await page.getByRole('slider', { name: 'Zoom' }).fill('1')
    }
    await moved()
    await page.locator('canvas').focus()
    const before = await border()
    await page.keyboard.press('ArrowLeft')
    await until(page, `${PIXELS} < ${before}`)
    await page.keyboard.press('+')
    assert.ok(Number(await page.getByRole('slider', { name: 'Zoom' }).inputValue()) > 1)
    await page.keyboard.press('-')
    assert.equal(await page.getByRole('slider', { name: 'Zoom' }).inputValue(), '1')
    await page.getByRole('button', { name: 'Use this picture' }).click()
    await page.waitForURL(`${site!.address}/me`)
    await page.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('keeps the language of an address for the visit, and leaves the address on a change', {
  skip,
}, async () => {
  const page = await site!.open('/?lang=zh', { locale: 'en' })
  const languageOf = () => page.locator('html').getAttribute('lang')
  assert.equal(await languageOf(), 'zh-CN')
  await page.getByRole('link', { name: '话题', exact: true }).click()
  await page.getByRole('heading', { name: '话题', exact: true }).waitFor()
  await page.reload()
  assert.equal(await languageOf(), 'zh-CN')
  await page.goto(`${site!.address}/questions?lang=zh&type=hot`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('link', { name: /English/ }).click()
  await page.waitForURL(`${site!.address}/questions?type=hot`)
  assert.equal(await languageOf(), 'en')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

for (const [size, options] of SIZES) {
  test(`closes a question when its page is left by Back, on a ${size}`, { skip }, async () => {
    const { as, open, person, faults } = site!
    const who = await person()
    const id = await publish(who, 'Left by Back')
    await as(who, 'POST', `/feeds/${id}/comments`, { body: 'Keep me' })
    const page = await open(`/users/${who.id}`, { person: who, ...options, locale: 'en' })
    await page.locator(`a[href="/feeds/${id}"]`).first().click()
    await page.locator('.comment-list').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').waitFor()
    await page.goBack()
    await page.waitForURL(`**/users/${who.id}`)
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    assert.equal((await as(who, 'GET', `/feeds/${id}/comments`)).body.comments.length, 1)
    await page.context().close()
    assert.deepEqual(faults, [])
  })

  test(`breaks long words in names and profiles, on a ${size}`, { skip }, async () => {
    const { as, open, person, faults } = site!
    const name = (size === 'telephone' ? 'W' : 'M').repeat(24)
    const long = await person({ name })
    assert.equal((await as(long, 'PATCH', '/user', { bio: 'W'.repeat(200) })).status, 204)
    const id = await publish(filled!.ada, 'A short post')
    await as(long, 'POST', `/feeds/${id}/comments`, { body: 'First' })
    await as(filled!.lin, 'POST', `/feeds/${id}/comments`, { body: 'Second', reply_user: long.id })
    const page = await open(`/feeds/${id}`, { person: filled!.ada, ...options, locale: 'en' })
    await page.locator('.comment-list li').last().getByRole('button', { name: 'Reply' }).click()
    for (const path of [null, `/users/${long.id}`, `/search?q=${name}&type=users`, '/ranks/followers']) {
      if (path) await page.goto(site!.address + path)
      await page.locator('html[data-ready]').waitFor()
      await page.getByText(name).first().waitFor()
      const wide = (await page.evaluate('document.documentElement.scrollWidth')) as number
      assert.ok(wide <= options.viewport.width, `${path}: ${wide} px`)
    }
    await page.context().close()
    assert.deepEqual(faults, [])
  })
}

test('breaks no word of a button at 320 px', { skip }, async () => {
  const { open, person } = site!
  const { group: make } = groupMaker(site!)
  const group = await make(await person(), { name: 'Night sailors 夜航者 of the long coast' })
  const viewport = { width: 320, height: 640 }
  for (const [locale, name] of [
    ['en', 'Join'],
    ['zh-CN', '加入'],
  ] as const) {
    const page = await open(`/groups/${group}`, { person: await person(), viewport, locale })
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    assert.ok(box && box.height < 45, `${name} has two lines: ${box?.height} px`)
    await page.context().close()
  }
})

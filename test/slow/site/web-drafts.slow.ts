import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createCategory, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

const WIDE: BrowserContextOptions = {}
const SIZES = [
  ['1280', WIDE],
  ['390', TELEPHONE],
] as const

async function fill() {
  const { as, person } = site!
  const lin = await person({ name: 'lin_xiaoyu' })
  const body = { feed_content: 'Low water at nine.', feed_from: 1, feed_mark: 1 }
  const feed = (await as(lin, 'POST', '/feeds', body)).body.id
  const questions = questionsOf(site!)
  const question = await questions.ask(lin, { subject: 'Where do eels go?' })
  const { group: make, join } = groupMaker(site!)
  const group = await make(lin, { name: 'Harbour' })
  await createCategory(site!, await newsEditor(site!))
  await setSettings(site!, { 'news:contribute:verified': false })
  return { lin, feed, question, group, join }
}
const made = site ? await fill() : undefined

let counter = 0
const nameOf = () => {
  counter += 1
  return `ada_${counter}`
}
const newcomer = () => site!.person({ name: nameOf() })

const composer = (page: Page) => page.getByRole('textbox', { name: 'What is happening?' })
const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click()
const offer = (page: Page) => page.locator('.draft-note', { hasText: 'You have another draft' })

async function openTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(site!.address + path)
  await tab.locator('html[data-ready]').waitFor()
  return tab
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
}

const textsOf = async (person: Person): Promise<string[]> => {
  const { body } = await site!.as(person, 'GET', `/feeds?type=users&user=${person.id}&limit=50`)
  return body.feeds.map((feed: { feed_content: string }) => feed.feed_content).sort()
}

for (const [width, options] of SIZES)
  test(`publishes the text of each of two tabs, ${width} px`, { skip }, async () => {
    const ada = await newcomer()
    const one = await site!.open('/', { person: ada, ...options })
    await composer(one).fill('Written in the first tab')
    const two = await openTab(one, '/')
    assert.equal(await composer(two).inputValue(), '')
    await offer(two).getByText('Written in the first tab').waitFor()
    assert.deepEqual(await findings(two), [])
    await look(two, `another-draft-${width}`)
    await composer(two).fill('Written in the second tab')
    for (const page of [one, two]) {
      await reload(page)
      await publish(page)
      await page.getByText('Published.').waitFor()
      assert.equal(await composer(page).inputValue(), '')
    }
    assert.deepEqual(await textsOf(ada), ['Written in the first tab', 'Written in the second tab'])
    await one.context().close()
    assert.deepEqual(site!.faults, [])
  })

test('moves the draft of another tab, and keeps the text that it replaces', { skip }, async () => {
  const ada = await newcomer()
  const one = await site!.open('/', { person: ada })
  await composer(one).fill('Started here')
  const two = await openTab(one, '/')
  await composer(two).fill('Started there')
  await offer(two).getByRole('button', { name: 'Use it' }).click()
  assert.equal(await composer(two).inputValue(), 'Started here')
  await offer(two).getByText('Started there').waitFor()
  await one.bringToFront()
  assert.equal(await composer(one).inputValue(), '')
  await reload(one)
  assert.equal(await composer(one).inputValue(), '')
  await offer(one).getByText('Started here').waitFor()
  await offer(two).getByRole('button', { name: 'Delete' }).click()
  await offer(two).getByRole('button', { name: 'Delete for good' }).click()
  await offer(two).waitFor({ state: 'detached' })
  await reload(two)
  assert.equal(await composer(two).inputValue(), 'Started here')
  assert.equal(await offer(two).count(), 0)
  await one.context().close()
})

test('gives a duplicated tab a draft of its own', { skip }, async () => {
  const ada = await newcomer()
  const one = await site!.open('/', { person: ada })
  await composer(one).fill('Only one of me')
  // A tab that a page opens starts with a copy of the page's session storage, like a duplicated tab.
  const opened = one.context().waitForEvent('page')
  await one.evaluate('void window.open("/")')
  const two = await opened
  await two.locator('html[data-ready]').waitFor()
  await offer(two).getByText('Only one of me').waitFor()
  assert.equal(await composer(two).inputValue(), '')
  assert.equal(await composer(one).inputValue(), 'Only one of me')
  await one.context().close()
})

test('publishes once after a lost reply, also from a tab that takes the draft', { skip }, async () => {
  const ada = await newcomer()
  const one = await site!.open('/', { person: ada })
  const lose = async (page: Page) =>
    page.route('**/api/v2/feeds', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      await route.fetch()
      await route.abort()
    })
  await lose(one)
  await composer(one).fill('Sent, but the train went into a tunnel')
  await publish(one)
  await one.locator('.toast.is-failure').waitFor()
  assert.equal(await composer(one).inputValue(), 'Sent, but the train went into a tunnel')
  const two = await openTab(one, '/')
  await one.close()
  await offer(two).getByRole('button', { name: 'Use it' }).click()
  await publish(two)
  await two.getByText('Published.').waitFor()
  assert.deepEqual(await textsOf(ada), ['Sent, but the train went into a tunnel'])

  await lose(two)
  await composer(two).fill('First version')
  await publish(two)
  await two.locator('.toast.is-failure').waitFor()
  await two.unroute('**/api/v2/feeds')
  await composer(two).fill('Second version')
  await publish(two)
  await two.getByText('An earlier version of this text was already published.').waitFor()
  await look(two, 'earlier-version')
  assert.equal(await two.getByText('Published.', { exact: true }).count(), 0)
  assert.equal(await composer(two).inputValue(), 'Second version')
  await publish(two)
  await two.getByText('Published.').waitFor()
  assert.deepEqual(await textsOf(ada), [
    'First version',
    'Second version',
    'Sent, but the train went into a tunnel',
  ])
  await two.context().close()
})

for (const [width, options] of SIZES)
  test(`keeps what was typed after a reload and a visit to another page, ${width} px`, { skip }, async () => {
    const ada = await newcomer()
    const { lin, feed, question, group, join } = made!
    await join(group, lin, ada)
    const chat = await chatsOf(site!).pair(ada, lin)
    const page = await site!.open('/', { person: ada, ...options })
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const places: [path: string, labels: Record<string, string>, open?: () => Promise<void>][] = [
      [`/feeds/${feed}`, { 'Write a comment': 'Half a comment' }],
      [`/questions/${question}`, { 'Write an answer': 'Half an answer' }],
      [`/chats/${chat}`, { 'Write a message': 'Half a message' }],
      ['/questions/ask', { Question: 'How deep', 'Details (Markdown)': 'I **wonder**' }],
      ['/news/write', { Title: 'Tides', Summary: 'In short', 'Text (Markdown)': 'At *length*' }],
      ['/groups/new', { Name: 'Sailors', Description: 'We sail', Notice: 'Be kind' }],
      ['/settings', { 'About me': 'I like water', Location: 'Harbour' }],
      [
        `/groups/${group}`,
        { Title: 'Half a post', Text: 'And its text' },
        () => page.getByRole('button', { name: 'Write a post' }).click(),
      ],
    ]
    for (const [path, labels, open] of places) {
      await page.goto(site!.address + path)
      await page.locator('html[data-ready]').waitFor()
      await open?.()
      for (const [label, text] of Object.entries(labels)) await field(label).fill(text)
      await reload(page)
      await open?.()
      for (const [label, text] of Object.entries(labels))
        assert.equal(await field(label).inputValue(), text, `${path} ${label}`)
      await page.goto(`${site!.address}/news`)
      await page.locator('html[data-ready]').waitFor()
      await page.goBack()
      await page.locator('html[data-ready]').waitFor()
      await open?.()
      for (const [label, text] of Object.entries(labels))
        assert.equal(await field(label).inputValue(), text, `${path} ${label}`)
      assert.deepEqual(await findings(page), [], path)
      await look(page, `kept-${path.replaceAll(/\W+/g, '-')}-${width}`)
    }
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

test('keeps the choices of a question, and fields that appear with a choice', { skip }, async () => {
  const ada = await newcomer()
  const page = await site!.open('/questions/ask', { person: ada })
  const topic = page.getByRole('group', { name: 'Topics (at least one)' }).getByRole('checkbox').first()
  await topic.check()
  await page.getByLabel('Ask anonymously').check()
  await page.getByLabel('Bounty in points, 0 for none').fill('7')
  await page.getByLabel('Details (Markdown)').fill('Eels **swim**')
  await reload(page)
  assert.ok(await topic.isChecked())
  assert.ok(await page.getByLabel('Ask anonymously').isChecked())
  assert.equal(await page.getByLabel('Bounty in points, 0 for none').inputValue(), '7')
  await page.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'swim' }).waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  assert.equal(await topic.isChecked(), false)
  assert.equal(await page.getByLabel('Details (Markdown)').inputValue(), '')
  await reload(page)
  assert.equal(await page.getByLabel('Details (Markdown)').inputValue(), '')

  await page.goto(`${site!.address}/groups/new`)
  await page.locator('html[data-ready]').waitFor()
  await page.locator('select[name=mode]').selectOption('paid')
  await page.locator('input[name=money]').fill('12')
  await reload(page)
  assert.equal(await page.locator('input[name=money]').inputValue(), '12')
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('keeps the price of a text and of its picture after a reload', { skip }, async () => {
  const ada = await newcomer()
  const page = await site!.open('/', { person: ada })
  await composer(page).fill('Worth every point')
  const buffer = await flatPicture(60, 40).png().toBuffer()
  await page
    .locator('.compose input[type=file]')
    .setInputFiles({ name: 'boat.png', mimeType: 'image/png', buffer })
  await page.getByRole('button', { name: 'Set a price' }).click()
  await page.getByLabel('Price of the full text, in points').fill('30')
  await page.getByLabel('Price of picture 1').fill('4')
  await page.locator('.compose progress').waitFor({ state: 'detached' })
  await reload(page)
  assert.equal(await page.getByLabel('Price of the full text, in points').inputValue(), '30')
  assert.equal(await page.getByLabel('Price of picture 1').inputValue(), '4')
  await look(page, 'kept-price')
  await publish(page)
  await page.getByText('Published.').waitFor()
  const { body } = await site!.as(ada, 'GET', `/feeds?type=users&user=${ada.id}`)
  const [{ paid_node: node, images }] = body.feeds
  assert.deepEqual([node.amount, images[0].amount], [30, 4])
  // A price that was removed stays removed.
  assert.equal(await page.getByLabel('Price of the full text, in points').count(), 0)
  await composer(page).fill('Free after all')
  await page.getByRole('button', { name: 'Set a price' }).click()
  await page.getByLabel('Price of the full text, in points').fill('9')
  await page.getByRole('button', { name: 'Set a price' }).click()
  await reload(page)
  assert.equal(await composer(page).inputValue(), 'Free after all')
  assert.equal(await page.getByLabel('Price of the full text, in points').count(), 0)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('forgets a draft after its publication', { skip }, async () => {
  const ada = await newcomer()
  const { feed, question } = made!
  const page = await site!.open(`/feeds/${feed}`, { person: ada })
  await page.getByLabel('Write a comment').fill('A whole comment')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.locator('.comment-list', { hasText: 'A whole comment' }).waitFor()
  await page.goto(`${site!.address}/questions/${question}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Write an answer').fill('A whole answer')
  await page.getByRole('button', { name: 'Publish answer' }).click()
  await page.getByText('Published.').waitFor()
  await page.goto(`${site!.address}/questions/ask`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Question', { exact: true }).fill('How deep is it?')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Publish question' }).click()
  await page.getByRole('heading', { name: 'How deep is it?' }).waitFor()
  await page.goto(`${site!.address}/settings`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('About me').fill('I like water')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(`${site!.address}/me`)
  assert.deepEqual(
    await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft'))"),
    [],
  )
  await page.context().close()
})

test('offers a draft of a text that was saved since, and does not restore it', { skip }, async () => {
  const ada = await newcomer()
  const page = await site!.open('/settings', { person: ada })
  await page.getByLabel('About me').fill('Written on the phone')
  await site!.as(ada, 'PATCH', '/user', { bio: 'Saved on the computer' })
  await reload(page)
  assert.equal(await page.getByLabel('About me').inputValue(), 'Saved on the computer')
  await offer(page).getByText('Written on the phone').waitFor()
  await look(page, 'another-draft-of-settings')
  await offer(page).getByRole('button', { name: 'Use it' }).click()
  assert.equal(await page.getByLabel('About me').inputValue(), 'Written on the phone')
  await page.context().close()
})

test('sends a chat message that failed before a reload once', { skip }, async () => {
  const ada = await newcomer()
  const chat = await chatsOf(site!).pair(ada, made!.lin)
  const page = await site!.open(`/chats/${chat}`, { person: ada })
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  // The stream would confirm the message.
  await page.route('**/stream*', (route) => route.abort())
  await reload(page)
  await page.getByLabel('Write a message').fill('On my way')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute('**/messages')
  await reload(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
  const { body } = await site!.as(ada, 'GET', `/chats/${chat}/messages`)
  assert.equal(body.data.length, 1)
  await page.context().close()
})

test('keeps a half-written message while another one is edited', { skip }, async () => {
  const ada = await newcomer()
  const chats = chatsOf(site!)
  const chat = await chats.pair(ada, made!.lin)
  await chats.say(ada, chat, 'Nien o clock')
  const page = await site!.open(`/chats/${chat}`, { person: ada })
  const field = page.getByLabel('Write a message')
  await field.fill('And bring')
  await page.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await field.inputValue(), 'Nien o clock')
  await field.fill('Nine o clock')
  await page.keyboard.press('Enter')
  await page.locator('.message', { hasText: 'Nine o clock' }).waitFor()
  assert.equal(await field.inputValue(), 'And bring')
  await page.context().close()
})

test('works with a full storage, and says that the draft is not kept', { skip }, async () => {
  const ada = await newcomer()
  const page = await site!.open('/', { person: ada })
  await page.evaluate(`
    for (let size = 4_000_000, n = 0; size > 0; n += 1)
      try { localStorage.setItem('filling' + n, 'x'.repeat(size)) } catch { size = Math.floor(size / 2) }
  `)
  await composer(page).fill('More than fits')
  await page.getByText('This browser has no room left for drafts.').waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'full-storage')
  await publish(page)
  await page.getByText('Published.').waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('opens a page whose stored draft has other fields, and a browser without a channel between tabs', {
  skip,
}, async () => {
  const ada = await newcomer()
  const page = await site!.open('/', { person: ada })
  await composer(page).fill('Half a thought')
  await page.evaluate(`
    for (const key of Object.keys(localStorage).filter((each) => each.startsWith('kith.draft/'))) {
      const draft = JSON.parse(localStorage.getItem(key))
      localStorage.setItem(key, JSON.stringify({ ...draft, value: { text: 7, topics: {}, media: 'none' } }))
    }
  `)
  await page.context().addInitScript('delete globalThis.BroadcastChannel')
  await reload(page)
  assert.equal(await composer(page).inputValue(), '')
  await composer(page).fill('A whole one')
  await publish(page)
  await page.getByText('Published.').waitFor()
  await page.goto(`${site!.address}/chats`)
  await page.locator('html[data-ready]').waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('keeps what was typed before the scripts arrived', { skip }, async () => {
  const ada = await newcomer()
  const page = await site!.open('/news', { person: ada })
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await page.route('**/client-*.js', async (route) => {
    await arrived
    await route.continue()
  })
  await page.goto(site!.address, { waitUntil: 'commit' })
  await composer(page).fill('Typed on a slow line')
  arrive()
  await page.locator('html[data-ready]').waitFor()
  assert.equal(await composer(page).inputValue(), 'Typed on a slow line')
  await reload(page)
  await until(page, `document.querySelector('textarea').value === 'Typed on a slow line'`)
  await page.context().close()
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, passUndo } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
const contents = world ? await fillConsole(world) : undefined

const read = async (path: string) => (await world!.as(world!.founder, 'GET', path)).body

async function decide(page: Page, queue: string, key: 'a' | 'r', reason?: string): Promise<void> {
  await page.goto(`${world!.address}/admin/queues/${queue}`)
  await page.locator('article').waitFor()
  await page.locator('h1').click()
  const sent = page.waitForResponse((response) => ['PATCH', 'PUT'].includes(response.request().method()))
  await page.keyboard.press(key)
  if (reason !== undefined) {
    await page.getByRole('dialog').getByRole('textbox').fill(reason)
    await page.keyboard.press('Enter')
  }
  const response = await sent
  assert.equal(response.status(), 204, queue)
}

async function show(page: Page, title: string): Promise<void> {
  await page.locator('article').waitFor()
  const heading = page.locator('article').getByRole('heading', { name: title })
  if (!(await heading.isVisible())) await page.getByRole('button', { name: title }).click()
  await heading.waitFor()
}

const DECISIONS: { queue: string; key: 'a' | 'r'; reason?: string; holds: () => Promise<boolean> }[] = [
  { queue: 'reports', key: 'a', holds: async () => (await read('/admin/reports')).data[0].status === 1 },
  {
    queue: 'topic-reviews',
    key: 'a',
    holds: async () => (await read('/admin/feed-topics')).data[0].status === 'passed',
  },
  {
    queue: 'contributions',
    key: 'r',
    reason: 'Too short',
    holds: async () => (await read('/admin/news?audit_status=3')).data[0].mark === 'Too short',
  },
  {
    queue: 'contribution-refunds',
    key: 'a',
    holds: async () => (await read('/admin/news?q=vain')).data[0].fee_state === 'refunded',
  },
  {
    queue: 'registrations',
    key: 'a',
    holds: async () => (await read('/admin/registrations?state=accepted')).data[0].name === 'newcomer',
  },
  {
    queue: 'appeals',
    key: 'r',
    reason: 'It was loud',
    holds: async () => (await read('/admin/appeals')).data[0].answer === 'It was loud',
  },
  { queue: 'group-audits', key: 'a', holds: async () => (await read('/admin/groups')).data[0].audit === 1 },
  {
    queue: 'feed-pins',
    key: 'a',
    holds: async () => (await read('/admin/feed-pinneds')).data[0].state === 'active',
  },
  {
    queue: 'withdrawals',
    key: 'r',
    reason: 'The account is wrong',
    holds: async () => (await read('/admin/withdrawals')).data[0].remark === 'The account is wrong',
  },
  {
    queue: 'recharges',
    key: 'a',
    reason: 'BANK-1',
    holds: async () => (await read('/admin/recharges')).data[0].reference === 'BANK-1',
  },
  {
    queue: 'question-applications',
    key: 'a',
    holds: async () => (await read('/admin/question-applications')).data[0].state === 'passed',
  },
  {
    queue: 'question-topic-applications',
    key: 'r',
    reason: 'There is one already',
    holds: async () => (await read('/admin/question-topic-applications')).data[0].state === 'rejected',
  },
]

test('decides on items of twelve queues with keyboard shortcuts', {
  skip,
}, async () => {
  const page = await world!.open('/')
  for (const { queue, key, reason, holds } of DECISIONS) {
    assert.ok((contents?.waiting[queue] ?? 0) > 0, `nothing waits in ${queue}`)
    await decide(page, queue, key, reason)
    assert.ok(await holds(), queue)
  }
  await page.getByText('No pending items.').waitFor()
  await page.context().close()
  assert.deepEqual(world!.faults, [])
})

test('copies the payee and the amount of a withdrawal to the clipboard', { skip }, async () => {
  const { other } = contents!
  const asked = { value: 15_000, type: 'alipay', account: 'payee@example.org' }
  assert.equal((await world!.as(other, 'POST', '/plus-pay/cashes', asked)).status, 201)
  const page = await world!.open('/queues/withdrawals', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await show(page, 'CN¥150.00 → payee@example.org')
  const clipboard = () => page.evaluate('navigator.clipboard.readText()')
  for (const [label, text] of [
    ['Amount to pay', '150.00'],
    ['Payee account', 'payee@example.org'],
  ]) {
    await page.getByRole('button', { name: `Copy: ${label}` }).click()
    await page.getByText(`Copied: ${text}`).waitFor()
    assert.equal(await clipboard(), text)
  }
  await page.context().close()
})

test('shows a reported chat message in its context (im-16)', {
  skip,
}, async () => {
  const { writer, other } = contents!
  const { as } = world!
  const { id: chat } = (await as(writer, 'PUT', `/chats/people/${other.id}`)).body
  const say = async (body: string) =>
    (await as(writer, 'POST', `/chats/${chat}/messages`, { body })).body.id as number
  const texts = ['long before', ...Array.from({ length: 5 }, (_, n) => `before ${n}`)]
  for (const text of texts) await say(text)
  const bad = await say('an insult')
  await say('afterwards')
  const report = await as(other, 'POST', `/chats/messages/${bad}/reports`, { reason: 'rude' })
  assert.equal(report.status, 201)
  const page = await world!.open('/queues/reports')
  await show(page, 'an insult')
  await page.locator('li[aria-current]').getByText('an insult').waitFor()
  for (const text of ['before 0', 'before 4', 'afterwards'])
    await page.getByText(text, { exact: true }).waitFor()
  assert.equal(await page.getByText('long before').count(), 0)
  await page.getByText('Moderators can see only the reported message').waitFor()
  await page.context().close()
  const { data } = await read('/admin/reports?status=0')
  const found = data.find(({ reportable_id: id }: { reportable_id: number }) => id === bad)
  const { founder } = world!
  assert.equal((await as(founder, 'PATCH', `/admin/reports/${found.id}`, { action: 'reject' })).status, 204)
})

test('sends no decision that is undone within five seconds', { skip }, async () => {
  const { writer } = contents!
  await world!.as(writer, 'POST', '/feed/topics', { name: 'Taken back', desc: 'x' })
  const page = await world!.open('/queues/topic-reviews')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent += 1
  })
  await show(page, 'Taken back')
  await page.clock.install()
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('u')
  await show(page, 'Taken back')
  await passUndo(page)
  assert.equal(sent, 0)
  const { data } = await read('/admin/feed-topics?q=Taken')
  assert.equal(data[0].status, 'waiting')
  await page.context().close()
})

test('shows an error when another administrator has already decided on an item', {
  skip,
}, async () => {
  const { writer } = contents!
  const { as, person, founder } = world!
  const other = await person({ roles: ['founder'] })
  await as(writer, 'POST', '/feed/topics', { name: 'Wanted by two', desc: 'x' })
  const page = await world!.open('/queues/topic-reviews')
  await show(page, 'Wanted by two')
  const { data } = await read('/admin/feed-topics?q=Wanted')
  const { id } = data[0]
  // The console sends a decision five seconds later, so that the other one comes first.
  await page.keyboard.press('a')
  const decided = await as(other, 'PUT', `/admin/feed-topics/${id}/review`, { status: 'passed' })
  assert.equal(decided.status, 204)
  await page.getByRole('alert').getByText('The topic is already in this state.').waitFor()
  await page.getByText('Your decision did not take effect.').waitFor()
  const log = (await as(founder, 'GET', `/admin/audit-log?subject_id=${id}&action=topics.review`)).body
  assert.deepEqual(
    log.data.map((entry: { user_id: number }) => entry.user_id),
    [other.id],
  )
  await page.context().close()
})

test('silences the author and removes the content in one decision on a report', {
  skip,
}, async () => {
  const { writer, other } = contents!
  const feed = await world!.as(writer, 'POST', '/feeds', {
    feed_content: 'Rude',
    feed_from: 1,
    feed_mark: 77,
  })
  await world!.as(other, 'POST', `/feeds/${feed.body.id}/reports`, { reason: 'Very rude' })
  const page = await world!.open('/queues/reports')
  await page.locator('article').getByText('Very rude').waitFor()
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Remove the reported content' }).check()
  await dialog.getByRole('combobox', { name: 'Sanction' }).click()
  await page.getByRole('option', { name: 'silence' }).click()
  await dialog.getByRole('combobox', { name: 'Duration' }).click()
  await page.getByRole('option', { name: '3 days' }).click()
  await dialog.getByRole('textbox', { name: 'Reason shown to the user' }).fill('Be kind')
  await dialog.getByText(/^You may read, but not write until .* \(UTC\): Be kind$/).waitFor()
  const sent = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await dialog.getByRole('button', { name: 'Remove content or sanction user' }).click()
  assert.equal((await sent).status(), 204)
  const [sanction] = (await read(`/admin/sanctions?user=${writer.id}`)).data
  assert.deepEqual([sanction.kind, sanction.reason, sanction.in_force], ['silence', 'Be kind', true])
  assert.equal((await world!.guest('GET', `/feeds/${feed.body.id}`)).status, 404)
  await page.context().close()
})

test('gives each pending item a separate URL', {
  skip,
}, async () => {
  const { other } = contents!
  const ids: number[] = []
  for (const name of ['First in line', 'Second in line', 'Third in line']) {
    const topic = await world!.as(other, 'POST', '/feed/topics', { name, desc: 'x' })
    assert.equal(topic.status, 201, name)
    ids.push((await read(`/admin/feed-topics?q=${encodeURIComponent(name)}`)).data[0].id)
  }
  const page = await world!.open(`/queues/topic-reviews/${ids[1]}`)
  const heading = (name: string) => page.locator('article').getByRole('heading', { name })
  await heading('Second in line').waitFor()
  await page.reload()
  await heading('Second in line').waitFor()
  await page.locator('h1').click()
  const sent = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.keyboard.press('a')
  await heading('Third in line').waitFor()
  assert.match(page.url(), new RegExp(`/queues/topic-reviews/${ids[2]}$`))
  assert.equal((await sent).status(), 204)
  await page.goto(`${world!.address}/admin/queues/topic-reviews/${ids[1]}`)
  await page.getByText('This item is no longer pending.').waitFor()
  await page.getByRole('link', { name: 'Show pending items' }).click()
  await page.locator('article').waitFor()
  await page.context().close()
})

test('shows a title and a link to an existing page at unknown URLs', {
  skip,
}, async () => {
  const page = await world!.open('/no/such/page')
  for (const [path, text, link] of [
    ['/no/such/page', 'This page does not exist.', 'Home'],
    ['/queues/nothing', 'This queue does not exist.', 'Show pending decisions'],
    ['/queues/topic-reviews/999999999', 'This item is no longer pending.', 'Show pending items'],
    ['/news/999999999/show', 'This article does not exist.', 'Articles'],
  ] as const) {
    await page.goto(`${world!.address}/admin${path}`)
    await page.getByText(text).first().waitFor()
    await page.locator('main').getByRole('link', { name: link, exact: true }).waitFor()
    assert.equal(await page.locator('h1:visible').count(), 1, path)
    assert.match(await page.title(), /.+ · Kith$/, path)
  }
  await page.context().close()
})

test('renders contributions and questions as readers see them', {
  skip,
}, async () => {
  const { other } = contents!
  const text = '# A heading of it\n\nSome **bold** words <script>window.hacked = 1</script>'
  const category = (await world!.guest('GET', '/news/cates')).body[0] ?? { id: 1 }
  await world!.as(world!.founder, 'PATCH', '/admin/settings', { 'news:contribute:verified': false })
  const contribution = { title: 'Shown to readers', subject: 'Summary', author: 'O', content: text }
  const tags = (await world!.guest('GET', '/tags')).body[0].tags[0].id
  const path = `/news/categories/${category.id}/currency-news`
  const made = await world!.as(other, 'POST', path, { ...contribution, tags: String(tags) })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = (await read('/admin/news?q=Shown')).data[0]
  const topics = (await world!.guest('GET', '/question-topics')).body
  const question = await world!.as(other, 'POST', '/currency-questions', {
    subject: 'How is this shown?',
    body: text,
    topics: [{ id: topics[0].id }],
  })
  assert.equal(question.status, 201, JSON.stringify(question.body))
  const page = await world!.open(`/queues/contributions/${id}`)
  for (const address of [`queues/contributions/${id}`, `questions/${question.body.question.id}/show`]) {
    await page.goto(`${world!.address}/admin/${address}`)
    const shown = page.getByRole('region', { name: 'Text' })
    await shown.locator('strong', { hasText: 'bold' }).waitFor()
    assert.equal(await page.evaluate('window.hacked'), undefined, address)
    await page.getByRole('button', { name: 'Show the source' }).click()
    await shown.getByText('**bold**').waitFor()
  }
  await page.context().close()
})

test('has a console queue for each queue that the server counts', async () => {
  const { statistics: STATISTICS } = (await import('../../../src/site.ts')).SITE
  const texts = globSync('console/src/queues/*-queues.ts').map((file) => readFileSync(file, 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(/^ {4}name: '([^']+)'/gm)].map(([, name]) => name))
  assert.deepEqual(names.sort(), STATISTICS.queues.map(({ name }) => name).sort())
})

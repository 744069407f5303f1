import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
const contents = world ? await fillConsole(world) : undefined

const read = async (path: string) => (await world!.as(world!.founder, 'GET', path)).body

/** Decides on what a queue shows, and waits until that was sent. */
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

/** Has a queue show the thing of a title, wherever it waits. */
async function show(page: Page, title: string): Promise<void> {
  await page.locator('article').waitFor()
  const heading = page.locator('article').getByRole('heading', { name: title })
  if (!(await heading.isVisible())) await page.getByRole('button', { name: title }).click()
  await heading.waitFor()
}

/** What each queue is told, and how the API shows that it was. */
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

test('each queue is decided on with one key, and the API shows what came of it', {
  skip,
  timeout: 200_000,
}, async () => {
  const page = await world!.open('/')
  for (const { queue, key, reason, holds } of DECISIONS) {
    assert.ok((contents?.waiting[queue] ?? 0) > 0, `nothing waits in ${queue}`)
    await decide(page, queue, key, reason)
    assert.ok(await holds(), queue)
  }
  await page.getByText('Nothing waits here.').waitFor()
  await page.context().close()
  assert.deepEqual(world!.faults, [])
})

test('a decision that is taken back within five seconds is never sent', { skip }, async () => {
  const { writer } = contents!
  await world!.as(writer, 'POST', '/feed/topics', { name: 'Taken back', desc: 'x' })
  const page = await world!.open('/queues/topic-reviews')
  await show(page, 'Taken back')
  await page.keyboard.press('a')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('u')
  await show(page, 'Taken back')
  await page.waitForTimeout(6_000)
  const { data } = await read('/admin/feed-topics?q=Taken')
  assert.equal(data[0].status, 'waiting')
  await page.context().close()
})

test('what another administrator decided meanwhile is not decided twice, and that is said', {
  skip,
}, async () => {
  const { writer } = contents!
  await world!.as(writer, 'POST', '/feed/topics', { name: 'Wanted by two', desc: 'x' })
  const page = await world!.open('/queues/topic-reviews')
  await show(page, 'Wanted by two')
  const { data } = await read('/admin/feed-topics?q=Wanted')
  await page.keyboard.press('a')
  const other = await world!.as(world!.founder, 'PUT', `/admin/feed-topics/${data[0].id}/review`, {
    status: 'passed',
  })
  assert.equal(other.status, 204)
  await page.getByRole('alert').getByText('The topic is in this state already.').waitFor()
  await page.getByText('Your decision was not carried out.').waitFor()
  await page.context().close()
})

test('a report is dealt with by removing what was reported and silencing its author, in one decision', {
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
  await dialog.getByRole('checkbox', { name: 'Remove what was reported' }).check()
  await dialog.getByRole('combobox', { name: 'Sanction' }).click()
  await page.getByRole('option', { name: 'silence' }).click()
  await dialog.getByRole('spinbutton').fill('12')
  await dialog.getByRole('textbox', { name: 'What the person is told' }).fill('Be kind')
  const sent = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await dialog.getByRole('button', { name: 'Remove or sanction' }).click()
  assert.equal((await sent).status(), 204)
  const [sanction] = (await read(`/admin/sanctions?user=${writer.id}`)).data
  assert.deepEqual([sanction.kind, sanction.reason, sanction.in_force], ['silence', 'Be kind', true])
  assert.equal((await world!.guest('GET', `/feeds/${feed.body.id}`)).status, 404)
  await page.context().close()
})

test('every queue that the server counts is one of the console, and the other way round', async () => {
  const { STATISTICS } = await import('../src/statistics.ts')
  const texts = globSync('console/src/queues/*-queues.ts').map((file) => readFileSync(file, 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(/^ {4}name: '([^']+)'/gm)].map(([, name]) => name))
  assert.deepEqual(names.sort(), STATISTICS.queues.map(({ name }) => name).sort())
})

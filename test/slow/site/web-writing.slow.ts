import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { findings, look, openSite, TELEPHONE } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

async function fill() {
  const { as, person } = site!
  const [ada, lin] = [await person({ name: 'ada_lovelace' }), await person({ name: 'lin_xiaoyu' })]
  const body = { feed_content: 'Low water at nine.', feed_from: 1, feed_mark: 1 }
  const feed = (await as(ada, 'POST', '/feeds', body)).body.id
  const question = await questionsOf(site!).ask(ada, { subject: 'Where do eels go?' })
  const chat = await chatsOf(site!).pair(ada, lin)
  const { group: make } = groupMaker(site!)
  const group = await make(ada, { name: 'Harbour' })
  return { ada, lin, feed, question, chat, group }
}
const made = site ? await fill() : undefined

/** Types the start of a name and chooses the suggestion by keyboard. */
async function mention(page: Page, field: Locator, before: string, after = ''): Promise<string> {
  await field.fill('')
  await field.pressSequentially(`${before}lin_x`)
  await page.getByRole('option', { name: '@lin_xiaoyu' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('option').waitFor({ state: 'detached' })
  await page.keyboard.type(after)
  return field.inputValue()
}
const MENTION = '\u00ad@lin_xiaoyu\u00ad '

test('suggests users in comments, messages, answers, questions and posts', { skip }, async () => {
  const { ada, feed, question, chat, group } = made!
  const { open, address } = site!
  const page = await open(`/feeds/${feed}`, { person: ada, ...TELEPHONE })
  for (const [path, label] of [
    [`/feeds/${feed}`, 'Write a comment'],
    [`/questions/${question}`, 'Write an answer'],
    [`/chats/${chat}`, 'Write a message'],
    ['/questions/ask', 'Details (Markdown)'],
    ['/', 'What is happening?'],
  ] as const) {
    await page.goto(address + path)
    await page.locator('html[data-ready]').waitFor()
    const field = page.getByRole('textbox', { name: label, exact: true })
    assert.equal(await mention(page, field, '你好@', 'seen'), `你好${MENTION}seen`, path)
    await field.fill('')
    await field.pressSequentially('(＠lin_x')
    await page.getByRole('option', { name: '@lin_xiaoyu' }).waitFor()
    assert.deepEqual(await findings(page), [], path)
    await look(page, `suggestions-${label.replaceAll(/\W/g, '-')}`)
    await page.getByRole('option', { name: '@lin_xiaoyu' }).click()
    assert.equal(await field.inputValue(), `(${MENTION}`, path)
    await field.fill('')
  }
  await page.goto(`${address}/groups/${group}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Write a post' }).click()
  await page.getByLabel('Title').fill('A walk')
  await mention(page, page.getByLabel('Text'), '**你好**，@', 'too')
  await page.locator('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: 'A walk' }).waitFor()
  await page.getByText('你好，@lin_xiaoyu too').waitFor()
  await page.getByRole('link', { name: 'A walk' }).click()
  await page.locator('.markdown .reference', { hasText: '@lin_xiaoyu' }).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await mention(page, page.getByLabel('Text (Markdown)'), '再见@', 'again')
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await page.locator('.markdown', { hasText: '再见@lin_xiaoyu again' }).waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('does not suggest users in e-mail addresses and URLs', { skip }, async () => {
  const page = await site!.open(`/feeds/${made!.feed}`, { person: made!.ada })
  const field = page.getByLabel('Write a comment')
  for (const text of ['me@lin_x', 'me2@lin_x', 'https://harbour.example/@lin_x', '#lin_x']) {
    await field.fill(text)
    await field.press('End')
    await page.waitForTimeout(700)
    assert.equal(await page.getByRole('listbox').count(), 0, text)
  }
  await field.fill('')
  await field.pressSequentially('@lin_x')
  await page.getByRole('option').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option').waitFor({ state: 'detached' })
  await page.context().close()
})

test('shows a sent mention as a link without a reload', { skip }, async () => {
  const { ada, lin, feed, chat } = made!
  const page = await site!.open(`/feeds/${feed}`, { person: ada })
  await mention(page, page.getByLabel('Write a comment'), '你好@')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  const link = page.locator(`.comment-list a[href="/users/${lin.id}"]`, { hasText: '@lin_xiaoyu' })
  await link.waitFor()
  await link.click()
  await page.getByRole('heading', { name: 'lin_xiaoyu' }).waitFor()
  await page.goto(`${site!.address}/chats/${chat}`)
  await page.locator('html[data-ready]').waitFor()
  await mention(page, page.getByLabel('Write a message'), '，@')
  await page.keyboard.press('Enter')
  await page.locator('.bubble .reference', { hasText: '@lin_xiaoyu' }).waitFor()
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('previews Markdown as the server reads it, and keeps the preview when the server fails', {
  skip,
}, async () => {
  const page = await site!.open('/questions/ask', { person: made!.ada })
  const preview = page.getByRole('region', { name: 'Preview' })
  await page.getByLabel('Details (Markdown)').fill('**bold** \u00ad@lin_xiaoyu\u00ad')
  await preview.locator('strong', { hasText: 'bold' }).waitFor()
  await preview.locator('.reference', { hasText: '@lin_xiaoyu' }).waitFor()
  await page.route('**/texts/preview', (route) => route.fulfill({ status: 503, body: '{}' }))
  await page.getByLabel('Details (Markdown)').fill('*other*')
  await page.waitForTimeout(1_500)
  assert.equal(await preview.locator('strong').count(), 1)
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.unroute('**/texts/preview')
  await page.getByLabel('Details (Markdown)').fill('*other* text')
  await preview.locator('em', { hasText: 'other' }).waitFor()
  await page.getByLabel('Details (Markdown)').fill('')
  await preview.waitFor({ state: 'detached' })
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

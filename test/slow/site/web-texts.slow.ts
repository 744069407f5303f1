import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { until } from '#test/fixtures/streams.ts'
import { agree, findings, look, openSite, TELEPHONE, until as untilShown } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

const reward = async (page: Page, points: number) => {
  await page
    .getByRole('button', { name: /^Reward/ })
    .first()
    .click()
  await page.getByLabel('Points').fill(String(points))
  await page.getByRole('button', { name: `Pay ${points} points` }).click()
  await page.getByRole('button', { name: 'Reward 1' }).waitFor()
}
const report = async (page: Page, reason: string) => {
  await page.getByRole('button', { name: 'Report' }).last().click()
  await page.getByLabel('Reason for the report').fill(reason)
  await page.locator('dialog').getByRole('button', { name: 'Report' }).click()
  await page.getByText('Moderators will review it.').waitFor()
}

test('edits and deletes a question', {
  skip,
}, async () => {
  const { as, open } = site!
  const questions = questionsOf(site!)
  const asker = await questions.rich()
  const question = await questions.ask(asker, { subject: 'Where do eels go?', body: 'In autumn.' })
  const page = await open(`/questions/${question}`, { person: asker, ...TELEPHONE })
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('heading', { name: 'Edit the question' }).waitFor()
  await page.getByLabel('Question', { exact: true }).fill('Where do old eels go?')
  await page.getByLabel('Details').fill('In **late** autumn.')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Where do old eels go?' }).waitFor()
  await page.getByText('late', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Offer a bounty' }).click()
  await page.getByLabel('Points').fill('250')
  await page.getByRole('button', { name: 'Pay 250 points' }).click()
  await page.getByText('Bounty: 250 points').waitFor()
  assert.equal(await questions.points(asker), 9_750)
  await page.getByRole('button', { name: 'Comments' }).click()
  await page.getByPlaceholder('Write a comment').fill('Thank you for reading.')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.locator('.comments').getByText('Thank you for reading.').waitFor()
  assert.deepEqual(await findings(page), [])
  await look(page, 'question-of-mine')
  const free = await questions.ask(asker, { subject: 'Do eels sleep?' })
  await page.goto(`${site!.address}/questions/${free}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await page.getByRole('heading', { name: 'Questions', exact: true }).waitFor()
  assert.equal((await as(asker, 'GET', `/questions/${free}`)).status, 404)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('edits and deletes an answer', { skip }, async () => {
  const { as, open, person, sql } = site!
  const questions = questionsOf(site!)
  const [asker, reader, author] = [await person(), await questions.rich(), await person()]
  const question = await questions.ask(asker)
  const answer = await questions.answer(author, question, { body: 'They go to the sea.' })
  const page = await open(`/questions/${question}`, { person: reader })
  await reward(page, 40)
  assert.equal(await questions.points(author), 40)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.is-collect[aria-pressed=true]').waitFor()
  await report(page, 'They do not')
  assert.equal((await as(reader, 'GET', '/user/question-answer/collections')).body.length, 1)
  assert.equal((await sql`select from reports where reason = 'They do not'`).length, 1)
  await as(author, 'POST', `/questions/${question}/comments`, { body: 'A fine question' })
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Comments' }).click()
  await page.locator('.comment-list').getByRole('button', { name: 'Report' }).click()
  await page.getByLabel('Reason for the report').fill('Too fine')
  await page.locator('dialog').getByRole('button', { name: 'Report' }).click()
  await page.getByText('Moderators will review it.').waitFor()
  assert.equal((await sql`select from reports where reason = 'Too fine'`).length, 1)
  await page.context().close()
  const theirs = await open(`/questions/${question}`, { person: author })
  await theirs.getByRole('button', { name: 'Edit' }).click()
  await theirs.getByLabel('Text (Markdown)').fill('They go to the **Sargasso** sea.')
  assert.deepEqual(await findings(theirs), [])
  await theirs.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await theirs.locator('strong', { hasText: 'Sargasso' }).waitFor()
  await theirs.getByRole('button', { name: 'Delete' }).click()
  await agree(theirs, 'Delete')
  await theirs.getByLabel('Write an answer').waitFor()
  assert.equal((await as(reader, 'GET', `/question-answers/${answer}`)).status, 404)
  await theirs.context().close()
  assert.deepEqual(site!.faults, [])
})

test('edits and deletes a post of a group', {
  skip,
}, async () => {
  const { as, open, person, sql } = site!
  const { group: make, post: write, join } = groupMaker(site!)
  const { rich } = questionsOf(site!)
  const [founder, author, reader] = [await person(), await rich(), await rich()]
  const group = await make(founder, { name: 'Eel watchers' })
  await join(group, founder, author)
  const post = await write(author, group, { title: 'An eel', body: 'Seen at nine.' })
  const path = `/groups/${group}/posts/${post}`
  const page = await open(path, { person: reader })
  await reward(page, 30)
  await report(page, 'It was a stick')
  assert.equal((await sql`select from group_reports where content = 'It was a stick'`).length, 1)
  await as(author, 'POST', `/group-posts/${post}/comments`, { body: 'Nonsense' })
  await page.reload()
  await page.locator('.comment-list').getByText('Nonsense').waitFor()
  await report(page, 'A rude comment')
  const [reported] = await sql`select type from group_reports where content = 'A rude comment'`
  assert.equal(reported?.type, 'comment')
  await page.context().close()
  const theirs = await open(path, { person: author, ...TELEPHONE })
  await theirs.getByRole('button', { name: 'Edit' }).click()
  await theirs.getByLabel('Title').fill('Two eels')
  await theirs.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await theirs.getByRole('heading', { name: 'Two eels' }).waitFor()
  assert.equal(await theirs.getByRole('button', { name: 'Mark as excellent' }).count(), 0)
  await theirs.getByRole('button', { name: 'Pin' }).first().click()
  await theirs.getByLabel('Days').fill('2')
  await theirs.getByRole('spinbutton', { name: 'Points per day' }).fill('5')
  await theirs.getByRole('button', { name: 'Pay 10 points' }).click()
  await theirs.getByText('Paid.').waitFor()
  await theirs.context().close()
  const managed = await open(`/groups/${group}`, { person: founder, colorScheme: 'dark' })
  await managed.getByRole('link', { name: 'Reports and requests' }).click()
  await managed.getByText('It was a stick').waitFor()
  assert.deepEqual(await findings(managed), [])
  await look(managed, 'group-requests')
  for (const left of [1, 0]) {
    await managed.getByRole('button', { name: 'Reject' }).first().click()
    await untilShown(managed, `document.querySelectorAll('.acts').length === ${left}`)
  }
  await managed.getByText('Nothing to review.').waitFor()
  await managed.getByRole('link', { name: 'Pin requests' }).click()
  await managed.getByText('2 days for 10 points').waitFor()
  await managed.getByRole('button', { name: 'Accept' }).click()
  await managed.getByRole('button', { name: 'Accept' }).waitFor({ state: 'detached' })
  const { body: posts } = await as(founder, 'GET', `/groups/${group}/posts`)
  assert.deepEqual(
    posts.pinneds.map(({ id }: { id: number }) => id),
    [post],
  )
  await managed.goto(site!.address + path)
  await managed.locator('html[data-ready]').waitFor()
  await managed.getByRole('button', { name: 'Mark as excellent' }).click()
  await managed.getByRole('button', { name: 'Remove excellent mark' }).waitFor()
  assert.deepEqual(await findings(managed), [])
  await look(managed, 'group-post-managed')
  assert.ok((await as(founder, 'GET', path)).body.excellent_at)
  await managed.getByRole('button', { name: 'Delete' }).first().click()
  await agree(managed, 'Delete')
  await managed.getByRole('heading', { name: 'Eel watchers' }).waitFor()
  assert.equal((await as(founder, 'GET', path)).status, 404)
  await managed.context().close()
  assert.deepEqual(site!.faults, [])
})

test('adds and deletes a comment on an album', { skip }, async () => {
  const { as, open, person } = site!
  const listener = await person()
  const album = await createSpecial(site!, await musicEditor(site!))
  const page = await open(`/music_specials/${album}`, { person: listener, ...TELEPHONE })
  await page.getByLabel('Write a comment').fill('Played twice.')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  const list = page.locator('.comment-list')
  await list.getByText('Played twice.').waitFor()
  assert.deepEqual(await findings(page), [])
  assert.equal((await as(listener, 'GET', `/music/specials/${album}/comments`)).body.length, 1)
  await list.getByRole('button', { name: 'Delete' }).click()
  await agree(page, 'Delete')
  await list.getByText('Played twice.').waitFor({ state: 'detached' })
  await page.locator('.toasts').getByText('Deleted.').waitFor()
  assert.ok(
    await page.getByRole('heading', { name: 'Comments' }).evaluate((heading) => heading.matches(':focus')),
  )
  assert.equal((await as(listener, 'GET', `/music/specials/${album}/comments`)).body.length, 0)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('follows and unfollows a question topic', { skip }, async () => {
  const { as, open, person } = site!
  const follower = await person()
  const topic = await questionsOf(site!).topic()
  const page = await open(`/question-topics/${topic}`, { person: follower })
  const [follow, following] = ['Follow', 'Following'].map((name) =>
    page.getByRole('button', { name, exact: true }),
  ) as [Locator, Locator]
  const followed = async () => (await as(follower, 'GET', '/user/question-topics?type=follow')).body.length
  await follow.click()
  await following.waitFor()
  await until(async () => (await followed()) === 1, 'the followed topic')
  await following.click()
  await follow.waitFor()
  await until(async () => (await followed()) === 0, 'the end of following')

  // The page sends only the last state when the user presses the follow button again during a request.
  const methods: string[] = []
  const first = Promise.withResolvers<void>()
  await page.route('**/user/question-topics/*', async (route) => {
    methods.push(route.request().method())
    if (methods.length === 1) await first.promise
    await route.continue()
  })
  await follow.click()
  await following.click()
  await follow.click()
  await following.click()
  await follow.waitFor()
  first.resolve()
  await until(async () => methods.length === 2, 'the second request')
  await until(async () => (await followed()) === 0, 'the last state')
  assert.deepEqual(methods, ['PUT', 'DELETE'])
  await page.unroute('**/user/question-topics/*')
  assert.equal(await followed(), 0)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test("lists menu entries that do not fit into a phone's bottom bar on the page Menu", {
  skip,
}, async () => {
  const { open, person } = site!
  for (const [viewer, locale, more, entries] of [
    [undefined, 'zh-CN', '菜单', ['问答', '圈子', '音乐', '排行榜']],
    [
      await person(),
      'en',
      'Menu',
      ['Topics', 'Questions', 'Groups', 'Music', 'Saved', 'Points', 'Profile', 'Settings'],
    ],
  ] as const) {
    const page = await open('/', { ...(viewer ? { person: viewer } : {}), locale, ...TELEPHONE })
    await page.getByRole('link', { name: more, exact: true }).click()
    await page.getByRole('heading', { name: more }).waitFor()
    const main = page.getByRole('main')
    for (const name of entries)
      assert.ok(await main.getByRole('link', { name, exact: true }).isVisible(), name)
    assert.deepEqual(await findings(page), [])
    await look(page, `more-${locale}`)
    await page.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

test('accepts and rejects pin requests for comments on a feed', {
  skip,
}, async () => {
  const { as, open } = site!
  const { rich } = questionsOf(site!)
  const [author, reader] = [await rich(), await rich()]
  const published = { feed_content: 'Eels again.', feed_from: 1, feed_mark: crypto.randomUUID() }
  const { id } = (await as(author, 'POST', '/feeds', published)).body
  for (const body of ['The best eel yet', 'The worst eel yet'])
    await as(reader, 'POST', `/feeds/${id}/comments`, { body })
  const page = await open(`/feeds/${id}`, { person: reader, ...TELEPHONE })
  for (const [comment, points] of [
    ['The best eel yet', '3'],
    ['The worst eel yet', '4'],
  ] as const) {
    await page
      .locator('.comment-list li')
      .filter({ hasText: comment })
      .getByRole('button', { name: 'Pin' })
      .click()
    await page.getByLabel('Days').fill('2')
    await page.getByRole('spinbutton', { name: 'Points per day' }).fill(String(Number(points) * 100))
    await page.getByRole('button', { name: `Pay ${Number(points) * 200} points` }).click()
    await page.getByText('Paid.').last().waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
  await page.context().close()
  const theirs = await open('/notifications', { person: author })
  await theirs.getByRole('link', { name: 'Pin requests' }).click()
  await theirs.getByText('2 days for 600 points').waitFor()
  assert.deepEqual(await findings(theirs), [])
  await look(theirs, 'comment-pins')
  const row = (text: string) => theirs.locator('main li').filter({ hasText: text })
  await row('The best eel yet').getByRole('button', { name: 'Accept' }).click()
  await row('The best eel yet').getByRole('button').first().waitFor({ state: 'detached' })
  await row('The worst eel yet').getByRole('button', { name: 'Reject' }).click()
  await row('The worst eel yet').getByRole('button').first().waitFor({ state: 'detached' })
  await theirs.getByRole('link', { name: 'Group posts' }).click()
  await theirs.getByText('No pin requests.').waitFor()
  await theirs.context().close()
  const pins = await as(author, 'GET', '/user/feed-comment-pinneds')
  assert.deepEqual(pins.body.map(({ state }: { state: string }) => state).sort(), ['active', 'rejected'])
})

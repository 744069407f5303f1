import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { findings, look, openSite, TELEPHONE, weigh } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

const MARKDOWN = `# The harbour

Ferries leave **every hour**; see [the timetable](https://harbour.example/times).

- bring boots
- bring bread

> The tide waits for nobody.

<img src=x onerror="globalThis.hacked = 1"> [click](javascript:globalThis.hacked=1) ![spy](https://spy.example/x.png)

| Hour | Water |
|---|---|
| 9 | low |
`

async function fill() {
  const world = site!
  const { person, as } = world
  const ada = await person({ name: 'ada_lovelace' })
  const lin = await person({ name: '林小雨' })
  const topic = (
    await as(ada, 'POST', '/api/v2/feed/topics', { name: '海港 Harbour', desc: 'Boats, tides and bread' })
  ).body.id as number
  await as(ada, 'POST', '/api/v2/feeds', {
    feed_content: 'Low water at nine.',
    feed_from: 1,
    feed_mark: 1,
    topics: [{ id: topic }],
  })
  const editor = await newsEditor(world)
  const news = await createNews(world, editor, ada, {
    category_id: await createCategory(world, editor),
    title: 'Ferries every hour',
    content: MARKDOWN,
  })
  const questions = questionsOf(world)
  const question = await questions.ask(ada, { subject: 'When is low water?', body: MARKDOWN })
  const answer = await questions.answer(lin, question, { body: 'At **nine**.' })
  const { group: make, post } = groupMaker(world)
  const group = await make(ada, { name: 'Harbour walkers' })
  const groupPost = await post(ada, group, { title: 'The walk of Sunday', body: MARKDOWN })
  const dj = await musicEditor(world)
  const song = await createSong(world, dj, { body: { title: 'Harbour song' } })
  const album = await createSpecial(world, dj, { songs: [song] })
  return { ada, lin, topic, news, question, answer, group, groupPost, song, album }
}
const filled = site ? await fill() : undefined
test('escapes hostile Markdown of articles, questions and posts', { skip }, async () => {
  const { news, question, group, groupPost } = filled!
  const page = await site!.open('/')
  for (const path of [`/news/${news}`, `/questions/${question}`, `/groups/${group}/posts/${groupPost}`]) {
    await page.goto(site!.address + path)
    await page.locator('html[data-ready]').waitFor()
    await page.getByText('<img src=x').waitFor()
    assert.equal(await page.evaluate('globalThis.hacked'), undefined)
  }
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('renders topics, articles, questions and groups without JavaScript', { skip }, async () => {
  const page = await site!.open('/topics', { javaScriptEnabled: false, ...TELEPHONE })
  await page.getByRole('link', { name: '#海港 Harbour' }).click()
  await page.getByText('Low water at nine.').waitFor()
  await page.goto(`${site!.address}/news`)
  await page.getByRole('link', { name: 'Ferries every hour' }).click()
  await page.getByText('every hour', { exact: true }).waitFor()
  assert.equal(await page.locator('.markdown img, .markdown script').count(), 0)
  await page.goto(`${site!.address}/questions/${filled!.question}`)
  await page.getByText('At nine.').waitFor()
  await page.goto(`${site!.address}/groups/${filled!.group}`)
  await page.getByRole('link', { name: 'The walk of Sunday' }).click()
  await page.getByText('bring boots').waitFor()
  await page.context().close()
})

test('lets a member follow, answer, ask, join, post and comment', {
  skip,
}, async () => {
  const { as, open, address, person } = site!
  const ben = await person({ name: 'ben_reads' })
  const page = await open(`/feed-topics/${filled!.topic}`, { person: ben, ...TELEPHONE })
  await page.getByRole('button', { name: 'Follow' }).click()
  await page.getByRole('button', { name: 'Following' }).waitFor()
  await page.goto(`${address}/questions/${filled!.question}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Write an answer').fill('Ask the *harbour master*.')
  await page.getByRole('button', { name: 'Publish answer' }).click()
  await page.getByText('Ask the harbour master.').waitFor()
  await page.goto(`${address}/questions/ask`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Question', { exact: true }).fill('Who mends nets?')
  await page.locator('.topics input').first().check()
  await page.getByLabel('Details').fill('Mine has **holes**.')
  await page.getByRole('region', { name: 'Preview' }).getByText('holes').waitFor()
  await page.getByRole('button', { name: 'Publish question' }).click()
  await page.getByRole('heading', { name: 'Who mends nets?' }).waitFor()
  await page.goto(`${address}/groups/${filled!.group}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('button', { name: 'Write a post' }).click()
  await page.getByLabel('Title').fill('I am new here')
  await page.getByLabel('Text').fill('Hello, walkers.')
  await page.locator('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('link', { name: 'I am new here' }).waitFor()
  await page.goto(`${address}/news/${filled!.news}`)
  await page.locator('html[data-ready]').waitFor()
  await page.getByLabel('Write a comment').fill('The nine o’clock was late')
  await page.getByRole('button', { name: 'Comment' }).click()
  await page.locator('.comment-list').getByText('was late').waitFor()
  const { body } = await as(ben, 'GET', `/api/v2/news/${filled!.news}`)
  assert.equal(body.comment_count, 1)
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('lets a member edit a topic and another member report it', {
  skip,
}, async () => {
  const { as, open, address, person, sql } = site!
  const { ada, topic, news } = filled!
  const page = await open(`/feed-topics/${topic}`, { person: ada })
  await page.getByRole('button', { name: 'Edit topic' }).click()
  await page.getByLabel('Description').fill('Boats and bread')
  const buffer = await flatPicture(64, 64).png().toBuffer()
  await page.getByLabel('Picture').setInputFiles([{ name: 'boat.png', mimeType: 'image/png', buffer }])
  assert.deepEqual(await findings(page), [])
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  const { body } = await as(ada, 'GET', `/api/v2/feed/topics/${topic}`)
  assert.equal(body.desc, 'Boats and bread')
  assert.equal(body.logo.mime, 'image/png')
  await page.getByRole('link', { name: 'Participants' }).click()
  await page.locator('.rows').getByRole('link', { name: 'ada_lovelace' }).first().waitFor()
  assert.deepEqual(await findings(page), [])
  await page.context().close()
  const eve = await person({ name: 'eve_reports' })
  const other = await open('/', { person: eve, ...TELEPHONE })
  for (const path of [
    `/feed-topics/${topic}`,
    `/news/${news}`,
    `/users/${ada.id}`,
    `/groups/${filled!.group}`,
  ]) {
    await other.goto(address + path)
    await other.locator('html[data-ready]').waitFor()
    await other.getByRole('button', { name: 'Report', exact: true }).first().click()
    await other.getByLabel('Reason for the report').fill('It is spam')
    await other.locator('dialog').getByRole('button', { name: 'Report' }).click()
    await other.getByText('Thank you for the report. Moderators will review it.').waitFor()
  }
  const [{ count }] = await sql<[{ count: number }]>`
    select ((select count(*) from reports where user_id = ${eve.id})
      + (select count(*) from group_reports where user_id = ${eve.id}))::int as count`
  assert.equal(count, 4)
  await other.context().close()
  assert.deepEqual(site!.faults, [])
})

test('lists saved content of a member', { skip }, async () => {
  const { as, open, address, person } = site!
  const { news, question, answer, group, groupPost, album } = filled!
  const kim = await person({ name: 'kim_saves' })
  for (const [method, path] of [
    ['POST', `/news/${news}/collections`],
    ['POST', `/user/question-answer/collections/${answer}`],
    ['PUT', `/currency-groups/${group}`],
    ['POST', `/group-posts/${groupPost}/collections`],
    ['POST', `/music/specials/${album}/collection`],
    ['PUT', `/user/question-watches/${question}`],
  ] as const) {
    const { status } = await as(kim, method, `/api/v2${path}`)
    assert.ok(status < 300, `${method} ${path}: ${status}`)
  }
  await as(kim, 'POST', `/api/v2/questions/${question}/answers`, { body: 'Ask the ferry.' })
  const page = await open('/saved', { person: kim, ...TELEPHONE, colorScheme: 'dark' })
  for (const [path, text] of [
    ['/saved/news', 'Ferries every hour'],
    ['/saved/answers', 'At nine.'],
    ['/saved/group-posts', 'The walk of Sunday'],
    ['/saved/albums', ''],
    ['/questions/mine?kind=watched', 'When is low water?'],
    ['/questions/mine?kind=answered', 'Ask the ferry.'],
  ] as const) {
    await page.goto(address + path)
    await page.locator('html[data-ready]').waitFor()
    await page.locator('.summary').filter({ hasText: text }).first().waitFor()
    await look(page, `saved${path.replaceAll(/[/?=]/g, '-')}`)
    assert.deepEqual(await findings(page), [], path)
    const link = await page.locator('.summary a').first().getAttribute('href')
    assert.equal((await page.request.get(address + link)).status(), 200, link ?? path)
  }
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('shows a paid answer only after the payment', { skip }, async () => {
  const { as, open, person } = site!
  const questions = questionsOf(site!)
  const [asker, looker] = [await questions.rich(), await questions.rich()]
  const expert = await person({ name: 'expert_one' })
  const plain = await questions.ask(asker, { subject: 'Which knot holds?' })
  await questions.answer(expert, plain, { body: 'The bowline.' })
  const page = await open(`/questions/${plain}`, { person: asker })
  await page.getByRole('button', { name: 'Adopt' }).click()
  await page.getByText('Adopted').waitFor()
  assert.equal((await as(asker, 'GET', `/api/v2/questions/${plain}`)).body.adoption_answers.length, 1)
  await page.context().close()
  const looked = await questions.askForLooks(asker, expert, { subject: 'What is it worth?' })
  await questions.answer(expert, looked, { body: 'Twice what you paid.' })
  const other = await open(`/questions/${looked}`, { person: looker })
  assert.equal(await other.getByText('Twice what you paid.').count(), 0)
  await other.getByRole('button', { name: /^See this answer for/ }).click()
  assert.deepEqual(await findings(other), [])
  await other.getByRole('button', { name: /^Pay / }).click()
  await other.getByText('Twice what you paid.').waitFor()
  await other.context().close()
  assert.deepEqual(site!.faults, [])
})

test('keeps the player open while the user navigates', { skip }, async () => {
  const page = await site!.open(`/music_specials/${filled!.album}`)
  await page.getByRole('button', { name: 'Play Harbour song' }).click()
  await page.getByRole('region', { name: 'Player' }).waitFor()
  await page.getByRole('link', { name: 'News', exact: true }).click()
  await page.waitForURL(`${site!.address}/news`)
  await page.getByRole('region', { name: 'Player' }).getByText('Harbour song').waitFor()
  await look(page, 'player')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('region', { name: 'Player' }).waitFor({ state: 'detached' })
  await page.context().close()
  assert.deepEqual(site!.faults, [])
})

test('keeps article and question pages within the budgets of size and layout shift', {
  skip,
}, async () => {
  for (const path of [`/news/${filled!.news}`, `/questions/${filled!.question}`]) {
    await weigh(site!.address, path)
    const page = await site!.open(path, TELEPHONE)
    const shift = await page.evaluate(`new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value })
        .observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => resolve(sum), 300)
    })`)
    assert.ok(Number(shift) <= 0.02, `${path}: ${shift}`)
    await page.context().close()
  }
})

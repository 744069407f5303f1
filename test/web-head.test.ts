import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { settingsOn } from '#test/sign-up.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { app, as, person, sql } = world
const ada = await person({ name: 'ada_lovelace' })
const lin = await person({ name: '林小雨' })
const questions = questionsOf(world)

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers: { accept: 'text/html', ...headers } })
const pageOf = async (url: string, headers: Record<string, string> = {}) => {
  const { statusCode, body } = await get(url, headers)
  assert.equal(statusCode, 200, url)
  return body
}
const languageOf = (page: string) => /<html lang="([\w-]+)"/.exec(page)?.[1]
const dataOf = async (path: string) => {
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(await pageOf(path)) ?? []
  return JSON.parse(json)
}
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let mark = 0
const publish = async (text: string, who: Person = ada): Promise<number> =>
  (await as(who, 'POST', '/feeds', { feed_content: text, feed_from: 1, feed_mark: ++mark })).body.id
const age = (feed: number, time: string) => sql`update feeds set created_at = ${time} where id = ${feed}`

test('renders a page in the language of its address', async () => {
  for (const [path, headers, language] of [
    ['/?lang=zh', {}, 'zh-CN'],
    ['/?lang=en', { 'accept-language': 'zh-CN' }, 'en'],
    ['/?lang=zh', { cookie: 'kith_language=en' }, 'zh-CN'],
    ['/?lang=fr', { 'accept-language': 'zh-CN' }, 'zh-CN'],
    ['/?lang=', {}, 'en'],
    ['/?lang=zh&lang=en', {}, 'zh-CN'],
  ] as [string, Record<string, string>, string][])
    assert.equal(languageOf(await pageOf(path, headers)), language, `${path} ${JSON.stringify(headers)}`)
})

test('keeps the language of an address for the visit, unless the reader chose one', async () => {
  const cookieAfter = async (path: string, headers = {}) => (await get(path, headers)).headers['set-cookie']
  assert.equal(await cookieAfter('/topics?lang=zh'), 'kith_language=zh; Path=/; SameSite=Lax')
  // A guest page from the cache sets the cookie too.
  assert.equal(await cookieAfter('/topics?lang=zh'), 'kith_language=zh; Path=/; SameSite=Lax')
  assert.equal(await cookieAfter('/topics?lang=zh', { cookie: 'kith_language=en' }), undefined)
  assert.equal(await cookieAfter('/topics'), undefined)
  assert.equal(await cookieAfter('/feeds.atom?lang=zh'), undefined)
})

test('caches the pages of each language apart', async () => {
  for (const [path, headers, language] of [
    ['/questions', { 'accept-language': 'zh' }, 'zh-CN'],
    ['/questions', { 'accept-language': 'en' }, 'en'],
    ['/questions', { cookie: 'kith_language=zh' }, 'zh-CN'],
    ['/questions?lang=zh', { 'accept-language': 'en' }, 'zh-CN'],
    ['/questions', { 'accept-language': 'en' }, 'en'],
  ] as [string, Record<string, string>, string][]) {
    const answer = await get(path, headers)
    assert.equal(languageOf(answer.body), language)
    assert.match(String(answer.headers.vary), /Accept-Language/)
    assert.match(String(answer.headers.vary), /Cookie/)
    assert.equal(answer.headers['cache-control'], 'no-cache')
  }
})

test('links the versions of a public page in both languages', async () => {
  const feed = await publish('Two tongues')
  for (const path of ['/', '/topics', `/feeds/${feed}`, `/users/${ada.id}`])
    for (const asked of [
      path,
      `${path}?lang=zh`,
      ...(path === '/' ? [] : [`${path}/`, path.replace(/[a-z]/, (letter) => letter.toUpperCase())]),
    ]) {
      const page = await pageOf(asked)
      const url = `http://kith.test${path}`
      assert.ok(page.includes(`<link rel="canonical" href="${url}">`), asked)
      assert.deepEqual(
        [...page.matchAll(/<link rel="alternate" hreflang="([\w-]+)" href="([^"]+)">/g)].map(
          ([, language, href]) => [language, href],
        ),
        [
          ['en', `${url}?lang=en`],
          ['zh', `${url}?lang=zh`],
          ['x-default', url],
        ],
      )
    }
  assert.ok(!(await pageOf('/search?q=x')).includes('hreflang'))
  assert.ok(!(await get('/nowhere')).body.includes('hreflang'))
  assert.ok(!(await pageOf('/settings', { cookie: cookieOf(ada) })).includes('hreflang'))
})

test("shows the site's picture in links to lists, and none in links to content without pictures", async () => {
  const imageOf = (page: string) => /<meta property="og:image" content="([^"]+)">/.exec(page)?.[1]
  const image = imageOf(await pageOf('/'))
  assert.match(image ?? '', /^http:\/\/kith\.test\/_\/assets\/[\w-]+\.png$/)
  const picture = await get(new URL(image ?? '').pathname)
  assert.deepEqual([picture.statusCode, picture.headers['content-type']], [200, 'image/png'])
  assert.deepEqual([picture.rawPayload.readUInt32BE(16), picture.rawPayload.readUInt32BE(20)], [1200, 630])
  assert.equal(imageOf(await pageOf('/topics')), image)
  assert.equal(imageOf(await pageOf(`/feeds/${await publish('No picture')}`)), undefined)
  assert.equal(imageOf(await pageOf('/sign-in')), undefined)
})

test('names authors and dates of questions and answers to search engines', async () => {
  const asker = await questions.rich()
  const question = await questions.ask(asker, { subject: 'Which knot holds?', body: 'A **big** boat.' })
  const [accepted, other] = [
    await questions.answer(lin, question, { body: 'The *bowline*.' }),
    await questions.answer(ada, question, { body: 'A clove hitch.', anonymity: true }),
  ]
  assert.ok((await as(asker, 'PUT', `/questions/${question}/adoptions/${accepted}`)).status < 300)
  const { mainEntity, ...page } = await dataOf(`/questions/${question}`)
  assert.equal(page['@type'], 'QAPage')
  const { acceptedAnswer, suggestedAnswer, datePublished, dateModified, ...rest } = mainEntity
  assert.match(datePublished, ISO)
  assert.match(dateModified, ISO)
  const personData = (who: Person) => ({
    '@type': 'Person',
    name: who.name,
    url: `http://kith.test/users/${who.id}`,
  })
  assert.deepEqual(rest, {
    '@type': 'Question',
    name: 'Which knot holds?',
    text: rest.text,
    url: `http://kith.test/questions/${question}`,
    answerCount: 2,
    upvoteCount: 0,
    author: personData(asker),
  })
  assert.equal(acceptedAnswer.url, `http://kith.test/question-answers/${accepted}`)
  assert.deepEqual(acceptedAnswer.author, personData(lin))
  assert.match(acceptedAnswer.datePublished, ISO)
  assert.match(acceptedAnswer.dateModified, ISO)
  assert.equal(acceptedAnswer.text, 'The bowline.')
  assert.deepEqual(
    suggestedAnswer.map(({ url, author }: { url: string; author: object }) => [url, author]),
    [[`http://kith.test/question-answers/${other}`, { '@type': 'Person', name: 'Anonymous' }]],
  )
  const one = (await dataOf(`/question-answers/${accepted}`)).mainEntity
  assert.deepEqual([one.name, one.author, one.acceptedAnswer], [rest.name, rest.author, acceptedAnswer])
  assert.equal(one.suggestedAnswer, undefined)
})

test('names authors and dates of articles, feeds and group posts to search engines', async () => {
  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const news = await createNews(world, editor, ada, { category_id: category })
  const { group, post } = groupMaker(world)
  const place = await group(ada)
  for (const path of [
    `/news/${news}`,
    `/feeds/${await publish('By whom?')}`,
    `/groups/${place}/posts/${await post(ada, place)}`,
  ]) {
    const { author, datePublished, dateModified } = await dataOf(path)
    assert.ok(author.name, path)
    assert.match(datePublished, ISO)
    assert.match(dateModified, ISO)
  }
})

test('declares the language of texts in another script than the page', async () => {
  const textOf = async (text: string, headers = {}) =>
    /<p class="prose"[^>]*>/.exec(await pageOf(`/feeds/${await publish(text)}`, headers))?.[0]
  const zh = { cookie: 'kith_language=zh' }
  for (const [text, headers, lang] of [
    ['周末去爬了香山，红叶正好。', {}, ' lang="zh"'],
    ['周末去爬了香山，红叶正好。', zh, ''],
    ['今日は海へ行きました。', {}, ' lang="ja"'],
    ['今日は海へ行きました。', zh, ' lang="ja"'],
    ['鲜の每日，每天新鲜送到您家', {}, ' lang="zh"'],
    ['오늘은 바다에 갔어요', {}, ' lang="ko"'],
    ['שלום עולם', {}, ' lang="he"'],
    ['The word 海港 means harbour', {}, ''],
    ['我用 TypeScript 写了一个 server', {}, ' lang="zh"'],
    // The script of these texts serves many languages.
    ['مرحبا بالعالم', {}, ' lang'],
    ['Bread day, three loaves', zh, ' lang'],
    ['Bread day, three loaves', {}, ''],
    ['🍞 123', zh, ''],
  ] as [string, Record<string, string>, string][])
    assert.equal(await textOf(text, headers), `<p class="prose" dir="auto"${lang}>`, text)
  const question = await questions.ask(ada, { subject: '船什么时候开？' })
  assert.ok((await pageOf(`/questions/${question}`)).includes('<h1 dir="auto" lang="zh">'))
  assert.ok((await pageOf('/questions')).includes('<h2 dir="auto" lang="zh">'))
})

test("renders times in the site's time zone, with the instant and the full date", async () => {
  const feed = await publish('Long ago')
  await age(feed, '2021-03-03 17:30:00+00')
  const timeOf = async (headers = {}) => {
    const page = await pageOf(`/feeds/${feed}`, headers)
    const [, instant, title, text] =
      /<time dateTime="([^"]+)" title="([^"]+)">([^<]+)<\/time>/i.exec(page) ?? []
    return [instant, title?.replaceAll('\u202f', ' '), text]
  }
  assert.deepEqual(await timeOf(), [
    '2021-03-03T17:30:00.000Z',
    'Wednesday, March 3, 2021 at 5:30:00 PM UTC',
    'Mar 3, 2021',
  ])
  await settingsOn(world)({ 'site:time-zone': 'Asia/Shanghai' }, async () => {
    assert.deepEqual(await timeOf({ cookie: 'kith_language=zh' }), [
      '2021-03-03T17:30:00.000Z',
      '2021年3月4日星期四 GMT+8 01:30:00',
      '2021年3月4日',
    ])
  })
})

test('counts one thing in the singular', async () => {
  const one = await person({ name: 'just_one' })
  await publish('The only post', one)
  await as(lin, 'PUT', `/user/followings/${one.id}`)
  const plain = (await pageOf(`/users/${one.id}`)).replaceAll(/<[^>]*>/g, '')
  assert.ok(plain.includes('1 post1 follower0 following'), plain.slice(0, 2_000))
})

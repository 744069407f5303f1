import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { certify, createCategory, createNews, givePoints, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { app, as, person } = world

const get = (url: string, accept = 'text/html') => app.inject({ method: 'GET', url, headers: { accept } })
const SECRET = 'Quicksilver'
const OPEN = 'Lighthouse'
let mark = 0
const publish = async (who: Awaited<ReturnType<typeof person>>, text: string, more: object = {}) => {
  const answer = await as(who, 'POST', '/feeds', {
    feed_content: text,
    feed_from: 1,
    feed_mark: ++mark,
    ...more,
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id as number
}

async function fill() {
  const ada = await person({ name: 'ada_lovelace' })
  const hidden = await person({ name: `${SECRET}_asker` })
  await givePoints(world, hidden, 1_000)
  const feed = await publish(ada, `${OPEN} feed`)
  const paid = await publish(ada, `${'word '.repeat(60)}${SECRET}`, { amount: 5 })
  const deleted = await publish(ada, `${SECRET} deleted`)
  assert.equal((await as(ada, 'DELETE', `/feeds/${deleted}/currency`)).status, 204)
  await publish(ada, `${OPEN} newest`)
  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const news = await createNews(world, editor, ada, { category_id: category, title: `${OPEN} article` })
  await certify(world, ada)
  const pending = await as(ada, 'POST', `/news/categories/${category}/currency-news`, {
    title: `${SECRET} pending`,
    content: SECRET,
  })
  const questions = questionsOf(world)
  const question = await questions.ask(hidden, { subject: `${OPEN} question?`, anonymity: true })
  const invited = await person()
  const looked = await questions.askForLooks(hidden, invited, { subject: `${OPEN} looks?`, anonymity: true })
  await questions.answer(invited, looked, { body: `${SECRET} answer`, text_body: `${SECRET} answer` })
  const { group, post } = groupMaker(world)
  const open = await group(ada, { name: `${OPEN} group` })
  const openPost = await post(ada, open, { title: `${OPEN} post` })
  const closed = await group(ada, { name: 'A closed door', mode: 'private' })
  const closedPost = await post(ada, closed, { title: `${SECRET} post`, body: SECRET, summary: SECRET })
  const waiting = await group(ada, { name: `${SECRET} waiting` }, { passed: false })
  const topic = await as(ada, 'POST', '/feed/topics', { name: `${OPEN} topic` })
  return {
    ...{ ada, feed, paid, deleted, news, pending: pending.body?.data?.id ?? 0, question, looked },
    ...{ open, openPost, closed, closedPost, waiting, topic: topic.body.id ?? 0 },
  }
}
const made = await fill()

test('hides restricted content from guests and search engines', async () => {
  const urlOf = (path: string) => `/oembed?url=${encodeURIComponent(`http://kith.test${path}`)}`
  const kinds = ['feeds', 'users', 'feed-topics', 'news', 'questions', 'groups', 'group-posts']
  const paths = [
    ...['/', '/hot', '/topics', '/news', '/questions', '/questions?type=reward', '/groups'],
    ...['/feeds.atom', '/news.atom', `/users/${made.ada.id}/feeds.atom`, `/users/${made.ada.id}`],
    ...[`/search?q=${OPEN}`, `/search?q=${OPEN}&type=questions`, '/sitemap.xml'],
    ...kinds.map((kind) => `/sitemaps/${kind}-0.xml`),
    ...[made.feed, made.paid, made.deleted].flatMap((id) => [`/feeds/${id}`, urlOf(`/feeds/${id}`)]),
    ...[made.news, made.pending].flatMap((id) => [`/news/${id}`, urlOf(`/news/${id}`)]),
    ...[made.question, made.looked].flatMap((id) => [`/questions/${id}`, urlOf(`/questions/${id}`)]),
    ...[`/groups/${made.closed}`, `/groups/${made.closed}/posts/${made.closedPost}`, `/groups/${made.open}`],
    `/group-posts/${made.closedPost}`,
  ]
  let found = ''
  for (const path of paths) {
    const { body, statusCode } = await get(path)
    assert.ok(statusCode < 500, path)
    // The anonymous asker's profile is public, so the sitemap of users may contain the asker's name.
    const users = path.startsWith('/sitemaps/users')
    assert.ok(
      users || !body.includes(SECRET),
      `${path}: ${body.slice(body.indexOf(SECRET) - 200, body.indexOf(SECRET) + 50)}`,
    )
    found += body
  }
  for (const kind of ['feed', 'article', 'question', 'group', 'post', 'topic'])
    assert.ok(found.includes(`${OPEN} ${kind}`), kind)
})

test('omits priced, closed and deleted content from the sitemap', async () => {
  const index = (await get('/sitemap.xml', '*/*')).body
  assert.ok(index.includes('<loc>http://kith.test/sitemaps/feeds-0.xml</loc>'))
  const part = async (name: string) => (await get(`/sitemaps/${name}.xml`, '*/*')).body
  const feeds = await part('feeds-0')
  assert.ok(feeds.includes(`/feeds/${made.feed}</loc>`))
  assert.ok(!feeds.includes(`/feeds/${made.paid}</loc>`) && !feeds.includes(`/feeds/${made.deleted}</loc>`))
  assert.ok((await part('groups-0')).includes(`/groups/${made.open}</loc>`))
  assert.ok(!(await part('groups-0')).includes(`/groups/${made.closed}</loc>`))
  const posts = await part('group-posts-0')
  assert.ok(posts.includes(`/groups/${made.open}/posts/${made.openPost}</loc>`))
  assert.ok(!posts.includes(`/posts/${made.closedPost}</loc>`))
  assert.ok((await part('users-0')).includes(`/users/${made.ada.id}</loc>`))
  assert.equal((await get('/sitemaps/unknown-0.xml', '*/*')).statusCode, 404)
  assert.match((await get('/robots.txt', '*/*')).body, /Sitemap: http:\/\/kith\.test\/sitemap\.xml/)
})

test('serves security.txt once the site has a contact, and leads to the change of a password', async () => {
  const at = '/.well-known/security.txt'
  assert.equal((await get(at, '*/*')).statusCode, 404)
  const founder = await person({ roles: ['founder'] })
  const contact = async (text: string | null) => {
    assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'site:contact': text })).status, 204)
    return (await get(at, '*/*')).body
  }
  const text = await contact('security@kith.test')
  assert.match(text, /^Contact: mailto:security@kith\.test\n/)
  assert.match(text, /\nCanonical: http:\/\/kith\.test\/\.well-known\/security\.txt\n$/)
  const expires = Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? '')
  assert.ok(expires > Date.now() && expires < Date.now() + 366 * 86_400_000)
  assert.match(await contact('https://kith.test/report'), /^Contact: https:/)
  await contact('a bell at the door')
  assert.equal((await get(at, '*/*')).statusCode, 404)
  const moved = await get('/.well-known/change-password')
  assert.deepEqual(
    [moved.statusCode >= 300 && moved.statusCode < 400, moved.headers.location],
    [true, '/settings'],
  )
})

test('returns 410 for deleted content', async () => {
  await groupMaker(world).group(made.ada, { name: `${OPEN} later group` })
  assert.equal((await get(`/groups/${made.waiting}`)).statusCode, 404)
  assert.equal((await get(`/feeds/${made.deleted}`)).statusCode, 410)
  assert.equal((await get('/feeds/99999999')).statusCode, 404)
  assert.equal((await get('/feeds/abc')).statusCode, 404)
})

test('redirects URLs of the ThinkSNS+ site to the current pages', async () => {
  for (const [from, to] of [
    ['/feeds', '/'],
    ['/feed/5', '/feeds/5'],
    ['/topic/7', '/feed-topics/7'],
    ['/question/3/answer/4', '/question-answers/4'],
    ['/questions/3/answers/4', '/question-answers/4'],
    ['/group/2/post/9', '/groups/2/posts/9'],
    ['/users/8/follower', '/users/8'],
    ['/register', '/join'],
    ['/rank', '/ranks'],
    ['/people/1', '/people/popular'],
    ['/search/1/x', '/search?q=x'],
    ['/user/collect-feeds', '/saved'],
    ['/music/specials/1', '/music_specials/1'],
    ['/feeds/1/likers', '/feeds/1'],
  ] as const) {
    const answer = await get(from)
    assert.deepEqual([answer.statusCode, answer.headers.location], [301, to], from)
  }
  assert.equal((await get('/question/x')).statusCode, 404)
})

test('embeds public feeds and articles by oEmbed', async () => {
  const embed = (url: string, more = '') =>
    get(`/oembed?url=${encodeURIComponent(url)}${more}`, 'application/json')
  const feed = await embed(`http://kith.test/feeds/${made.feed}`)
  assert.equal(feed.statusCode, 200)
  assert.deepEqual([feed.json().title, feed.json().author_name], [`${OPEN} feed`, 'ada_lovelace'])
  assert.match(feed.json().html, /^<blockquote><p>Lighthouse feed<\/p>/)
  assert.equal((await embed(`http://kith.test/news/${made.news}`)).json().title, `${OPEN} article`)
  assert.equal((await embed(`http://kith.test/feeds/${made.paid}`)).statusCode, 403)
  assert.equal((await embed(`http://evil.test/feeds/${made.feed}`)).statusCode, 404)
  assert.equal((await embed(`http://kith.test/feeds/${made.feed}`, '&format=xml')).statusCode, 501)
  const page = (await get(`/feeds/${made.feed}`)).body
  assert.ok(page.includes('application/json+oembed'))
})

test('adds structured data for search engines', async () => {
  const typeOf = async (path: string) => /"@type":"(\w+)"/.exec((await get(path)).body)?.[1]
  assert.equal(await typeOf(`/users/${made.ada.id}`), 'ProfilePage')
  assert.equal(await typeOf(`/feeds/${made.feed}`), 'DiscussionForumPosting')
  assert.equal(await typeOf(`/news/${made.news}`), 'NewsArticle')
  assert.equal(await typeOf(`/questions/${made.question}`), 'QAPage')
  assert.equal(await typeOf(`/groups/${made.open}/posts/${made.openPost}`), 'DiscussionForumPosting')
})

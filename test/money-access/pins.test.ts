import { createParties, everybody, nobodyBut } from '#test/fixtures/money-access.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'

const parties = await createParties()
const { as, world, author, price, expect, feedOf, pinOf, commented, matrix } = parties
const editor = await newsEditor(world)
const category = await createCategory(world, editor)

async function feedScene() {
  const feed = await feedOf(author)
  const other = await feedOf(author)
  await expect(201, as(author, 'POST', `/feeds/${other}/currency-pinneds`, price))
  return { ...(await commented(`/feeds/${feed}`, 'feed:comment')), feed, asked: await pinOf('feed', other) }
}

async function newsScene() {
  const publish = () => createNews(world, editor, author, { category_id: category })
  const [news, other] = [await publish(), await publish()]
  await expect(201, as(author, 'POST', `/news/${other}/currency-pinneds`, price))
  return { ...(await commented(`/news/${news}`, 'news:comment')), news, asked: await pinOf('news', other) }
}

const toFeeds = 'admin: feed pinneds'
matrix('restricts operations on pins of feeds and their comments by role', feedScene, [
  ['ask for a feed', (s) => ['POST', `${s.path}/currency-pinneds`, price], [401, 403, 403, 201, 403, 403]],
  ['ask for a comment', (s) => ['POST', s.plain, price], [401, 403, 201, 403, 403, 403]],
  ['accept a comment', (s) => ['PATCH', s.waiting], [401, 403, 403, 201, 403, 403]],
  [
    'reject a comment',
    (s) => ['DELETE', `/user/feed-comment-currency-pinneds/${s.pin}`],
    [401, 422, 422, 204, 422, 422],
  ],
  ['end a comment', (s) => ['DELETE', `${s.pinned}/unpinned`], [401, 403, 403, 204, 403, 403]],
  ['requests to the caller', () => ['GET', '/user/feed-comment-pinneds'], everybody(200)],
  ['the price', () => ['GET', '/feeds/average'], everybody(200)],
  ['list all', () => ['GET', '/admin/feed-pinneds'], nobodyBut(200), toFeeds],
  ['read one', (s) => ['GET', `/admin/feed-pinneds/${s.asked}`], nobodyBut(200), toFeeds],
  [
    'accept',
    (s) => ['PATCH', `/admin/feed-pinneds/${s.asked}`, { action: 'accept' }],
    nobodyBut(204),
    toFeeds,
  ],
  [
    'reject',
    (s) => ['PATCH', `/admin/feed-pinneds/${s.asked}`, { action: 'reject' }],
    nobodyBut(204),
    toFeeds,
  ],
  ['pin for free', (s) => ['POST', '/admin/feed-pinneds', { feed: s.feed, day: 1 }], nobodyBut(201), toFeeds],
  ['cancel', (s) => ['DELETE', `/admin/feed-pinneds/${s.asked}`], nobodyBut(204), toFeeds],
  ['delete the feed', (s) => ['DELETE', `${s.path}/currency`], [401, 403, 403, 204, 403, 204]],
])

const toNews = 'admin: news'
matrix('restricts operations on pins of articles and their comments by role', newsScene, [
  [
    'ask for an article',
    (s) => ['POST', `${s.path}/currency-pinneds`, price],
    [401, 403, 403, 201, 403, 403],
  ],
  ['ask for a comment', (s) => ['POST', s.plain, price], [401, 403, 201, 403, 403, 403]],
  ['accept a comment', (s) => ['PATCH', s.waiting], [401, 403, 403, 201, 403, 403]],
  ['reject a comment', (s) => ['PATCH', `${s.waiting}/reject`], [401, 422, 422, 204, 422, 422]],
  ['end a comment', (s) => ['DELETE', `${s.pinned}/unpinned`], [401, 403, 403, 204, 403, 403]],
  ['list all', () => ['GET', '/admin/news-pinneds'], nobodyBut(200), toNews],
  ['read one', (s) => ['GET', `/admin/news-pinneds/${s.asked}`], nobodyBut(200), toNews],
  [
    'accept',
    (s) => ['PATCH', `/admin/news-pinneds/${s.asked}`, { action: 'accept' }],
    nobodyBut(204),
    toNews,
  ],
  ['pin for free', (s) => ['POST', '/admin/news-pinneds', { news: s.news, day: 1 }], nobodyBut(201), toNews],
  ['cancel', (s) => ['DELETE', `/admin/news-pinneds/${s.asked}`], nobodyBut(204), toNews],
])

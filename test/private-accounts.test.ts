import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { givePoints } from '#test/fixtures/news.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { buildSite } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test', GUEST_CACHE_MS: '60000' })
const { app, as, guest, person, sql, work } = world

const WORD = 'Quicksilver'
const TALK = 'Lighthouse'

type Schema = { $ref?: string; type?: string; enum?: unknown[] }
type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = { parameters?: Parameter[] }
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: Operation }>
}

/** Addresses outside the API that show feeds to guests. */
const PAGES = (author: number, feed: number, topic: number) => [
  ...[
    '/',
    '/feeds',
    '/hot',
    `/feeds/${feed}`,
    `/users/${author}`,
    `/topics/${topic}`,
    '/topics',
    '/sitemap.xml',
  ],
  `/search?q=${WORD.slice(1)}`,
  '/feeds.atom',
  `/users/${author}/feeds.atom`,
  `/topics/${topic}/feeds.atom`,
  '/sitemaps/feeds-0.xml',
  `/oembed?url=${encodeURIComponent(`http://kith.test/feeds/${feed}`)}`,
]

let mark = 0
async function publish(who: Person, text: string, more: object = {}): Promise<number> {
  mark += 1
  const { status, body } = await as(who, 'POST', '/feeds', {
    feed_content: text,
    feed_from: 1,
    feed_mark: mark,
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
const did = async (who: Person, ...[method, path, body]: [Parameters<typeof as>[1], string, object?]) => {
  const reply = await as(who, method, path, body)
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** The stranger did with the feed all that a member can do with a public one. */
async function fill() {
  const [author, follower, stranger] = [await person(), await person(), await person()]
  for (const each of [author, follower, stranger]) await givePoints(world, each, 1_000)
  await did(follower, 'PUT', `/user/followings/${author.id}`)
  const topic = (await did(author, 'POST', '/feed/topics', { name: `quiet garden ${author.id}`, desc: 'x' }))
    .id
  await did(stranger, 'PUT', `/user/feed-topics/${topic}`)
  const named = [author, follower, stranger].map(({ name }) => `\u00AD@${name}\u00AD`).join(' ')
  const image = await uploadPicture(world, author)
  const feed = await publish(author, `${WORD} ${named}`, { topics: [topic], images: [{ id: image }] })
  const talk = await did(stranger, 'POST', `/feeds/${feed}/comments`, { body: `${TALK} of mine` })
  await did(follower, 'POST', `/feeds/${feed}/comments`, {
    body: `${TALK} ${named}`,
    reply_user: stranger.id,
  })
  await did(author, 'POST', `/feeds/${feed}/comments`, { body: `${TALK} again`, reply_user: stranger.id })
  for (const who of [follower, stranger]) {
    await did(who, 'POST', `/feeds/${feed}/like`)
    await did(who, 'POST', `/feeds/${feed}/collections`)
    await did(who, 'POST', `/feeds/${feed}/new-rewards`, { amount: 3 })
    await publish(who, 'See this', { repostable_type: 'feeds', repostable_id: feed })
  }
  await did(stranger, 'POST', `/feeds/${feed}/comments/${talk.comment.id}/currency-pinneds`, {
    amount: 10,
    day: 2,
  })
  await did(stranger, 'POST', `/feeds/${feed}/reports`, { reason: 'Rude' })
  await sql`update feed_topics set status = 'passed' where id = ${topic}`
  return { author, follower, stranger, topic, feed, image, comment: talk.comment.id as number }
}

/** Reads every GET operation of members with every id of the scene. Admin operations need abilities. */
function addresses(ids: number[], author: number): string[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get || /\/admin\/|\/stream$|\/archive$|\/auth\//.test(path)) return []
    const query = (get.parameters ?? []).filter((each) => each.in === 'query')
    const given = query.flatMap(({ name, required, schema }) => {
      if (name === 'limit') return ['limit=100']
      if (name === 'q' || name === 'search' || name === 'keyword') return required ? [`${name}=${WORD}`] : []
      return required ? [`${name}=${schema.enum?.[0] ?? (schema.type === 'integer' ? 1 : 0.2)}`] : []
    })
    const types = query.find(({ name, schema }) => name === 'type' && schema.enum)?.schema.enum ?? ['']
    const urls = path.includes('{') ? ids.map((id) => path.replace(/\{\w+\}/g, String(id))) : [path]
    const variants = ['', ...(query.some(({ name }) => name === 'user') ? [`user=${author}`] : [])]
    if (query.some(({ name }) => name === 'author')) variants.push(`author=${author}`)
    if (query.some(({ name }) => name === 'id')) variants.push(`id=${ids.join(',')}`)
    if (query.some(({ name }) => name === 'q')) variants.push(`q=${WORD}`, `q=${TALK}`)
    return urls.flatMap((url) =>
      types.flatMap((type) =>
        variants.map((variant) => {
          const all = [
            ...given,
            ...(type === '' ? [] : [`type=${type}`]),
            ...(variant === '' ? [] : [variant]),
          ]
          return `${url.replace('/api/v2', '')}?${all.join('&')}`
        }),
      ),
    )
  })
}

const pathOf = (url: string) => url.replace(/\?.*/, '').replace(/\d+/g, '{id}')

test('never shows a feed of a private account, or what belongs to it, to a stranger or guest (relations-8)', async (t) => {
  const { author, follower, stranger, topic, feed, comment } = await fill()
  const urls = addresses([...new Set([feed, author.id, topic, comment, follower.id, stranger.id])], author.id)
  const paths = new Set(urls.map(pathOf))
  const showing = async (who: Person | null) => {
    const found = new Set<string>()
    for (const url of urls) {
      const { body } = await (who ? as(who, 'GET', url) : guest('GET', url))
      const text = JSON.stringify(body ?? '')
      if (text.includes(WORD) || text.includes(TALK)) found.add(pathOf(url))
    }
    return found
  }
  const pages = async () => {
    const found: string[] = []
    for (const url of PAGES(author.id, feed, topic)) {
      const { body } = await app.inject({ method: 'GET', url, headers: { accept: 'text/html' } })
      const isListed = url.includes('sitemap') && body.includes(`/feeds/${feed}<`)
      if (isListed || body.includes(WORD) || body.includes(TALK)) found.push(url)
    }
    return found
  }
  const before = { stranger: await showing(stranger), guest: await showing(null), pages: await pages() }
  t.diagnostic(
    `${paths.size} operations, ${urls.length} reads: ${before.stranger.size} show the public feed to a stranger, ${before.guest.size} to a guest`,
  )
  assert.ok(before.stranger.size >= 10, [...before.stranger].join(' '))
  assert.ok(before.guest.size >= 7, [...before.guest].join(' '))
  assert.ok(before.pages.length >= 6, before.pages.join(' '))
  const [unread] = await sql`select from notifications where user_id = ${stranger.id}`
  assert.ok(unread)

  await did(author, 'PUT', '/user/privacy', { private: true })
  await work()
  assert.deepEqual([...(await showing(null))], [])
  assert.deepEqual(await pages(), [])
  assert.deepEqual([...(await showing(stranger))], [])
  const kept = await showing(follower)
  assert.ok(kept.size >= 9, [...kept].join(' '))
})

test('serves pictures of a private account to followers only, by addresses of minutes (files-15)', async () => {
  const { author, follower, stranger, image } = await fill()
  const addressOf = async (who: Person) => (await as(who, 'GET', `/files/${image}?json=1`)).body.url
  const load = async (url: string) => {
    const { pathname, search } = new URL(url)
    const { statusCode, headers } = await app.inject({ url: pathname + search })
    return [statusCode, headers['cache-control']]
  }
  const early = await addressOf(stranger)
  assert.equal((await load(early))[0], 200)
  await did(author, 'PUT', '/user/privacy', { private: true })
  assert.equal((await load(early))[0], 403)
  const asked = [await guest('GET', `/files/${image}`)]
  for (const who of [stranger, follower, author]) asked.push(await as(who, 'GET', `/files/${image}`))
  assert.deepEqual(
    asked.map(({ status }) => status),
    [404, 404, 302, 302],
  )
  const own = await addressOf(follower)
  assert.deepEqual(await load(own), [200, 'private, no-store'])
  const expires = Number(new URL(own).searchParams.get('expires'))
  assert.ok(expires - Date.now() <= 5 * 60_000)
  await did(author, 'PUT', '/user/privacy', { private: false })
  assert.equal((await guest('GET', `/files/${image}`)).status, 302)
  assert.equal((await load(early))[0], 200)
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createCast } from '#test/fixtures/notified.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

/**
 * Every text that a viewer must not see is a word of its own that begins with `zxq`, so that a search finds all of them
 * and a reply that contains one is a fault.
 */
// Names the words, because random texts such as nonces contain the beginning alone now and then.
const WORD =
  /zxq(?:earlier|stranger|topic|feed|comment|deleted|question|answer|article|news|post|summary|group|closed|person|sitemap)[a-z]*/g
const SEARCH = 'zxq'

type Parameter = { in: string; name: string; required?: boolean; schema: { enum?: unknown[]; type?: string } }
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: { deprecated?: boolean; parameters?: Parameter[] } }>
}

/** Each read of the API with its needed parameters, and with a search where it has one. */
const READS = Object.entries(document.paths).flatMap(([path, { get }]) => {
  if (!get || get.deprecated || /\/admin\/|\/stream$|\/files\//.test(path)) return []
  const query = (get.parameters ?? []).filter((each) => each.in === 'query')
  const needed = query
    .filter(({ name, required }) => required || (name === 'type' && path.endsWith('/user/notifications')))
    .map(({ name, schema }) => `${name}=${schema.enum?.at(-1) ?? (schema.type === 'integer' ? 1 : SEARCH)}`)
  if (query.some(({ name }) => name === 'limit')) needed.push('limit=100')
  const plain = needed.join('&')
  const searches = query
    .filter(
      ({ name, required }) =>
        ['q', 'key', 'keyword', 'name', 'search', 'subject'].includes(name) && !required,
    )
    .map(({ name }) => [...needed, `${name}=${SEARCH}`].join('&'))
  return [plain, ...searches].map((each) => `${path.replace('/api/v2', '')}?${each}`)
})

const PAGES = globSync('web/src/modules/*/{routes,documents}.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/\bpath: '(\/[^']*)',\s/g)].map(([, path = '']) => path),
)

await buildSite()

test('shows closed content in no read of the API and on no page (relations-8, conventions-25)', async (t) => {
  const cast = await createCast({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
  const {
    world,
    as,
    sql,
    work,
    admin,
    anna,
    ben,
    cleo,
    dora,
    feed,
    ask,
    answer,
    news,
    post,
    createGroup,
    join,
  } = cast
  const { app, person } = world
  const ok = async (by: Person, ...[method, path, body]: [Parameters<typeof as>[1], string, object?]) => {
    const reply = await as(by, method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const ids = new Set<number>([1])
  const note = (id: number) => {
    ids.add(id)
    return id
  }

  // A private account, with what its follower adds to it and makes of it.
  const shy = await person()
  const [friend, asking, refused] = [await person(), await person(), await person()]
  for (const { id } of [shy, friend, asking, refused, anna, ben]) note(id)
  const before = note(await feed(shy, { feed_content: 'zxqearlier words' }))
  await ok(ben, 'POST', `/feeds/${before}/collections`)
  await ok(ben, 'POST', `/feeds/${before}/comments`, { body: 'zxqstranger says' })
  await ok(ben, 'POST', `/feeds/${before}/like`)
  const quote = note(
    await feed(ben, { feed_content: 'I quote', repostable_type: 'feeds', repostable_id: before }),
  )
  await ok(shy, 'PUT', '/user/privacy', { private: true })
  for (const each of [friend, asking, refused]) await ok(each, 'PUT', `/user/followings/${shy.id}`)
  await ok(shy, 'PUT', `/user/follow-requests/${friend.id}`)
  await ok(shy, 'DELETE', `/user/follow-requests/${refused.id}`)
  const hidden = note(await feed(shy, { feed_content: '#zxqtopic# zxqfeed words' }))
  const comment = await ok(friend, 'POST', `/feeds/${hidden}/comments`, { body: 'zxqcomment words' })
  note(comment.comment.id)
  await ok(friend, 'POST', `/feeds/${hidden}/like`)
  note(await feed(friend, { feed_content: 'I quote too', repostable_type: 'feeds', repostable_id: hidden }))

  // Deleted content.
  const gone = note(await feed(anna, { feed_content: 'zxqdeletedfeed' }))
  await ok(ben, 'POST', `/feeds/${gone}/comments`, { body: 'zxqdeletedcomment' })
  await ok(ben, 'POST', `/feeds/${gone}/collections`)
  note(await feed(ben, { feed_content: 'I quote it', repostable_type: 'feeds', repostable_id: gone }))
  await ok(anna, 'DELETE', `/feeds/${gone}/currency`)
  const question = note(await ask(anna, { subject: 'Zxqquestion?', body: 'zxqquestionbody' }))
  const reply = note(await answer(ben, question, { body: 'zxqanswer' }))
  await ok(cleo, 'POST', `/user/question-answer/collections/${reply}`)
  await ok(cleo, 'POST', `/question-answers/${reply}/likes`)
  await ok(cleo, 'POST', `/question-answers/${reply}/comments`, { body: 'zxqanswercomment' })
  await ok(admin, 'DELETE', `/admin/questions/${question}`)
  const article = note(await news(anna))
  await sql`update news set title = 'zxqarticle', title_key = 'zxqarticle', content = 'zxqarticlebody' where id = ${article}`
  await ok(ben, 'POST', `/news/${article}/comments`, { body: 'zxqnewscomment' })
  await ok(ben, 'POST', `/news/${article}/collections`)
  await ok(admin, 'PATCH', `/admin/news/${article}`, { audit_status: 4 })

  // A private group, and one that is closed.
  const secret = note(await createGroup(dora, { name: 'A quiet group', mode: 'private' }))
  for (const each of [anna, friend]) await join(secret, dora, each)
  const inside = note(
    await post(anna, secret, { title: 'zxqpost', body: 'zxqpostbody', summary: 'zxqsummary' }),
  )
  await ok(friend, 'POST', `/group-posts/${inside}/comments`, { body: 'zxqpostcomment' })
  await ok(friend, 'POST', `/group-posts/${inside}/likes`)
  note(await feed(friend, { feed_content: 'Look', repostable_type: 'group-posts', repostable_id: inside }))
  const over = note(await createGroup(dora, { name: 'zxqgroup' }))
  await join(over, dora, ben)
  const last = note(
    await post(ben, over, { title: 'zxqclosedpost', body: 'zxqclosedbody', summary: 'zxqclosed' }),
  )
  await ok(anna, 'POST', `/group-posts/${last}/collections`)
  await ok(admin, 'DELETE', `/admin/groups/${over}`)

  // A disabled account.
  const left = await person({ name: 'zxqperson' })
  note(left.id)
  await ok(left, 'PUT', `/user/followings/${ben.id}`)
  await ok(left, 'POST', `/feeds/${quote}/like`)
  await ok(left, 'POST', `/feeds/${quote}/comments`, { body: 'What is left' })
  await ok(admin, 'PATCH', `/admin/users/${left.id}`, { disabled: true })
  await work()

  const seen = new Map<string, Set<string>>()
  const find = (text: string, viewer: string, at: string) => {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      const key = `${viewer}: ${word}`
      seen.set(key, (seen.get(key) ?? new Set()).add(at))
    }
  }
  const viewers: [string, Person | undefined][] = [
    ['guest', undefined],
    ['stranger', await person()],
    ['applicant', asking],
    ['refused', refused],
    ['collector', ben],
  ]
  let replies = 0
  const readAll = async (name: string, viewer: Person | undefined) => {
    for (const path of READS)
      for (const id of path.includes('{') ? ids : [0]) {
        const url = path.replace(/\{\w+\}/g, String(id))
        const { status, body } = viewer ? await as(viewer, 'GET', url) : await world.guest('GET', url)
        if (status < 300) replies += 1
        find(JSON.stringify(body), name, path)
      }
  }
  for (const [name, viewer] of viewers) await readAll(name, viewer)
  const pages = [
    ...PAGES,
    ...['feeds', 'news', 'questions', 'groups', 'topics', 'users'].map((kind) => `/sitemaps/${kind}-0.xml`),
    '/oembed?url=http%3A%2F%2Fkith.test%2Ffeeds%2F:id',
    `/search?q=${SEARCH}`,
  ]
  let shown = 0
  for (const path of pages)
    for (const id of path.includes(':') ? ids : [0])
      for (const cookie of ['', cookieOf(asking), cookieOf(ben)]) {
        const url = path.replace(/:\w+/g, String(id))
        const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html', cookie } })
        if (statusCode < 300) shown += 1
        find(body, 'page', path)
        if (
          path.startsWith('/sitemaps/feeds') &&
          new RegExp(`/feeds/(${before}|${hidden}|${gone})<`).test(body)
        )
          find('zxqsitemap', 'page', path)
      }
  assert.deepEqual(
    [...seen].map(([key, paths]) => `${key} at ${[...paths].slice(0, 6).join(' ')}`),
    [],
  )
  assert.ok(replies > 1_000 && shown > 200, `${replies} replies, ${shown} pages`)
  // The same reads show the words to people who may see them.
  await readAll('follower', friend)
  for (const word of ['zxqearlier', 'zxqfeed', 'zxqcomment', 'zxqstranger', 'zxqpost', 'zxqpostcomment']) {
    const paths = seen.get(`follower: ${word}`)
    assert.ok(
      paths !== undefined && paths.size > 1,
      `only ${paths?.size ?? 0} reads show ${word} to a follower`,
    )
  }
  t.diagnostic(`${replies} replies of ${READS.length} reads, and ${shown} pages`)
})

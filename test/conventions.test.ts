import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Content,
  type ContentKind,
  contentKinds,
  registerMount,
  requireMountedKinds,
} from '#contracts/content.ts'
import type { Context } from '#platform/context.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { givePoints } from '#test/fixtures/news.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { publish } = feedsOf(world)

/** Operations with a text as `message`. */
const TEXTS = [
  'DELETE /news/categories/{category}/news/{news}',
  'PATCH /feeds/{feed}/comment-paid',
  'PATCH /news/{news}/comments/{comment}/currency-pinneds/{pinned}',
  'PATCH /user/certification',
  'POST /around-amap',
  'POST /auth/logout',
  'POST /categories/{category}/groups',
  'POST /currencyRecharge/checkOrders',
  'POST /currencyRecharge/orders',
  'POST /feeds',
  'POST /feeds/{feed}/collections',
  'POST /feeds/{feed}/comments',
  'POST /feeds/{feed}/like',
  'POST /feeds/{feed}/new-rewards',
  'POST /group-posts/{post}/comments',
  'POST /groups/{group}',
  'POST /groups/{group}/posts',
  'POST /news/categories/{category}/currency-news',
  'POST /news/{news}/comments/{comment}/currency-pinneds',
  'POST /news/{news}/currency-pinneds',
  'POST /news/{news}/new-rewards',
  'POST /questions/{question}/answers',
  'POST /user/black/{user}',
  'POST /user/certification',
  'POST /user/{user}/new-rewards',
  'POST /walletRecharge/checkOrders',
  'POST /walletRecharge/orders',
  'PUT /groups/{group}/posts/{post}',
  'PUT /news/categories/{category}/news/{news}',
]

test('returns 404 for a path id that is not a positive integer below 2^53 (conventions-4)', async () => {
  const known = await publish(await person())
  const spellings = [
    `0${known}`,
    `%20${known}`,
    `${known}%20`,
    `+${known}`,
    `${known}.0`,
    `%EF%BC%90${known}`,
  ]
  for (const id of ['0', '-1', '1.5', 'x', '9007199254740992', '1e3', ...spellings])
    assert.equal((await guest('GET', `/feeds/${id}`)).status, 404, id)
  assert.equal((await guest('GET', `/feeds/${known}`)).status, 200)
})

test('returns 404 for a missing resource even when the body is invalid', async () => {
  const ada = await person()
  assert.equal((await as(ada, 'POST', '/feeds/999999999/comments', {})).status, 404)
  const id = await publish(ada)
  assert.equal((await as(ada, 'POST', `/feeds/${id}/comments`, {})).status, 422)
})

test('returns null for empty fields and [] for empty lists (conventions-5)', async () => {
  const id = await publish(await person())
  const { body } = await guest('GET', `/feeds/${id}`)
  for (const name of ['paid_node', 'repostable_type', 'repostable_id', 'video'])
    assert.equal(body[name], null, name)
  for (const name of ['topics', 'images', 'likes']) assert.deepEqual(body[name], [], name)
})

test('returns an acknowledgement as a list with one sentence, or as a text (conventions-6)', async () => {
  const reader = await person()
  const id = await publish(await person())
  const liked = await as(reader, 'POST', `/feeds/${id}/like`)
  assert.deepEqual([liked.status, liked.body.message], [201, 'Liked.'])
  const reported = await as(reader, 'POST', `/feeds/${id}/reports`)
  assert.deepEqual([reported.status, reported.body.message], [201, ['Reported.']])
})

test('replays a text to a repeated idempotency key (conventions-6, conventions-28)', async () => {
  const [author, reader] = [await person(), await person()]
  const id = await publish(author)
  await givePoints(world, reader, 10)
  const headers = { 'idempotency-key': 'one reward', 'accept-language': 'zh' }
  for (const replayed of [undefined, 'true']) {
    const made = await as(reader, 'POST', `/feeds/${id}/new-rewards`, { amount: 5 }, headers)
    assert.deepEqual([made.status, made.body.message], [201, '打赏成功。'])
    assert.equal(made.headers['idempotency-replayed'], replayed)
  }
})

test('declares a text for the operations of the rule and a list for others (conventions-6)', () => {
  const { paths, components } = world.app.swagger() as unknown as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
  type Schema = { $ref?: string; type?: string; properties?: Record<string, Schema> }
  type Operation = {
    deprecated?: boolean
    responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
  }
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref ? (components.schemas[$ref.split('/').at(-1) as string] as Schema) : schema
  const found = { string: new Set<string>(), array: new Set<string>() }
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { deprecated, responses }] of Object.entries(operations))
      for (const status of ['200', '201', '202']) {
        const schema = responses[status]?.content?.['application/json']?.schema
        const { message } = (schema && resolve(schema).properties) ?? {}
        const type = message && resolve(message).type
        if ((type === 'string' || type === 'array') && !deprecated)
          found[type].add(`${method.toUpperCase()} ${path.replace('/api/v2', '')}`)
      }
  assert.deepEqual([...found.string].sort(), TEXTS.toSorted())
  assert.ok(found.array.size > 40, `saw only ${found.array.size}`)
})

test('limits a list to 15 items by default (conventions-14)', async () => {
  const author = await person()
  for (let n = 0; n < 16; n += 1) await publish(author)
  const list = async (query: string) => guest('GET', `/feeds?type=users&user=${author.id}${query}`)
  assert.equal((await list('')).body.feeds.length, 15)
  assert.equal((await list('&limit=100')).body.feeds.length, 16)
  for (const limit of ['0', '101', 'x', '1.5'])
    assert.equal((await list(`&limit=${limit}`)).status, 422, limit)
  assert.equal((await guest('GET', '/bootstrappers')).body.limit, 15)
})

test('returns the first page when the page number is invalid (conventions-16)', async () => {
  const reader = await person()
  for (const page of ['NaN', '0', '-1', 'x', '']) {
    const { status, body } = await as(reader, 'GET', `/user/notifications?type=system&page=${page}`)
    assert.deepEqual([status, body.meta?.current_page], [200, 1], page)
  }
})

test('prefers the body to the query in a PATCH request (conventions-17)', async () => {
  const ann = await person()
  assert.equal((await as(ann, 'PATCH', '/user?bio=from+the+query')).status, 204)
  assert.equal((await as(ann, 'GET', '/user')).body.bio, 'from the query')
  assert.equal((await as(ann, 'PATCH', '/user?bio=from+the+query', { bio: 'from the body' })).status, 204)
  assert.equal((await as(ann, 'GET', '/user')).body.bio, 'from the body')
})

test('accepts the boolean and integer notations of older clients (conventions-18)', async () => {
  const [founder, creator] = [await person({ roles: ['founder'] }), await person()]
  const made = await as(creator, 'POST', '/feed/topics', { name: 'Written by an older client' })
  const setHot = async (hot: unknown) => {
    const { status, body } = await as(founder, 'PUT', `/admin/feed-topics/${made.body.id}/hot`, { hot })
    return `${hot} ${status} ${body === null ? '' : Object.keys(body.errors ?? {})}`
  }
  for (const hot of [true, 1, '1', 'true', false, 0, '0', 'false'])
    assert.equal(await setHot(hot), `${hot} 204 `)
  for (const hot of ['yes', 'TRUE', 2, null]) assert.equal(await setHot(hot), `${hot} 422 hot`)
  const { status } = await as(creator, 'POST', '/feeds', {
    feed_content: 'x',
    feed_from: '5',
    feed_mark: '77',
  })
  assert.equal(status, 201)
})

test('ignores unknown fields (conventions-31)', async () => {
  const { status } = await as(await person(), 'PATCH', '/user', { bio: 'x', shoe_size: 43 })
  assert.equal(status, 204)
})

test('omits the author from content of a closed account (conventions-25)', async () => {
  const author = await person()
  const id = await publish(author)
  const { comment } = (await as(author, 'POST', `/feeds/${id}/comments`, { body: 'Mine' })).body
  await sql`update users set deleted_at = now() where id = ${author.id}`
  const feed = await guest('GET', `/feeds/${id}`)
  assert.deepEqual([feed.status, feed.body.user], [200, null])
  const { comments } = (await guest('GET', `/feeds/${id}/comments`)).body
  assert.deepEqual([comments[0].id, comments[0].user], [comment.id, null])
})

test('names each kind of content by its fixed name in a comment (conventions-24)', async () => {
  const node = await createWorld()
  const seed = await seedForAccess(node)
  for (const [path, kind] of [
    ['/feeds/{feed}', 'feeds'],
    ['/news/{news}', 'news'],
    ['/music/{music}', 'musics'],
    ['/music/specials/{special}', 'music_specials'],
    ['/questions/{question}', 'questions'],
    ['/question-answers/{answer}', 'question-answers'],
    ['/group-posts/{post}', 'group-posts'],
  ]) {
    const at = seed.address(path!)
    const { body } = await node.as(seed.owner, 'GET', `${at}/comments`)
    const { commentable_type, commentable_id } = (body.comments ?? body)[0]
    assert.deepEqual([commentable_type, commentable_id], [kind, Number(at.split('/').at(-1))])
  }
})

test('names the kind of a report by its fixed name (conventions-24)', async () => {
  const node = await createWorld()
  const [seed, founder] = [await seedForAccess(node), await node.person({ roles: ['founder'] })]
  for (const [method, path, kind] of [
    ['POST', '/report/users/{users}', 'users'],
    ['PUT', '/user/report-feed-topics/{topic}', 'feed-topics'],
    ['POST', '/report/comments/{comment}', 'comments'],
  ] as const) {
    const at = seed.address(path)
    assert.ok(
      (await node.as(seed.stranger, method, at, { reason: 'Rude', message: 'Rude' })).status < 300,
      at,
    )
    const { body } = await node.as(founder, 'GET', '/admin/reports')
    const { reportable_type, reportable_id } = body.data[0]
    assert.deepEqual([reportable_type, reportable_id], [kind, Number(at.split('/').at(-1))])
  }
})

test('rejects duplicate kinds of content and mounts on unknown kinds', () => {
  const kind = (type: string, code: number) => ({ type, code, reader: {} }) as unknown as ContentKind
  assert.throws(() => contentKinds([kind('one', 990_001), kind('two', 990_001)]), /claim the code 990001/)
  assert.throws(() => contentKinds([kind('one', 990_001), kind('one', 990_002)]), /claim the type one/)
  const ctx = { state: new Map() } as unknown as Context
  registerMount(ctx, { type: 'poems' } as unknown as Content)
  assert.throws(() => requireMountedKinds(ctx, [kind('songs', 990_003)]), /mounted on poems/)
  assert.doesNotThrow(() => requireMountedKinds(ctx, [kind('poems', 990_003)]))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '#platform/http/forms.ts'
import { createDice } from '#test/fixtures/dice.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { givePoints } from '#test/fixtures/news.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createInputs } from '#test/fuzz/inputs.ts'
import { readOperations } from '#test/fuzz/operations.ts'
import { fresh, signUpsOn } from '#test/sign-up.ts'
import { createWorld, type Person } from '#test/world.ts'

const FORM = 'application/x-www-form-urlencoded'
const world = await createWorld()
const { app, as, person } = world
const { codeFor } = signUpsOn(world)

/** Encodes a JSON value as form fields in PHP's notation. */
function pairs(value: unknown, name: string): [string, string][] {
  if (value === null || value === undefined) return [[name, '']]
  if (Array.isArray(value))
    return value.length === 0
      ? [[`${name}[]`, '']]
      : value.flatMap((item, index) => pairs(item, `${name}[${index}]`))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => pairs(item, name === '' ? key : `${name}[${key}]`))
  return [[name, String(value)]]
}
/** Removes empty objects, which forms cannot express. */
function withoutEmptyObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyObjects).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutEmptyObjects(item)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
/** Forms send numbers as text, so the test compares the input of the form and of JSON as text. */
const asText = (body: unknown) =>
  JSON.parse(JSON.stringify(body), (_key, value) => (typeof value === 'number' ? String(value) : value))
const formOf = (body: unknown) => new URLSearchParams(pairs(body, '')).toString()

async function send(
  on: typeof app,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  payload: string | Buffer,
  { sender, headers = {} }: { sender?: Person | undefined; headers?: Record<string, string> } = {},
) {
  const answer = await on.inject({
    method,
    url: path.startsWith('/api') ? path : `/api/v2${path}`,
    payload,
    headers: {
      'content-type': FORM,
      ...(sender ? { authorization: `Bearer ${sender.token}` } : {}),
      ...headers,
    },
  })
  return {
    status: answer.statusCode,
    code: answer.headers['x-error-code'],
    headers: answer.headers,
    body: answer.body === '' ? null : answer.json(),
  }
}

/** Bodies for operations with patterns that random texts would not match. */
const PATTERNED: Record<string, object> = {
  '/api/v2/storage': {
    filename: 'a.png',
    hash: 'd41d8cd98f00b204e9800998ecf8427e',
    size: 5,
    mime_type: 'image/png',
    storage: { channel: 'public' },
  },
  '/api/v2/admin/app-versions': {
    type: 'android',
    version: '2.2.0',
    version_code: 220,
    description: 'Faster',
    link: 'https://example.com/app.apk',
  },
  '/api/v2/admin/settings': {
    'site:name': 'Harbour & Co',
    'site:accent': '#0b7468',
    'site:powered-by': false,
  },
  '/api/v2/admin/webhooks/{webhook}/replay': { since: '2026-01-02 03:04:05' },
}

test('parses a form and a query to the same input as JSON for every operation (conventions-17, conventions-41)', async (t) => {
  const echo = await createWorld(
    {},
    {
      prepare: (server) =>
        server.addHook('preHandler', (request, reply, done) => {
          if (request.headers['x-echo'] === undefined) return done()
          reply
            .code(418)
            .serializer(JSON.stringify)
            .send({ read: request.body, invalid: request.validationError })
        }),
    },
  )
  const founder = await echo.person({ roles: ['founder', 'owner'] })
  const { operations, named } = readOperations(echo.app)
  const withBody = operations.filter(({ body, isForm }) => body !== undefined && !isForm)
  assert.ok(withBody.length > 150, `saw only ${withBody.length}`)
  for (const { method, path, body } of withBody)
    await t.test(`parses ${method} ${path}`, async () => {
      let valid = 0
      for (let round = 0; round < 12; round += 1) {
        const inputs = createInputs(createDice(round + 1), named)
        const made = PATTERNED[path] ?? withoutEmptyObjects(inputs.body(body!, false)) ?? {}
        const address = `${path
          .replace('{name}', 'user')
          .replace('{backup}', 'kith-20260301T033000Z.backup')
          .replace(/\{\w+\}/g, '1')}`
        const options = { sender: founder, headers: { 'x-echo': '1' } }
        const headers = { ...options.headers, 'content-type': 'application/json' }
        const json = await send(echo.app, method as 'POST', address, JSON.stringify(made), {
          ...options,
          headers,
        })
        const form = await send(echo.app, method as 'POST', address, formOf(made), options)
        const query = await send(echo.app, method as 'POST', `${address}?${formOf(made)}`, '', options)
        if (json.status !== 418 || json.body.invalid) continue
        assert.deepEqual(asText(form.body), asText(json.body), formOf(made))
        assert.deepEqual(asText(query.body), asText(json.body), formOf(made))
        valid += 1
      }
      assert.ok(valid > 0, 'no valid body was made')
    })
})

test('registers and signs in a user with forms (conventions-41)', async () => {
  const { name, email } = fresh()
  const asked = await send(app, 'POST', '/verifycodes/register', formOf({ email }))
  assert.equal(asked.status, 202, JSON.stringify(asked.body))
  const verifiable_code = await codeFor(email, '/verifycodes/register')
  const made = await send(
    app,
    'POST',
    '/users',
    formOf({ name, email, verifiable_type: 'mail', verifiable_code, password: 'a+b c%&=密码' }),
  )
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const signIn = (password: string) => send(app, 'POST', '/auth/login', formOf({ login: name, password }))
  assert.equal(typeof (await signIn('a+b c%&=密码')).body.access_token, 'string')
  const refused = await signIn('another password')
  assert.deepEqual([refused.status, typeof refused.body.message], [422, 'string'])
})

test('publishes a feed with a list of pictures in a form (conventions-41)', async () => {
  const author = await person()
  const files = [await uploadPicture(world, author), await uploadPicture(world, author)]
  const fields = { feed_content: ' 你好 & hello ', feed_from: 3, feed_mark: 77, longitude: '' }
  const pictures = `images[0][id]=${files[0]}&images%5B1%5D%5Bid%5D=${files[1]}&images[1][amount]=5&images[1][type]=read`
  const made = await send(app, 'POST', '/feeds', `${formOf(fields)}&${pictures}`, { sender: author })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { body: feed } = await as(author, 'GET', `/feeds/${made.body.id}`)
  assert.equal(feed.feed_content, '你好 & hello')
  assert.deepEqual(
    feed.images.map(({ file, amount }: { file: number; amount?: number }) => [file, amount]),
    [
      [files[0], undefined],
      [files[1], 5],
    ],
  )
})

test('parses repeated fields and lists of objects as PHP does (conventions-41)', async () => {
  const cases: [string, unknown][] = [
    ['tags[][id]=1&tags[][id]=2', { tags: [{ id: '1' }, { id: '2' }] }],
    ['tags[5][id]=1&tags[][id]=2&tags[7]=x', { tags: [{ id: '1' }, { id: '2' }, 'x'] }],
    ['a[1]=x&a[0]=y', { a: ['x', 'y'] }],
    ['a[3]=x&a[2]=y&a[]=z', { a: ['x', 'y', 'z'] }],
    ['a[2]=x&a[b]=y&a[]=z', { a: { 2: 'x', 3: 'z', b: 'y' } }],
    ['a[b][c]=1&a[b][d]=2&a[e][]=3&a[e][]=4', { a: { b: { c: '1', d: '2' }, e: ['3', '4'] } }],
    ['a=1&a[]=2&b[]=1&b=2', { a: ['2'], b: '2' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a[]=&b=&c', { a: [], b: '', c: '' }],
    ['a[b=1&[c]=2&d]=3&=4&&', { 'a[b': '1', '[c]': '2', 'd]': '3' }],
    ['a%5B%5D=%2B+b%26&%E4%BD%A0=%E5%A5%BD', { a: ['+ b&'], 你: '好' }],
  ]
  for (const [text, expected] of cases)
    assert.deepEqual(JSON.parse(JSON.stringify(parseQuery(text))), expected, text)
})

test('takes the last of repeated values for a field that is no list (conventions-17)', async () => {
  const author = await person()
  const form = 'feed_content=a&feed_content=b&feed_from=3&feed_mark=55'
  const made = await send(app, 'POST', '/feeds', form, { sender: author })
  assert.equal((await as(author, 'GET', `/feeds/${made.body.id}`)).body.feed_content, 'b')
})

test('reads the body before the query of any method (conventions-17)', async () => {
  const author = await person()
  const feed = await feedsOf(world).publish(author)
  const path = `/feeds/${feed}/comments?body=from+the+query&reply_user=0`
  const [query, both] = [
    await as(author, 'POST', path),
    await as(author, 'POST', path, { body: 'from the body' }),
  ]
  assert.deepEqual(
    [query.status, query.body.comment.body, both.status, both.body.comment.body],
    [201, 'from the query', 201, 'from the body'],
  )
})

test('replays by the query like the body (conventions-17, conventions-28)', async () => {
  const [payer, author] = [await person(), await person()]
  await givePoints(world, payer, 100)
  const path = `/feeds/${await feedsOf(world).publish(author)}/new-rewards`
  const headers = { 'idempotency-key': 'one payment by query' }
  const first = await as(payer, 'POST', `${path}?amount=5`, undefined, headers)
  const again = await as(payer, 'POST', path, { amount: 5 }, headers)
  const other = await as(payer, 'POST', `${path}?amount=6`, undefined, headers)
  assert.deepEqual([first.status, again.status, other.status], [201, 201, 422])
  assert.equal((await as(payer, 'GET', '/user')).body.currency.sum, 95)
})

test('rejects a query with deep nesting, too many fields or bad encoding (conventions-41)', async () => {
  for (const query of [
    `a${'[b]'.repeat(5)}=1`,
    'a[]=1&'.repeat(101),
    'a[]=%zz',
    `a[]=1&${'b&'.repeat(1000)}`,
    `${'b&'.repeat(1000)}a=1`,
    'q=%ff',
    'q=%ED%A0%80',
    'q%E4=1',
  ])
    for (const path of ['/feeds', '/users'])
      assert.equal((await world.guest('GET', `${path}?${query}`)).status, 400, query.slice(0, 20))
})

test('reads a sign of percent without digits in a query as it stands (conventions-41)', async () => {
  const author = await person()
  const made = await as(author, 'POST', '/feeds?feed_content=100%&feed_from=1&feed_mark=91')
  assert.equal((await as(author, 'GET', `/feeds/${made.body.id}`)).body.feed_content, '100%')
})

test('stores nothing of a write with an unreadable query (conventions-41)', async () => {
  const author = await person()
  const fields = { feed_from: 1, feed_mark: 92 }
  for (const [query, body] of [
    ['feed_content=%ff', fields],
    [`${'b&'.repeat(1000)}a=1`, { ...fields, feed_content: 'x' }],
  ] as const) {
    const answer = await as(author, 'POST', `/feeds?${query}`, body)
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [400, 'bad_request'])
  }
  assert.deepEqual((await as(author, 'GET', `/feeds?type=users&user=${author.id}`)).body.feeds, [])
})

test('reads empty fields of a query as absent beside any body (conventions-17, conventions-41)', async () => {
  const author = await person()
  const body = { feed_content: 'x', feed_from: 1, feed_mark: 93 }
  const beside = await as(author, 'POST', '/feeds?images=&topics=', body)
  const inside = await as(author, 'POST', '/feeds?feed_from=2&a[]=1', { ...body, images: '', feed_mark: 94 })
  assert.deepEqual([beside.status, inside.status], [201, 422], JSON.stringify([beside.body, inside.body]))
})

test('reads an empty list as a body without fields, as PHP writes one (conventions-41)', async () => {
  const author = await person()
  const sent = await as(author, 'POST', '/feeds?feed_content=x&feed_from=1&feed_mark=95', [])
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  assert.equal((await as(author, 'POST', '/feeds?feed_content=x&feed_from=1&feed_mark=96', [1])).status, 422)
})

test('never stores the token of a query as a field (conventions-21)', async () => {
  const owner = await person()
  const device = { platform: 'android' }
  const byQuery = await world.guest('PUT', `/user/devices?token=${owner.token}`, device)
  assert.deepEqual([byQuery.status, Object.keys(byQuery.body?.errors ?? {})], [422, ['token']])
  assert.equal((await as(owner, 'PUT', '/user/devices?token=device-token-1', device)).status, 204)
  assert.equal((await as(owner, 'GET', '/user/devices')).body[0].token, 'device-token-1')
  const path = `/auth/refresh?token=${owner.token}`
  assert.equal((await world.guest('POST', path)).status, 200)
})

test('accepts an empty form as a missing body (conventions-41)', async () => {
  const [reader, author] = [await person(), await person()]
  const feed = await feedsOf(world).publish(author)
  const liked = await send(app, 'POST', `/feeds/${feed}/like`, '', { sender: reader })
  assert.equal(liked.status, 201)
  assert.equal((await send(app, 'DELETE', `/feeds/${feed}/unlike`, '', { sender: reader })).status, 204)
  const missing = await send(app, 'POST', `/feeds/${feed}/comments`, '', { sender: reader })
  assert.deepEqual([missing.status, Object.keys(missing.body.errors)], [422, ['body']])
})

test('names the invalid field of a form (conventions-41)', async () => {
  const author = await person()
  const image = await uploadPicture(world, author)
  for (const [form, field] of [
    ['feed_content=x&feed_from=three&feed_mark=1', 'feed_from'],
    ['feed_content=x&feed_from=null&feed_mark=1', 'feed_from'],
    [`feed_content=x&feed_from=3&feed_mark=1&images[0][id]=${image}&images[1][id]=x`, 'images.1.id'],
    ['feed_content=x&feed_from=3&feed_mark=1&images=5', 'images'],
    ['feed_content[]=x&feed_from=3&feed_mark=1', 'feed_content'],
  ] as const) {
    const answer = await send(app, 'POST', '/feeds', form, { sender: author })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors ?? {})], [422, [field]], form)
  }
})

test('replays a payment by form when a JSON request repeats its idempotency key (conventions-28, conventions-41)', async () => {
  const [payer, author] = [await person(), await person()]
  await givePoints(world, payer, 100)
  const feed = await feedsOf(world).publish(author)
  const path = `/feeds/${feed}/new-rewards`
  const headers = { 'idempotency-key': 'one payment' }
  const first = await send(app, 'POST', path, 'amount=5', { sender: payer, headers })
  const again = await as(payer, 'POST', path, { amount: 5 }, headers)
  const other = await send(app, 'POST', path, 'amount=6', { sender: payer, headers })
  assert.deepEqual([first.status, again.status, other.status], [201, 201, 422])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal((await as(payer, 'GET', '/user')).body.currency.sum, 95)
})

test('rejects forms with invalid encoding (conventions-41)', async () => {
  const author = await person()
  for (const payload of [
    'feed_content=100%',
    'feed_content=%zz',
    'feed_content=%E4%BD',
    'feed%=x',
    Buffer.from('feed_content=\xc4\xe3', 'latin1'),
  ]) {
    const answer = await send(app, 'POST', '/feeds', payload, { sender: author })
    assert.deepEqual([answer.status, answer.code], [400, 'bad_request'], String(payload))
  }
})

test('rejects forms with deep nesting or too many fields (conventions-41)', async () => {
  const author = await person()
  for (const form of [
    `a${'[b]'.repeat(5)}=1`,
    `a${'[0]'.repeat(20_000)}=1`,
    'a[]=1&'.repeat(3000),
    Array.from({ length: 5000 }, (_, index) => `a${index}=1`).join('&'),
    'a[]=1&'.repeat(101),
    Array.from({ length: 101 }, (_, index) => `a[${index}]=1`).join('&'),
  ]) {
    const answer = await send(app, 'POST', '/feeds', form, { sender: author })
    assert.deepEqual([answer.status, answer.code], [400, 'bad_request'], form.slice(0, 40))
  }
  const large = await send(app, 'POST', '/feeds', `feed_content=${'x'.repeat(1024 * 1024)}`, {
    sender: author,
  })
  assert.deepEqual([large.status, large.code], [413, 'body_too_large'])
})

test('drops prototype properties from forms (conventions-41)', async () => {
  const author = await person()
  const hostile = [
    '__proto__[feed_content]=x',
    '__proto__=x',
    'constructor[prototype][feed_content]=x',
    'images[__proto__][id]=1',
    'toString=x',
    'hasOwnProperty=x',
  ].join('&')
  const refused = await send(app, 'POST', '/feeds', `${hostile}&feed_from=3`, { sender: author })
  assert.equal(refused.status, 422)
  const form = `${hostile}&feed_content=x&feed_from=3&feed_mark=9`
  const made = await send(app, 'POST', '/feeds', form, { sender: author })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal(({} as { feed_content?: string }).feed_content, undefined)
})

test('accepts the text `true` as a boolean in JSON and forms (conventions-18)', async () => {
  const asker = await person()
  const question = { subject: 'Why is that?', body: 'x', anonymity: 'true' }
  const topics = 'topics[0][id]=1'
  const json = await as(asker, 'POST', '/questions', { ...question, topics: [{ id: 1 }] })
  assert.ok(!('anonymity' in (json.body.errors ?? {})), JSON.stringify(json.body))
  const form = await send(app, 'POST', '/questions', `${formOf(question)}&${topics}`, { sender: asker })
  assert.ok(!('anonymity' in (form.body.errors ?? {})), JSON.stringify(form.body))
})

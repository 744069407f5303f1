import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { buildApp } from '#app'
import { createMetrics } from '#platform/observability'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { app, as, guest, person } = world

test('returns 404 with rate limit and request id headers for an unknown path (conventions-7)', async () => {
  const answer = await guest('GET', '/nothing/here')
  assert.equal(answer.status, 404)
  assert.equal(typeof answer.body.message, 'string')
  assert.equal(answer.headers['x-error-code'], 'no_such_path')
  assert.ok(answer.headers['x-ratelimit-limit'])
  assert.ok(answer.headers['x-ratelimit-remaining'])
  assert.ok(answer.headers['x-request-id'])
  assert.equal(answer.headers['content-encoding'], undefined)
})

test('returns 405 with an Allow header for a wrong method on a known path (conventions-2)', async () => {
  const answer = await guest('POST', '/user/abilities', {})
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.allow, 'GET, HEAD')
})

test('returns a translated 401 to a guest on a route for users (conventions-8)', async () => {
  const answer = await guest('GET', '/user/abilities', undefined, { 'accept-language': 'zh-CN,en;q=0.5' })
  assert.equal(answer.status, 401)
  assert.match(answer.body.message, /[\u4e00-\u9fff]/)
})

test('accepts a token in the header or the query (conventions-21)', async () => {
  const ada = await person()
  const answer = await as(ada, 'GET', '/user/abilities')
  assert.deepEqual(
    answer.body.map((ability: { name: string }) => ability.name),
    ['feed-post'],
  )
  assert.equal((await guest('GET', `/user/abilities?token=${ada.token}`)).status, 200)
  assert.equal((await as(ada, 'HEAD', '/user/abilities')).status, 200)
})

test('returns 400 for malformed JSON and 415 for XML', async () => {
  const send = (payload: string, type: string) =>
    app.inject({ method: 'POST', url: '/api/v2/nothing', payload, headers: { 'content-type': type } })
  const malformed = await send('{"a":', 'application/json')
  assert.equal(malformed.statusCode, 400)
  assert.equal(typeof malformed.json().message, 'string')
  const other = await app.inject({
    method: 'POST',
    url: '/api/v2/auth/login',
    payload: '<a/>',
    headers: { 'content-type': 'application/xml' },
  })
  assert.deepEqual([other.statusCode, other.headers['x-error-code']], [415, 'unsupported_media_type'])
})

test('rejects a body that is not UTF-8 (conventions-41)', async () => {
  const ada = await person()
  const send = (bio: Buffer) =>
    app.inject({
      method: 'PATCH',
      url: '/api/v2/user',
      payload: Buffer.concat([Buffer.from('{"bio":"'), bio, Buffer.from('"}')]),
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    })
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc4, 0xe3]]) {
    const refused = await send(Buffer.from(bytes))
    assert.deepEqual([refused.statusCode, refused.headers['x-error-code']], [400, 'bad_request'])
  }
  assert.equal((await send(Buffer.from('你好, \ufffd 🙂'))).statusCode, 204)
  assert.equal((await as(ada, 'GET', '/user')).body.bio, '你好, \ufffd 🙂')
})

test('ignores an empty body of any content type (conventions-41)', async () => {
  const [ada, ben] = [await person(), await person()]
  for (const type of ['application/json', 'text/plain', 'application/xml', 'multipart/form-data', 'nonsense'])
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await app.inject({
        method,
        url: `/api/v2/user/followings/${ben.id}`,
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': type, 'content-length': '0' },
      })
      assert.equal(answer.statusCode, 204, `${type} ${answer.body}`)
    }
})

test('rejects an upload that is not a multipart form (conventions-41)', async () => {
  const ada = await person()
  for (const path of ['/files', '/user/bg']) {
    const answer = await app.inject({
      method: 'POST',
      url: `/api/v2${path}`,
      payload: 'bytes',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'image/png' },
    })
    assert.deepEqual([answer.statusCode, answer.headers['x-error-code']], [415, 'unsupported_media_type'])
    assert.match(answer.json().message, /multipart\/form-data/)
  }
})

test('returns an Allow header for an OPTIONS request (conventions-2)', async () => {
  const answer = await guest('OPTIONS', '/user/abilities')
  assert.equal(answer.headers.allow, 'GET, HEAD')
  assert.equal((await guest('OPTIONS', '/nothing/here')).headers.allow, undefined)
})

test('names the list in the error when one of its items is invalid (conventions-7)', async () => {
  const ada = await person()
  const { status, body } = await as(ada, 'POST', '/im/group', { groupname: 'G', desc: '', members: '1,x' })
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['members']])
  assert.match(body.errors.members[0], /^The members field /)
})

test('returns 422 when the page number is too large (conventions-16)', async () => {
  const ada = await person()
  const read = (page: string) => as(ada, 'GET', `/user/notifications?type=like&page=${page}`)
  const { status, body } = await read('1000001')
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['page']])
  for (const [page, shown] of [
    ['1000000', 1_000_000],
    ['NaN', 1],
    ['0', 1],
    ['1.5', 1],
  ] as const)
    assert.equal((await read(page)).body.meta.current_page, shown, page)
})

test('rejects a route without declared access', async () => {
  const other = await buildApp({ ...world.ctx, metrics: createMetrics(), onClose: [] })
  assert.throws(() => other.get('/api/v2/forgotten', async () => 'open'), /does not declare who may call it/)
  await other.close()
})

test('sends neither `ETag` nor `Vary: Authorization` in response to a health check', async () => {
  const health = await app.inject('/health/live')
  assert.equal(health.statusCode, 200)
  assert.equal(health.headers.etag, undefined)
  assert.doesNotMatch(String(health.headers.vary), /Authorization/)
})

test('returns 400 for a URL that cannot be decoded', async () => {
  const answer = await guest('GET', '/feeds/%E0%A4%A')
  assert.equal(answer.status, 400)
  assert.equal(typeof answer.body.message, 'string')
  assert.ok(answer.headers['x-ratelimit-limit'])
})

test('describes shared objects once in the API description', async () => {
  const { body } = await guest('GET', '/openapi.json')
  const text = JSON.stringify(body)
  const names = [...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name!)
  for (const name of new Set(names)) {
    const [kind = '', title = ''] = name.split('/')
    assert.ok(body.components[kind][title], name)
  }
  for (const title of ['User', 'Feed', 'Comment', 'Attachment', 'Topic', 'Error'])
    assert.ok(names.includes(`schemas/${title}`), title)
  const { avatar, extra } = body.components.schemas.User.properties
  assert.deepEqual(extra, { $ref: '#/components/schemas/UserExtra' })
  assert.deepEqual(avatar, { anyOf: [{ $ref: '#/components/schemas/Attachment' }, { type: 'null' }] })
  assert.equal(text.match(/"title":"User"/g)?.length, 1)
})

test('counts no preflight request against the rate limit (conventions-12)', async () => {
  const headers = { origin: 'https://client.example', 'access-control-request-method': 'POST' }
  const answer = await app.inject({ method: 'OPTIONS', url: '/api/v2/feeds', headers })
  assert.equal(answer.statusCode, 204)
  assert.equal(answer.headers['x-ratelimit-limit'], undefined)
  assert.ok(answer.headers['x-request-id'])
  const health = await app.inject({ method: 'GET', url: '/health/live' })
  assert.deepEqual([health.statusCode, health.headers['x-ratelimit-limit']], [200, undefined])
})

test('treats invisible text as missing (conventions-20)', async () => {
  const ada = await person()
  const id = await feedsOf(world).publish(ada)
  const topic = (await as(ada, 'POST', '/feed/topics', { name: 'Seen' })).body.id
  const invisible = [
    '\u200b',
    '\ufeff \u200d',
    '\u3164',
    '\u115f\u1160\uffa0',
    '\ufe0f',
    '\u{e0100}',
    '\u2066\u202e',
  ]
  invisible.push('\u00ad', '\u180e', '\u2800', '\u0001', '\u3000\u2003', '\u{1d173}', '\u{e0041}')
  for (const text of invisible) {
    const escaped = JSON.stringify([...text].map((point) => point.codePointAt(0)?.toString(16)))
    for (const [field, path, body] of [
      ['body', `/feeds/${id}/comments`, { body: text }],
      ['feed_content', '/feeds', { feed_from: 1, feed_mark: 9002, feed_content: text }],
      ['name', '/feed/topics', { name: text }],
    ] as const) {
      const { status, body: told } = await as(ada, 'POST', path, body)
      assert.equal(status, 422, `${path} ${escaped}`)
      assert.ok(told.errors[field], `${path} ${escaped}`)
    }
    const report = await as(ada, 'PUT', `/user/report-feed-topics/${topic}`, { message: text })
    assert.equal(report.status, 422)
    assert.equal((await as(ada, 'PATCH', '/user', { bio: text })).status, 204)
    assert.equal((await as(ada, 'GET', '/user')).body.bio, null)
    assert.equal((await guest('GET', `/feed/topics?q=${encodeURIComponent(text)}`)).body.length, 1)
  }
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
  assert.equal((await as(ada, 'POST', `/feeds/${id}/comments`, { body: family })).body.comment.body, family)
})

test('returns 404 for an overlong path segment', async () => {
  const ada = await person()
  for (const part of ['x', '9', '%E4%B8%AD'].map((piece) => piece.repeat(1700))) {
    for (const path of [`/feeds/${part}`, `/users/${part}`, `/feed/topics/${part}/feeds`]) {
      const answer = await guest('GET', path)
      assert.equal(answer.status, 404, path.slice(0, 40))
      assert.deepEqual(Object.keys(answer.body), ['message'])
      assert.ok(answer.headers['x-error-code'] && answer.headers['x-ratelimit-remaining'])
    }
    assert.equal((await guest('PUT', `/user/feed-topics/${part}`)).status, 401)
    assert.equal((await as(ada, 'PUT', `/user/feed-topics/${part}`)).status, 404)
    assert.equal((await guest('PUT', `/feeds/${part}`)).status, 405)
    const file = await app.inject({ method: 'GET', url: `/storage/public:${part}` })
    assert.equal(file.statusCode, 404)
  }
})

const port = async () => {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

async function sendRaw(text: string): Promise<string> {
  const socket = connect(await port(), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

test('ignores an unknown expectation (conventions-1)', async () => {
  const head = 'Host: x\r\nExpect: 200-ok\r\nConnection: close'
  const answer = await sendRaw(`GET /api/v2/bootstrappers HTTP/1.1\r\n${head}\r\n\r\n`)
  assert.match(answer, /^HTTP\/1.1 200 /)
  assert.match(answer, /^x-request-id: ./im)
})

test('returns errors in the documented shape for malformed HTTP', async () => {
  const garbage = await sendRaw('GARBAGE\r\n\r\n')
  assert.match(garbage, /^HTTP\/1.1 400 /)
  const large = await sendRaw(
    `GET /api/v2/feeds HTTP/1.1\r\nHost: x\r\nX-Much: ${'a'.repeat(70_000)}\r\n\r\n`,
  )
  assert.match(large, /^HTTP\/1.1 431 /)
  const foreign = await sendRaw('GET /api/v2/feed/topics?q=中文 HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(foreign, /^HTTP\/1.1 400 /)
  for (const answer of [garbage, large, foreign]) {
    for (const name of ['X-Request-Id', 'X-Error-Code']) assert.match(answer, new RegExp(`^${name}: .`, 'm'))
    assert.deepEqual(Object.keys(JSON.parse(answer.split('\r\n\r\n')[1]!)), ['message'])
  }
})

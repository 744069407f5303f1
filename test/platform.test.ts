import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { app, as, guest, person } = await createWorld()

test('an unknown path is 404 in the specified shape, with rate and request headers', async () => {
  const answer = await guest('GET', '/nothing/here')
  assert.equal(answer.status, 404)
  assert.equal(typeof answer.body.message, 'string')
  assert.equal(answer.headers['x-error-code'], 'no_such_path')
  assert.ok(answer.headers['x-ratelimit-limit'])
  assert.ok(answer.headers['x-ratelimit-remaining'])
  assert.ok(answer.headers['x-request-id'])
})

test('a known path with another verb is 405 with Allow', async () => {
  const answer = await guest('POST', '/user/abilities', {})
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.allow, 'GET, HEAD')
})

test('a route for users answers a guest 401, and Chinese when asked for', async () => {
  const answer = await guest('GET', '/user/abilities', undefined, { 'accept-language': 'zh-CN,en;q=0.5' })
  assert.equal(answer.status, 401)
  assert.match(answer.body.message, /[\u4e00-\u9fff]/)
})

test('a token in the header or the query opens the route, HEAD included', async () => {
  const ada = await person()
  const answer = await as(ada, 'GET', '/user/abilities')
  assert.deepEqual(
    answer.body.map((ability: { name: string }) => ability.name),
    ['feed-post'],
  )
  assert.equal((await guest('GET', `/user/abilities?token=${ada.token}`)).status, 200)
  assert.equal((await as(ada, 'HEAD', '/user/abilities')).status, 200)
})

test('malformed JSON is 400 in the specified shape', async () => {
  const send = (payload: string, type: string) =>
    app.inject({ method: 'POST', url: '/api/v2/nothing', payload, headers: { 'content-type': type } })
  const malformed = await send('{"a":', 'application/json')
  assert.equal(malformed.statusCode, 400)
  assert.equal(typeof malformed.json().message, 'string')
})

test('a URL that cannot be decoded is 400 with all headers', async () => {
  const answer = await guest('GET', '/feeds/%E0%A4%A')
  assert.ok([400, 404].includes(answer.status))
  assert.equal(typeof answer.body.message, 'string')
  assert.ok(answer.headers['x-ratelimit-limit'])
})

test('a preflight carries the rate and request headers', async () => {
  const headers = { origin: 'https://client.example', 'access-control-request-method': 'POST' }
  const answer = await app.inject({ method: 'OPTIONS', url: '/api/v2/feeds', headers })
  assert.equal(answer.statusCode, 204)
  assert.ok(answer.headers['x-ratelimit-limit'])
  assert.ok(answer.headers['x-ratelimit-remaining'])
  assert.ok(answer.headers['x-request-id'])
})

test('what is not HTTP, and headers that are too large, are refused like everything else', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const send = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.end(text)
    await once(socket, 'close')
    return answer
  }
  const garbage = await send('GARBAGE\r\n\r\n')
  assert.match(garbage, /^HTTP\/1.1 400 /)
  const large = await send(`GET /api/v2/feeds HTTP/1.1\r\nHost: x\r\nX-Much: ${'a'.repeat(70_000)}\r\n\r\n`)
  assert.match(large, /^HTTP\/1.1 431 /)
  for (const answer of [garbage, large]) {
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-Request-Id', 'X-Error-Code'])
      assert.match(answer, new RegExp(`^${name}: .`, 'm'))
    assert.deepEqual(Object.keys(JSON.parse(answer.split('\r\n\r\n')[1]!)), ['message'])
  }
})

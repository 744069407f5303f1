import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { addressKey } from '#platform/http'
import { placeNetwork, viewerOf } from '#platform/http/admission.ts'
import { isPublicAddress, postOutbound } from '#platform/outbound.ts'
import { createWorld } from '#test/world.ts'

test('counts an IPv6 /64 network as one client address (conventions-12)', () => {
  assert.equal(addressKey('203.0.113.9'), '203.0.113.9')
  assert.equal(addressKey('::ffff:203.0.113.9'), '203.0.113.9')
  assert.equal(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:2:ffff:eeee:dddd:cccc'))
  assert.notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'))
  assert.equal(addressKey('nonsense:'), 'nonsense:')
})

test('assigns no network to an invalid client address', () => {
  for (const address of ['unknown', '', '203.0.113.9:80']) assert.equal(placeNetwork(address), '', address)
  assert.equal(placeNetwork('203.0.113.9'), '203.0.113.0/24')
  assert.equal(placeNetwork('2001:db8:1:2::1'), '2001:db8:1::/48')
})

test('treats private addresses in any IPv6 notation and invalid addresses as not public', () => {
  for (const address of [
    '::127.0.0.1',
    '::10.0.0.1',
    '::203.0.113.9',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    'no address',
  ])
    assert.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])
    assert.equal(isPublicAddress(address), true, address)
})

async function openEndlessService() {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5000)}`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const post = (host: string, allowPrivate: boolean) =>
    postOutbound(`http://${host}:${port}/`, { headers: {}, body: '{}', timeoutMs: 5000, allowPrivate })
  return { post, close: () => server.close() }
}

test('rejects outbound requests to private addresses', async () => {
  const { post, close } = await openEndlessService()
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]']) await assert.rejects(post(host, false), /refused/)
  close()
})

test('reads only the start of an endless response to an outbound request', async () => {
  const { post, close } = await openEndlessService()
  assert.deepEqual(await post('127.0.0.1', true), { status: 200, text: 'x'.repeat(2048) })
  close()
})

test('shares the rate limit between guests of one /64 network (conventions-12)', async () => {
  const { app } = await createWorld({ RATE_LIMIT_ANONYMOUS: '3', TRUST_PROXY: '127.0.0.1' })
  const ask = (address: string) =>
    app.inject({ url: '/api/v2/bootstrappers', headers: { 'x-forwarded-for': address } })
  const statuses: number[] = []
  for (let n = 1; n <= 4; n += 1) statuses.push((await ask(`2001:db8:5:6::${n}`)).statusCode)
  assert.deepEqual(statuses, [200, 200, 200, 429])
  assert.equal((await ask('2001:db8:5:7::1')).statusCode, 200)
})

test('counts a client as one address when the proxy adds the port of each connection (conventions-12)', async () => {
  const { app } = await createWorld({ RATE_LIMIT_ANONYMOUS: '3', TRUST_PROXY: '127.0.0.1,198.51.100.1' })
  const statusOf = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await app.inject({ url: '/api/v2/bootstrappers', headers })).statusCode
  }
  for (const forms of [
    ['203.0.113.2:40001', '203.0.113.2:40002', '203.0.113.2', '203.0.113.2:1'],
    ['[2001:db8:9:9::1]:40001', '[2001:db8:9:9::1]', '2001:db8:9:9::1', '[2001:DB8:9:9::1]:2'],
    ['203.0.113.3:1, 198.51.100.1:9', '203.0.113.3, 198.51.100.1', '203.0.113.3:2', '203.0.113.3'],
  ]) {
    const statuses: number[] = []
    for (const form of forms) statuses.push(await statusOf(form))
    assert.deepEqual(statuses, [200, 200, 200, 429])
  }
  const undecodable = (port: number) =>
    app.inject({ url: '/api/v2/%zz', headers: { 'x-forwarded-for': `203.0.113.9:${port}` } })
  const left: unknown[] = []
  for (let port = 1; port <= 3; port += 1)
    left.push((await undecodable(port)).headers['x-ratelimit-remaining'])
  assert.deepEqual(left.map(Number), [2, 1, 0])
})

test('limits requests with unknown tokens before looking up the token (conventions-12)', async () => {
  const texts: string[] = []
  const { as, guest, person } = await createWorld(
    { RATE_LIMIT_ANONYMOUS: '5' },
    { onQuery: ({ text }) => void texts.push(text) },
  )
  const ann = await person()
  assert.equal((await as(ann, 'GET', '/user')).status, 200)
  const guess = () =>
    guest('GET', '/user', undefined, { authorization: `Bearer ${randomBytes(32).toString('base64url')}` })
  const statuses: number[] = []
  for (let n = 0; n < 12; n += 1) statuses.push((await guess()).status)
  assert.equal(statuses[0], 401)
  assert.equal(statuses.at(-1), 429)
  const lookups = texts.filter((text) => /from tokens/.test(text)).length
  assert.ok(lookups <= 8, `${lookups} look-ups`)
  const refused = await guess()
  assert.ok(refused.headers['retry-after'] && refused.headers['x-ratelimit-limit'])
  assert.equal((await as(ann, 'GET', '/user')).status, 200)
})

test('returns 401 to a guest when a handler with optional authentication requires a user', async () => {
  const { as, guest, person } = await createWorld(
    {},
    {
      routes(server) {
        const access = { config: { access: 'optional' as const } }
        server.get('/mine', access, async (request) => void viewerOf(request))
      },
    },
  )
  const ann = await person()
  assert.equal((await as(ann, 'GET', '/test/mine')).status, 200)
  assert.equal((await guest('GET', '/test/mine')).status, 401)
})

test('forbids caches to store responses to signed-in users (conventions-35)', async () => {
  const { as, guest, person } = await createWorld()
  const ann = await person()
  assert.equal((await as(ann, 'GET', '/user')).headers['cache-control'], 'no-store')
  assert.equal((await as(ann, 'GET', '/feeds')).headers['cache-control'], 'no-store')
  const signIn = await guest('POST', '/auth/login', { login: 'nobody', password: 'wrong password' })
  assert.equal(signIn.headers['cache-control'], 'no-store')
})

test('returns 400 for a form with an invalid boundary', async () => {
  const { app, person } = await createWorld()
  const ann = await person()
  for (const boundary of ['x'.repeat(253), 'x'.repeat(5000), '']) {
    const reply = await app.inject({
      method: 'POST',
      url: '/api/v2/files',
      headers: {
        authorization: `Bearer ${ann.token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      payload: 'nothing',
    })
    assert.deepEqual([reply.statusCode, reply.headers['x-error-code']], [400, 'bad_request'])
  }
})

async function listenForBodies() {
  const { app, person } = await createWorld({ REQUEST_IDLE_MS: '3000' })
  const ann = await person()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return (length: number) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /api/v2/feeds HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"a":`,
    )
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    return { socket, text: () => text }
  }
}

test('returns 408 for a body that stops arriving', async () => {
  const begin = await listenForBodies()
  const stalled = begin(500)
  await once(stalled.socket, 'close')
  assert.match(stalled.text(), /^HTTP\/1\.1 408 /)
})

test('waits for a body that arrives slowly', async () => {
  const begin = await listenForBodies()
  const slow = begin(5 + 40)
  for (let n = 0; n < 8; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    slow.socket.write('     ')
  }
  await once(slow.socket, 'data')
  assert.match(slow.text(), /^HTTP\/1\.1 400 /)
  slow.socket.destroy()
})

test('allows a response to take longer than the timeout of a stalled body', async () => {
  const { app, person, sql } = await createWorld({ REQUEST_IDLE_MS: '3000' })
  const { token } = await person()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const held = await sql.reserve()
  await held`begin`
  await held`lock table feeds`
  const body = JSON.stringify({ feed_content: 'late', feed_from: 1, feed_mark: Date.now() * 1000 })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /api/v2/feeds HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
  )
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  socket.write(body)
  await new Promise((resolve) => setTimeout(resolve, 4500))
  await held`rollback`
  held.release()
  if (!socket.closed) await once(socket, 'close')
  assert.match(text, /^HTTP\/1\.1 201 /)
})

test('replays a payment when its request path is spelled differently (conventions-28)', async () => {
  const { as, person } = await createWorld()
  const [ann, bob] = [await person(), await person()]
  const root = await person({ roles: ['founder'] })
  assert.equal(
    (await as(root, 'POST', `/admin/users/${ann.id}/wallet`, { amount: 100, reason: 'x' })).status,
    201,
  )
  const pay = (path: string) =>
    as(ann, 'POST', path, { user: bob.id, amount: 10 }, { 'idempotency-key': 'one' })
  const answers = [
    await pay('/plus-pay/transfer'),
    await pay('/plus-pay/transfer/'),
    await pay('/plus-pay/%74ransfer'),
  ]
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['idempotency-replayed'] ?? null]),
    [
      [answers[0]?.status, null],
      [answers[0]?.status, 'true'],
      [answers[0]?.status, 'true'],
    ],
  )
  assert.equal(answers[0]?.status, 201)
})

test('decides on access by the route, not by the spelling of its path (conventions-9)', async () => {
  const { app, as, guest, person } = await createWorld({ RATE_LIMIT_ANONYMOUS: '100000' })
  const closed = app.routeTable.filter(
    ({ url, method, config }) =>
      url.startsWith('/api/v2/') &&
      !['HEAD', 'OPTIONS'].includes(String(method)) &&
      !['public', 'optional'].includes(String(config?.access)),
  )
  assert.ok(closed.length > 500, `saw only ${closed.length}`)
  const open: string[] = []
  for (const { method, url } of closed) {
    const path = url.replace(/:\w+/g, '1').replace('*', '1')
    for (const spelling of [path.replace('api', '%61pi'), path.replace('v2', '%762')]) {
      const { statusCode } = await app.inject({ method: method as 'GET', url: spelling })
      if (statusCode !== 401) open.push(`${method} ${spelling}: ${statusCode}`)
    }
  }
  assert.deepEqual(open, [])
  const stranger = await person()
  const asStranger = { authorization: `Bearer ${stranger.token}` }
  const statusOf = async (url: string, headers: Record<string, string>) =>
    (await app.inject({ method: 'GET', url, headers })).statusCode
  assert.equal(await statusOf('/%61pi/v2/admin/users', asStranger), 403)
  assert.equal((await as(stranger, 'GET', '/user')).status, 200)
  assert.equal(await statusOf('/%61pi/v2/user', asStranger), 200)
  const { headers } = await app.inject({ method: 'GET', url: '/%61pi/v2/feeds' })
  assert.equal(headers['x-ratelimit-limit'], (await guest('GET', '/feeds')).headers['x-ratelimit-limit'])
})

test('runs no handler of a closed route without a viewer, even if admission has let the request in', async () => {
  const { app, person } = await createWorld(
    {},
    {
      prepare: (server) =>
        server.addHook('preHandler', (request, _reply, done) => {
          if (request.headers['x-forget'] !== undefined) request.viewer = null
          done()
        }),
    },
  )
  const { token } = await person({ roles: ['founder'] })
  const statusOf = async (url: string, more: Record<string, string> = {}) =>
    (await app.inject({ url, headers: { authorization: `Bearer ${token}`, ...more } })).statusCode
  for (const url of ['/api/v2/admin/users', '/api/v2/user']) {
    assert.equal(await statusOf(url), 200)
    assert.equal(await statusOf(url, { 'x-forget': '1' }), 401, url)
  }
  assert.equal(await statusOf('/api/v2/feeds', { 'x-forget': '1' }), 200)
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { flatPicture } from '#test/fixtures/media.ts'
import { createWorld } from '#test/world.ts'

type Sent = { method?: string; path: string; headers: string[]; body: string }

async function listening(settings: Record<string, string>) {
  const world = await createWorld({ TRUST_PROXY: '127.0.0.1', ...settings })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  const sockets: ReturnType<typeof connect>[] = []
  const begin = (address: string, { method = 'POST', path, headers, body }: Sent) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', () => {})
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', `X-Forwarded-For: ${address}`, ...headers]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    const answer = async () => {
      if (text === '') await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return text
    }
    return { socket, answer, text: () => text }
  }
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { ...world, begin, close }
}

const feed = (token: string, type: string, length: number, body: string): Sent => ({
  path: '/api/v2/feeds',
  headers: [`Authorization: Bearer ${token}`, `Content-Type: ${type}`, `Content-Length: ${length}`],
  body,
})

test("rejects a provider's callback to an unknown URL before the body arrives", async () => {
  const { begin, close } = await listening({ SMS_ALIYUN_KEY_ID: 'x', SMS_ALIYUN_KEY_SECRET: 'x' })
  for (const path of ['/payments/nobody/notices', '/text-messages/aliyun/receipts/guessed']) {
    const { answer } = begin('203.0.113.2', {
      path,
      headers: ['Content-Type: application/json', 'Content-Length: 200000'],
      body: '{',
    })
    assert.match(await answer(), /^HTTP\/1\.1 404 /, path)
  }
  close()
})

test('rejects an unsigned upload to /storage before its body arrives (files-7)', async () => {
  const { begin, close, as, person, ctx } = await listening({})
  const ann = await person()
  const png = await flatPicture(30, 20).png().toBuffer()
  const { body: task } = await as(ann, 'POST', '/storage', {
    filename: 'a.png',
    hash: createHash('md5').update(png).digest('hex'),
    size: png.length,
    mime_type: 'image/png',
    storage: { channel: 'public' },
  })
  const { pathname, search } = new URL(task.uri)
  const put = (path: string, length: number) =>
    begin('203.0.113.1', {
      method: 'PUT',
      path,
      headers: ['Content-Type: image/png', `Content-Length: ${length}`],
      body: 'x',
    })
  const expires = String(Date.now() - 1)
  const signature = ctx.secrets.sign(`upload\n${task.node}\n${expires}`)
  for (const [path, status] of [
    ['/storage/nothing', 403],
    [pathname, 403],
    [`${pathname}?expires=${Date.now() + 1000}&signature=x`, 403],
    [`${pathname}?${new URLSearchParams({ expires, signature })}`, 403],
    [`/storage/${'a'.repeat(600)}`, 404],
  ] as const) {
    assert.match(await put(path, 2_000_000).answer(), new RegExp(`^HTTP/1.1 ${status} `), path)
  }
  assert.match(await put(pathname + search, png.length + 1).answer(), /^HTTP\/1.1 422 [\s\S]*size_mismatch/i)
  const open = put(pathname + search, png.length)
  assert.match(await put('/storage/nothing', 9).answer(), /^HTTP\/1.1 403 /)
  assert.equal(open.text(), '')
  close()
})

test('returns 429 when a client address has too many unfinished bodies', async () => {
  const { begin, close, person } = await listening({ UNFINISHED_BODIES: '24' })
  const ann = await person()
  const open = () => begin('203.0.113.1', feed(ann.token, 'application/json', 100, '{'))
  const multipart = begin('203.0.113.2', {
    ...feed(ann.token, 'multipart/form-data; boundary=x', 500, '--x\r\n'),
    path: '/api/v2/files',
  })
  // A rejected body counts towards the limit until its bytes arrive or the connection closes.
  const unread = begin('203.0.113.1', feed(ann.token, 'multipart/form-data; boundary=x', 100, '--x'))
  assert.match(await unread.answer(), /^HTTP\/1.1 415 /)
  const bodies = [open(), open(), open()]
  const refused = await Promise.race(bodies.map((each) => each.answer()))
  assert.match(refused, /^HTTP\/1.1 429 [\s\S]*retry-after: \d[\s\S]*"message":"Too many requests/i)
  const other = begin('203.0.113.2', feed(ann.token, 'application/json', 2, '{}'))
  assert.match(await other.answer(), /^HTTP\/1.1 422 /)
  const unfinished = bodies.find(({ text }) => text() === '')
  unfinished?.socket.write(`${' '.repeat(98)}}`)
  assert.match((await unfinished?.answer()) ?? '', /^HTTP\/1.1 422 /)
  const next = begin('203.0.113.1', feed(ann.token, 'application/json', 2, '{}'))
  assert.match(await next.answer(), /^HTTP\/1.1 422 /)
  assert.equal(multipart.text(), '')
  close()
})

test('returns 429 when the bodies of a client address exceed an eighth of the memory limit', async () => {
  const { begin, close, person } = await listening({ UNFINISHED_BODIES_MB: '8' })
  const ann = await person()
  const half = `{"a":"${'x'.repeat(600_000)}`
  const first = begin('203.0.113.1', feed(ann.token, 'application/json', 900_000, half))
  const second = begin('203.0.113.1', feed(ann.token, 'application/json', 900_000, half))
  const closed = await Promise.race([first.answer(), second.answer()])
  assert.match(closed, /^HTTP\/1.1 429 [\s\S]*Retry-After: \d[\s\S]*"message":"Too many requests/)
  const other = begin('203.0.113.2', feed(ann.token, 'application/json', 2, '{}'))
  assert.match(await other.answer(), /^HTTP\/1.1 422 /)
  assert.equal([first, second].filter(({ text }) => text() === '').length, 1)
  close()
})

test('returns 503 to the largest body of the address with the most bytes when the memory limit is reached', async () => {
  const { begin, close, person } = await listening({ UNFINISHED_BODIES_MB: '8' })
  const ann = await person()
  const send = (address: string, length: number) =>
    begin(address, feed(ann.token, 'application/json', length + 10_000, `{"a":"${'x'.repeat(length)}`))
  // The server reaches the limit of 8 MiB only when nearly all bytes have arrived. Until then 203.0.113.1 has the
  // most bytes, but no body of it is as large as the others.
  const [larger, smaller] = [send('203.0.113.1', 730_000), send('203.0.113.1', 300_000)]
  const others = Array.from({ length: 9 }, (_, n) => send(`203.0.113.${n + 10}`, 817_000))
  const all = [larger, smaller, ...others]
  const closed = await Promise.race(all.map((each) => each.answer()))
  assert.match(
    closed,
    /^HTTP\/1.1 503 [\s\S]*Retry-After: \d[\s\S]*"message":"The service is temporarily unavailable/,
  )
  const small = begin('203.0.113.99', feed(ann.token, 'application/json', 2, '{}'))
  assert.match(await small.answer(), /^HTTP\/1.1 422 /)
  assert.deepEqual(
    all.map(({ text }) => text() !== ''),
    all.map((each) => each === larger),
  )
  close()
})

test('returns 503 to the client address with the most bodies when the limit of bodies is reached', async () => {
  const { begin, close, person } = await listening({ UNFINISHED_BODIES: '16' })
  const ann = await person()
  const open = (address: string) => begin(address, feed(ann.token, 'application/json', 100, '{'))
  const others = Array.from({ length: 15 }, (_, n) => open(`203.0.113.${n + 10}`))
  // Opens two bodies at one address, which then has the most, whatever the order in which the bodies arrive.
  const most = [open('203.0.113.1'), open('203.0.113.1')]
  const closed = await Promise.race([...others, ...most].map((each) => each.answer()))
  assert.match(closed, /^HTTP\/1.1 503 [\s\S]*Retry-After: \d/i)
  assert.equal(most.filter(({ text }) => text() === '').length, 1)
  assert.deepEqual(
    others.filter(({ text }) => text() !== ''),
    [],
  )
  // Rejects a body before it is read, and no longer counts it.
  assert.match(await open('203.0.113.1').answer(), /^HTTP\/1.1 503 /)
  const finish = async (body: ReturnType<typeof open>) => {
    body.socket.write(`${' '.repeat(98)}}`)
    return body.answer()
  }
  assert.match(
    await finish(most.find(({ text }) => text() === '') as ReturnType<typeof open>),
    /^HTTP\/1.1 422 /,
  )
  assert.match(await finish(open('203.0.113.1')), /^HTTP\/1.1 422 /)
  assert.ok(others.every(({ text }) => text() === ''))
  close()
})

test('sends CORS headers with every early error (conventions-2)', async () => {
  const origin = 'https://app.example'
  const CORS_ORIGINS = `https://www.example,${origin}`
  const usual = await listening({ CORS_ORIGINS, UNFINISHED_BODIES_MB: '8' })
  const hasty = await listening({ CORS_ORIGINS, REQUEST_IDLE_MS: '100' })
  const [ann, bob] = [await usual.person(), await hasty.person()]
  const get = (path: string, headers: string[] = []): Sent => ({ method: 'GET', path, headers, body: '' })
  const half = `{"a":"${'x'.repeat(600_000)}`
  const cases: [string, string, Sent][] = [
    ['as every reply', '200', get('/api/v2/feeds')],
    ['an unknown path', '404', get('/api/v2/nowhere')],
    ['without a token', '401', get('/api/v2/user')],
    ['an address that cannot be decoded', '400', get('/api/v2/users/%E0%A4%A')],
    ['a head that is too large', '431', get('/api/v2/feeds', [`X-Large: ${'x'.repeat(20_000)}`])],
    ['a body that is too large', '413', feed(ann.token, 'application/json', 2_000_000, '{')],
    ['a body that stops', '408', feed(bob.token, 'application/json', 100, '{')],
    ['more memory than the share', '429', feed(ann.token, 'application/json', 900_000, half)],
  ]
  for (const [name, status, sent] of cases)
    for (const [from, allowed] of [
      [origin, origin],
      ['https://evil.example', undefined],
    ] as const) {
      const headers = [`Origin: ${from}`, ...sent.headers]
      const { begin } = status === '408' ? hasty : usual
      // Sends two bodies for 429, because one body stays below the memory limit of an address.
      const sockets = Array.from({ length: status === '429' ? 2 : 1 }, () =>
        begin('203.0.113.1', { ...sent, headers }),
      )
      const answer = await Promise.race(sockets.map((each) => each.answer()))
      for (const { socket } of sockets) socket.destroy()
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), name)
      const header = (of: string) => new RegExp(`^${of}: (.*)\r$`, 'im').exec(answer)?.[1]
      assert.equal(header('access-control-allow-origin'), allowed, name)
      assert.match(header('access-control-expose-headers') ?? '', /X-Error-Code, Retry-After/, name)
      assert.match(header('vary') ?? '', /^Origin\b/, name)
    }
  usual.close()
  hasty.close()
})

test('reads the rest of a rejected body, so that the client receives the reply and can send again', async () => {
  const { begin, close, person } = await listening({})
  const ann = await person()
  const size = 9_000_000
  const whole = 'x'.repeat(size)
  const chunked = `${size.toString(16)}\r\n${whole}\r\n0\r\n\r\n`
  const next = 'GET /api/v2/feeds HTTP/1.1\r\nHost: x\r\n\r\n'
  const { path, headers } = feed(ann.token, 'application/json', size, '')
  const inChunks = [...headers.slice(0, -1), 'Transfer-Encoding: chunked']
  for (const [status, sent] of [
    [413, { path, headers, body: whole + next }],
    [413, { path, headers: inChunks, body: chunked + next }],
    [404, { path: '/payments/nobody/notices', headers, body: whole + next }],
  ] as const) {
    const { socket, text } = begin('203.0.113.1', sent)
    while (!text().includes('HTTP/1.1 200 '))
      await Promise.race([
        once(socket, 'data'),
        once(socket, 'close').then(() => assert.fail(`closed: ${text()}`)),
      ])
    assert.ok(text().startsWith(`HTTP/1.1 ${status} `), text().slice(0, 200))
  }
  close()
})

test('accepts a chunked body without a byte whatever its content type (conventions-41)', async () => {
  const { begin, close, person, as } = await listening({})
  const [ann, bob] = [await person(), await person()]
  const made = await as(bob, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: 1 })
  const path = `/api/v2/feeds/${made.body.id}/comments?body=chunked`
  const headers = [`Authorization: Bearer ${ann.token}`, 'Transfer-Encoding: chunked', 'Connection: close']
  for (const type of [[], ['Content-Type: text/plain'], ['Content-Type: multipart/form-data; boundary=x']]) {
    const send = async (body: string) =>
      (await begin('203.0.113.1', { path, headers: [...headers, ...type], body }).answer()).slice(9, 12)
    assert.equal(await send('0\r\n\r\n'), '201', String(type))
    assert.equal(await send('1\r\nx\r\n0\r\n\r\n'), '415', String(type))
  }
  close()
})

test('closes the connection of a rejected body that does not end', async () => {
  const { begin, close, person } = await listening({})
  const ann = await person()
  const { path, headers } = feed(ann.token, 'application/json', 1_000_000_000, '')
  const { socket, answer } = begin('203.0.113.1', { path, headers, body: '' })
  assert.match(await answer(), /^HTTP\/1\.1 413 /)
  const closed = new Promise((done) => socket.once('close', done))
  const piece = 'x'.repeat(1_000_000)
  const send = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', send)
  send()
  await closed
  assert.ok(socket.bytesWritten < 1_000_000_000)
  close()
})

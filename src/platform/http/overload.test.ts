import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { openDatabase } from '#platform/database'
import { Busy } from '#platform/errors.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'

const LOCK = 4_242
const { ctx, sql, as, guest, person, connection, app } = await createWorld(
  {},
  {
    routes(server, { sql }) {
      const access = { config: { access: 'optional' as const } }
      server.get('/wait', access, async () => {
        await sql`select pg_advisory_xact_lock_shared(${LOCK})`
      })
      server.get('/busy', access, async () => {
        throw new Busy('as if too many waited')
      })
      server.addContentTypeParser('application/octet-stream', (_request, _body, done) => done(null, null))
      server.post<{ Querystring: { code: string } }>('/refuse', access, async (request) => {
        await sql.unsafe(`do $$ begin raise sqlstate '${request.query.code}'; end $$`)
      })
    },
  },
)
const other = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })

test('keeps pool connections for other users when many requests of one user wait for a lock', async () => {
  const [ada, bob, eve] = await Promise.all([person(), person(), person()])
  await other`select pg_advisory_lock(${LOCK})`
  const waiting = Array.from({ length: 24 }, () => as(ada, 'GET', '/test/wait'))
  await untilWaiting(other, 6)
  assert.equal((await as(bob, 'GET', '/user')).status, 200)
  assert.ok(sql.state().busy < 12)
  waiting.push(...Array.from({ length: 6 }, () => as(eve, 'GET', '/test/wait')))
  await untilWaiting(other, 12)
  assert.equal((await guest('GET', '/health/ready')).status, 200)
  await other`select pg_advisory_unlock(${LOCK})`
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
  await other.end()
})

test('logs an error only for a request that somebody must look at', async (t) => {
  const lines: unknown[] = []
  for (const level of ['warn', 'error'] as const)
    t.mock.method(ctx.log, level, (line: { fault?: string }) => void lines.push([level, line.fault]))
  for (const code of ['57014', '57P03', '22012']) await guest('POST', `/test/refuse?code=${code}`, {})
  await guest('GET', '/test/busy')
  assert.deepEqual(lines, [
    ['warn', '57014'],
    ['error', undefined],
  ])
})

test('maps PostgreSQL errors to 503, 507 or 500', async () => {
  const ada = await person()
  for (const code of ['57014', '55P03', '53100', '53200', '40001', '40P01']) {
    const answer = await as(ada, 'POST', `/test/refuse?code=${code}`, {})
    assert.equal(answer.status, 503, code)
    assert.equal(answer.headers['x-error-code'], 'unavailable')
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }
  const sent = await app.inject({
    method: 'POST',
    url: '/api/v2/test/refuse?code=53100',
    headers: { 'content-type': 'application/octet-stream' },
    payload: Buffer.alloc(10),
  })
  assert.deepEqual([sent.statusCode, sent.headers['x-error-code']], [507, 'storage_full'])
  assert.equal((await as(ada, 'POST', '/test/refuse?code=22012', {})).status, 500)
  const busy = await guest('GET', '/test/busy')
  assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '1'])
  assert.match(
    (await guest('GET', '/test/busy', undefined, { 'accept-language': 'zh' })).body.message,
    /稍后/,
  )
})

test('stays ready, and tells of failing writes, when the disk of the database is full', async () => {
  const full = await createWorld(
    {},
    {
      routes(server, { sql }) {
        server.post('/fill', { config: { access: 'optional' as const } }, async () => {
          await sql.unsafe(`do $$ begin raise sqlstate '53100'; end $$`)
        })
      },
    },
  )
  const founder = await full.person({ roles: ['founder'] })
  const state = async () => {
    const { status, body } = await full.guest('GET', '/health/ready')
    const metrics = await full.ctx.metrics.render()
    const { parts } = (await full.as(founder, 'GET', '/admin/health')).body
    const { state, fault } = parts.find(({ name }: { name: string }) => name === 'writes')
    return { status, body, writable: /^database_writable (.)$/m.exec(metrics)?.[1], state, fault }
  }
  const good = { status: 200, body: { status: 'ok' }, writable: '1', state: 'good', fault: null }
  assert.deepEqual(await state(), good)
  assert.equal((await full.guest('POST', '/test/fill', {})).status, 503)
  assert.deepEqual(await state(), {
    status: 200,
    body: { status: 'ok', writes: 'failing' },
    writable: '0',
    state: 'failing',
    fault: 'the disk of the database is full',
  })
})

test('reports unready when the database does not respond', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as { port: number }
  const away = openDatabase({
    connection: { host: '127.0.0.1', port, user: 'kith', database: 'kith' },
    poolSize: 1,
    statementTimeoutMs: 60_000,
  })
  const { isAnswering } = ctx.sql
  ctx.sql.isAnswering = away.isAnswering
  assert.equal((await guest('GET', '/health/ready')).status, 503)
  assert.equal((await guest('GET', '/health/live')).status, 200)
  ctx.sql.isAnswering = isAnswering
  assert.equal((await guest('GET', '/health/ready')).status, 200)
  await away.end({ timeout: 0 })
  silent.close()
})

test('rejects a statement when the connection pool stays exhausted', async () => {
  const small = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000, patienceMs: 100 })
  const session = await small.reserve()
  await assert.rejects(Promise.resolve(small`select 1`), Busy)
  await assert.rejects(
    small.begin((tx) => tx`select 1`),
    Busy,
  )
  session.release()
  assert.equal((await small`select 1`).length, 1)
  await small.end()
})

test('sheds requests but no health checks under overload', async () => {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const get = (path: string, headers = {}) => fetch(address + path, { headers })
  assert.equal((await get('/api/v2/feeds')).status, 200)
  const { state } = ctx.sql
  ctx.sql.state = () => ({ ...state(), pressure: 0.6 })
  const refused = await get('/api/v2/feeds', { 'accept-language': 'zh-CN' })
  assert.equal(refused.status, 503)
  for (const [name, value] of [
    ['retry-after', '1'],
    ['x-error-code', 'unavailable'],
    ['access-control-allow-origin', '*'],
  ] as const)
    assert.equal(refused.headers.get(name), value)
  assert.match(((await refused.json()) as { message: string }).message, /稍后/)
  assert.equal((await get('/health/live')).status, 200)
  assert.equal((await get('/health/ready')).status, 200)
  ctx.sql.state = state
  assert.equal((await get('/api/v2/feeds')).status, 200)
  assert.match(await ctx.metrics.render(), /http_requests_shed_total 1/)
})

test('adds the same CORS headers with and without overload', async () => {
  const named = await createWorld({ CORS_ORIGINS: 'https://app.example,https://www.example' })
  const address = await named.app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (origin: string | undefined, options: RequestInit = {}) => {
    const { status, headers } = await fetch(`${address}/api/v2/feeds`, {
      ...options,
      headers: { ...options.headers, ...(origin ? { origin } : {}) },
    })
    const allowed = headers.get('access-control-allow-origin')
    const varies = headers.get('vary')?.split(', ').includes('Origin')
    return { status, allowed, varies, exposed: headers.get('access-control-expose-headers') }
  }
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }
  const { state } = named.ctx.sql
  for (const origin of ['https://app.example', 'https://www.example', 'https://evil.example', undefined]) {
    named.ctx.sql.state = () => ({ ...state(), pressure: 0 })
    const usual = await ask(origin)
    const usualPreflight = await ask(origin, preflight)
    assert.deepEqual([usual.status, usual.varies, usualPreflight.status], [200, true, 204])
    named.ctx.sql.state = () => ({ ...state(), pressure: 0.6 })
    assert.deepEqual(await ask(origin), { ...usual, status: 503 })
    assert.deepEqual(await ask(origin, preflight), usualPreflight)
  }
  named.ctx.sql.state = state
})

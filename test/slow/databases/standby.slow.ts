import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { openDatabase } from '#platform/database'
import { endServers, skipPostgres, startPostgres } from '#test/fixtures/postgres.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { until } from '#test/fixtures/streams.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-standby-'))
after(async () => {
  killAll()
  await endServers()
  await rm(folder, { recursive: true, force: true })
})

const POOL = 6
const PEOPLE = 8
/** Upper bound of backends that background jobs may leave waiting for the standby. */
const JOBS = 16

test('serves reads while the synchronous standby is disconnected', {
  skip: skipPostgres,
}, async () => {
  const database = await startPostgres()
  const server = startServer(join(folder, 'data'), {
    PROCESSES: '1',
    WORKER: 'inside',
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(POOL),
    STATEMENT_TIMEOUT_MS: '2000',
    METRICS: 'public',
    CONSOLE: 'off',
    WEB: 'off',
    APP_SECRET: 'a secret of the standby',
  })
  const address = await server.address
  const sql = openDatabase({ connection: database.url, poolSize: 2, statementTimeoutMs: 60_000 })
  const tokens = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, n) => {
      const id = await createUser(sql, { name: `person${n}`, password: null, roles: ['owner'] })
      return (await issueToken(sql, id)).access_token
    }),
  )
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (.*)$`, 'm').exec(await (await fetch(`${address}/metrics`)).text())?.[1])
  const waiting = async () => {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`
    return row.count
  }
  const feed = { feed_content: 'before', feed_from: 5 }
  const made = await send(address, tokens[0] ?? '', 'POST', '/feeds', { ...feed, feed_mark: 1 })
  const { id } = made.body as { id: number }
  const setStandby = async (name: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
    await sql`select pg_reload_conf()`
  }

  let isOver = false
  let mark = 1
  const WRITES: [string, string, (() => object)?][] = [
    ['POST', '/feeds', () => ({ ...feed, feed_mark: ++mark })],
    ['POST', `/feeds/${id}/comments`, () => ({ body: 'while it is away', comment_mark: ++mark })],
    ['PATCH', '/user', () => ({ bio: `version ${++mark}` })],
    ['POST', `/feeds/${id}/like`],
    ['POST', `/feeds/${id}/collections`],
  ]
  const write = async (token: string, n: number) => {
    const [method, path, body] = WRITES[n % WRITES.length] as (typeof WRITES)[number]
    return (await send(address, token, method, path, body?.())).status
  }
  const keepWriting = async (token: string, n: number) => {
    for (; !isOver; n += 1) await write(token, n)
  }
  /** Retries reads that a busy server rejects. */
  const readAll = async (token: string) => {
    for (const path of [
      '/feeds',
      '/user',
      `/feeds/${id}`,
      `/feeds/${id}/comments`,
      '/user/notifications?type=like',
    ])
      await until(async () => (await send(address, token, 'GET', path)).status === 200, `GET ${path}`)
  }
  await setStandby('nobody')
  const writers = tokens.map(keepWriting)
  await until(async () => (await metric('database_cut_backends')) >= POOL, 'as many were cut as the pool has')
  await Promise.all(tokens.slice(0, 3).map(readAll))
  isOver = true
  await Promise.all(writers)
  // Without a limit, each of the next writes would leave a backend that waits for the standby.
  const before = await waiting()
  assert.ok(before >= POOL, `${before} backends waited`)
  const statuses: number[] = []
  for (let round = 0; round < 3; round += 1) statuses.push(...(await Promise.all(tokens.map(write))))
  assert.deepEqual([...new Set(statuses)], [503])
  const more = (await waiting()) - before
  assert.ok(more <= JOBS, `${more} backends more waited`)
  await Promise.all(tokens.slice(0, 3).map(readAll))

  await setStandby('')
  await until(async () => (await metric('database_cut_backends')) === 0, 'all cut backends have ended')
  const again = await send(address, tokens[0] ?? '', 'POST', '/feeds', { ...feed, feed_mark: ++mark })
  assert.equal(again.status, 201)
  server.child.kill('SIGTERM')
  await server.ended
  await sql.end()
})

test('returns 503 when a database administrator cancels the wait for the synchronous standby', {
  skip: skipPostgres,
}, async () => {
  const database = await startPostgres()
  const server = startServer(join(folder, 'cancelled'), {
    PROCESSES: '1',
    WORKER: 'separate',
    DATABASE_URL: database.url,
    CONSOLE: 'off',
    WEB: 'off',
    APP_SECRET: 'a secret of the standby',
  })
  const address = await server.address
  const sql = openDatabase({ connection: database.url, poolSize: 2, statementTimeoutMs: 60_000 })
  const id = await createUser(sql, { name: 'person', password: null, roles: ['owner'] })
  const { access_token: token } = await issueToken(sql, id)
  const setStandby = async (name: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
    await sql`select pg_reload_conf()`
  }
  const cancelWait = async () => {
    await sql`
      with waiting as materialized (select pid from pg_stat_activity where wait_event = 'SyncRep')
      select pg_cancel_backend(pid) from waiting`
  }
  await setStandby('nobody')
  for (const [path, body] of [
    ['/feeds', { feed_content: 'unconfirmed', feed_from: 5, feed_mark: 1 }],
    ['/user', { bio: 'unconfirmed' }],
  ] as const) {
    let status = 0
    void send(address, token, path === '/user' ? 'PATCH' : 'POST', path, body).then((answer) => {
      status = answer.status
    })
    await until(async () => {
      await cancelWait()
      return status !== 0
    }, `${path} was answered`)
    assert.equal(status, 503, path)
  }
  await setStandby('')
  const body = { feed_content: 'confirmed', feed_from: 5, feed_mark: 2 }
  assert.equal((await send(address, token, 'POST', '/feeds', body)).status, 201)
  server.child.kill('SIGTERM')
  await server.ended
  await sql.end()
})

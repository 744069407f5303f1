import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { openDatabase, openReplicas } from '#platform/database'
import { createLog, createMetrics } from '#platform/observability'
import {
  endServers,
  type Postgres,
  skipPostgres,
  startPostgres,
  startReplica,
} from '#test/fixtures/postgres.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { findFreePort } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

/** Routes that list or show a new row, with the requests to create it. */
const PATHS: Record<string, string> = {
  'GET /api/v2/feed/topics/:topicID': '/feed/topics/{topic}',
  'GET /api/v2/feed/topics/:topicID/feeds': '/feed/topics/{topic}/feeds',
  'GET /api/v2/feeds/:feed': '/feeds/{feed}',
  'GET /api/v2/users/:user': '/users/{user}',
}

suite('replica with a lag of 200 ms', { skip: skipPostgres }, () => {
  let folder = ''
  let primary: Postgres
  let replica: Postgres
  let address = ''
  let metricsPort = 0
  let server: ReturnType<typeof startServer>
  let person: { id: number; token: string }
  /** Every route that may read from replicas. */
  let routes: string[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kith-replicas-'))
    const { app } = await createWorld()
    routes = app.routeTable
      .filter(({ config }) => config?.readsReplica)
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => route.startsWith('GET'))
    primary = await startPostgres()
    replica = await startReplica(primary, { recovery_min_apply_delay: '200ms' })
    metricsPort = await findFreePort()
    server = startServer(join(folder, 'data'), {
      PROCESSES: '2',
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URLS: replica.url,
      APP_SECRET: 'a secret for the replicas',
      // It stays in use however long it lacks a user's write.
      DATABASE_REPLICA_MAX_LAG_MS: '60000',
      METRICS_PORT: String(metricsPort),
      // Cached values are loaded from the primary.
    })
    address = await server.address
    const sql = openDatabase({ connection: primary.url, poolSize: 1, statementTimeoutMs: 60_000 })
    const id = await createUser(sql, { name: 'writer', password: null, roles: ['owner'] })
    person = { id, token: (await issueToken(sql, id)).access_token }
    await sql.end()
    while ((await metric('database_replica_usable{replica="0"}')) !== 1) await pause(100)
    while ((await metric('server_processes')) !== 2) await pause(100)
  })
  after(async () => {
    killAll()
    await endServers()
    await rm(folder, { recursive: true, force: true })
  })

  const metric = async (name: string, port = metricsPort): Promise<number> => {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.split(' ')[1] ?? Number.NaN)
  }
  const reads = (by: string) => metric(`database_replica_reads_total{by="${by}"}`)
  const get = (path: string) => send(address, person.token, 'GET', path)

  test('serves every route that opts in, once it has the requested rows', async () => {
    assert.ok(routes.length >= 20, `${routes.length} routes`)
    const made = await send(address, person.token, 'POST', '/feeds', {
      feed_content: 'read it',
      feed_from: 5,
      feed_mark: 1,
    })
    assert.equal(made.status, 201)
    const ids = { feed: (made.body as { id: number }).id, user: person.id, topic: 1 }
    await pause(600)
    const elsewhere: string[] = []
    for (const route of routes) {
      const path = (PATHS[route] ?? route.replace('GET /api/v2', ''))
        .replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => String(ids[name]))
        .replace(/:\w+(\([^)]*\))?/g, '1')
      const [before, fellBack] = [await reads('replica'), await reads('fallback')]
      const reply = await get(path)
      assert.ok(reply.status < 500, `${route} answers ${reply.status}`)
      // A missing row is looked up on the primary too.
      if (reply.status !== 200) continue
      // Rankings are loaded from the primary and cached; without one the reply is empty.
      if (route.includes('ranks') && (reply.body as unknown[]).length === 0) continue
      const isFromReplica = (await reads('replica')) === before + 1 && (await reads('fallback')) === fellBack
      if (!isFromReplica) elsewhere.push(route)
    }
    assert.deepEqual(elsewhere, [])
  })

  test('shows every user their own writes, in any process', async () => {
    for (let mark = 100; mark < 115; mark += 1) {
      const feed = { feed_content: 'my own', feed_from: 5, feed_mark: mark }
      const { status, body } = await send(address, person.token, 'POST', '/feeds', feed)
      assert.equal(status, 201)
      const { id } = body as { id: number }
      const listed = await Promise.all([1, 2, 3, 4].map(() => get('/feeds?type=new')))
      for (const list of listed) assert.equal((list.body as { feeds: { id: number }[] }).feeds[0]?.id, id)
      const own = (await get(`/users/${person.id}`)).body as { extra: { feeds_count: number } }
      const all = (await get(`/feeds/${id}`)).body as { id: number }
      assert.equal(all.id, id)
      assert.ok(own.extra.feeds_count > mark - 100)
      assert.equal((await send(address, person.token, 'POST', `/feeds/${id}/like`)).status, 201)
      assert.equal(((await get(`/feeds/${id}`)).body as { has_like: boolean }).has_like, true)
    }
  })

  test('serves no user whose writes it lacks, on any route that opts in', async () => {
    await replica.ask('select pg_wal_replay_pause()')
    const feed = { feed_content: 'not there yet', feed_from: 5, feed_mark: 9000 }
    assert.equal((await send(address, person.token, 'POST', '/feeds', feed)).status, 201)
    for (const route of routes) {
      const before = await reads('primary')
      await get(route.replace('GET /api/v2', '').replace(/:\w+(\([^)]*\))?/g, '1'))
      assert.equal(await reads('primary'), before + 1, `${route} was not answered by the primary`)
    }
    const before = await reads('replica')
    assert.equal((await send(address, '', 'GET', '/feeds?type=new')).status, 200)
    assert.equal(await reads('replica'), before + 1, 'others are served by the replica')
    await replica.ask('select pg_wal_replay_resume()')
  })

  test('shows a new user their own account', async () => {
    const body = { login: 'root', password: 'founder password' }
    const signedIn = await send(address, '', 'POST', '/auth/login', body)
    const { access_token } = signedIn.body as { access_token: string }
    assert.equal((await send(address, access_token, 'GET', '/users?limit=5')).status, 200)
  })

  test('is dropped when it is promoted', async () => {
    const promoted = await startReplica(primary)
    const options = { poolSize: 1, statementTimeoutMs: 60_000 }
    const sql = openDatabase({ connection: primary.url, ...options })
    const log = createLog({ level: 'silent' })
    const replicas = openReplicas({
      urls: [promoted.url],
      primary: sql,
      options,
      maxLagMs: 60_000,
      metrics: createMetrics(),
      log,
    })
    const until = async (usable: number) => {
      for (let n = 0; n < 200 && replicas.state().usable !== usable; n += 1) await pause(50)
      assert.equal(replicas.state().usable, usable)
    }
    try {
      await until(1)
      await promoted.ask('select pg_promote()')
      await until(0)
    } finally {
      await replicas.close()
      await sql.end()
      await promoted.kill()
    }
  })

  test('is dropped when it dies, without a failed request', async () => {
    await pause(600)
    await replica.kill()
    for (let n = 0; n < 20; n += 1) assert.equal((await get('/feeds?type=new')).status, 200)
    while ((await metric('database_replica_usable{replica="0"}')) !== 0) await pause(100)
    const health = await fetch(`${address}/health/ready`).then((answer) => answer.json())
    assert.deepEqual(health, { status: 'ok', replicas: { configured: 1, usable: 0 } })
    assert.equal((await get('/feeds?type=new')).status, 200)
    server.child.kill('SIGTERM')
    await server.ended
  })
})

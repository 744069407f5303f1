import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config'
import { openDatabase } from '#platform/database'
import { createLog } from '#platform/observability'
import { openDatabaseServer } from '#startup/database-server.ts'
import {
  endServers,
  skipPgBouncer,
  skipPostgres,
  startPgBouncer,
  startPostgres,
} from '#test/fixtures/postgres.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { openStream } from '#test/fixtures/streams.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-nodes-'))
after(async () => {
  killAll()
  await endServers()
  await rm(folder, { recursive: true, force: true })
})

const COMMON = { PROCESSES: '1', WORKER: 'inside', APP_SECRET: 'a secret that all nodes have' }
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 25))
}

async function signIn(address: string): Promise<string> {
  const answer = await send(address, '', 'POST', '/auth/login', {
    login: 'root',
    password: 'founder password',
  })
  assert.equal(answer.status, 200)
  return (answer.body as { access_token: string }).access_token
}

async function walk(env: Record<string, string>, name: string): Promise<void> {
  const dataDir = join(folder, name)
  const nodes = [1, 2].map((n) => startServer(`${dataDir}${n}`, { ...COMMON, ...env }))
  const [one = '', two = ''] = await Promise.all(nodes.map(({ address }) => address))
  const [token, other] = [await signIn(one), await signIn(two)]
  assert.equal((await send(two, token, 'GET', '/user')).status, 200)

  // Publishes a feed on both nodes at once with one mark. The requests must create only one feed.
  const feed = { feed_content: 'of two nodes', feed_from: 5, feed_mark: 77 }
  const made = await Promise.all([one, two].map((node) => send(node, token, 'POST', '/feeds', feed)))
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 201], JSON.stringify(made))
  const user = (await send(two, token, 'GET', '/user')).body as { extra: { feeds_count: number } }
  assert.equal(user.extra.feeds_count, 1)

  const stream = await openStream(two, token)
  const notice = await send(one, token, 'POST', '/admin/notices', { contents: 'to all', all: true })
  assert.equal(notice.status, 201)
  await until(async () => stream.events.length > 0)
  stream.close()

  await until(async () => (await send(one, other, 'GET', '/user')).status === 200)
  assert.equal((await send(two, other, 'POST', '/auth/logout')).status, 200)
  await until(async () => (await send(one, other, 'GET', '/user')).status === 401)

  // Each node stores its uploads in a folder of its own, which the health names.
  assert.equal((await send(one, token, 'POST', '/admin/health/checks')).status, 204)
  type Health = { parts: { name: string; code: string | null }[] }
  await until(async () => {
    const { parts } = (await send(two, token, 'GET', '/admin/health')).body as Health
    return parts.find(({ name }) => name === 'nodes')?.code === 'uploads_apart'
  })
  for (const { child, ended } of nodes) {
    child.kill('SIGTERM')
    await ended
  }
}

test('runs two nodes on one PostgreSQL', { skip: skipPostgres }, async () => {
  const database = await startPostgres()
  await walk({ DATABASE_URL: database.url }, 'direct')
})

test('runs jobs on the second node when the first is killed', { skip: skipPostgres }, async () => {
  const database = await startPostgres()
  const env = { ...COMMON, DATABASE_URL: database.url }
  const first = startServer(join(folder, 'killed'), env)
  await first.address
  const second = startServer(join(folder, 'standing-by'), env)
  const address = await second.address
  first.child.kill('SIGKILL')
  await first.ended
  const token = await signIn(address)
  const stream = await openStream(address, token)
  const notice = await send(address, token, 'POST', '/admin/notices', { contents: 'to all', all: true })
  assert.equal(notice.status, 201)
  await until(async () => stream.events.length > 0)
  stream.close()
  second.child.kill('SIGTERM')
  await second.ended
})

test('runs two nodes through PgBouncer in transaction mode', { skip: skipPgBouncer }, async () => {
  const database = await startPostgres({ timezone: 'Asia/Shanghai' })
  for (const [name, value] of Object.entries({
    plan_cache_mode: 'force_generic_plan',
    statement_timeout: 10_000,
    lock_timeout: 3_000,
    idle_in_transaction_session_timeout: 30_000,
  }))
    await database.ask(`alter role kith set ${name} = ${value}`)
  // Opens fewer connections than the nodes use, so that sessions share connections.
  const pooled = await startPgBouncer(database, { default_pool_size: '4' })
  await walk({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: database.url }, 'pooled')
  const sql = openDatabase({ connection: pooled, poolSize: 1, statementTimeoutMs: 60_000 })
  const [row] = await sql<[{ zone: string; mode: string }]>`
    select current_setting('TimeZone') as zone, current_setting('plan_cache_mode') as mode`
  assert.deepEqual(row, { zone: 'UTC', mode: 'force_generic_plan' })
  await sql.end()
})

test('sends the requests of several processes through the pooler', async () => {
  const database = await startPostgres()
  const urlOf = (name: string) =>
    `${database.url}${database.url.includes('?') ? '&' : '?'}application_name=${name}`
  const env = { PROCESSES: '2', DATABASE_URL: urlOf('pooled'), DATABASE_DIRECT_URL: urlOf('direct') }
  const address = await startServer(join(folder, 'several'), env).address
  assert.equal((await fetch(`${address}/api/v2/feeds`)).status, 200)
  const sql = openDatabase({ connection: database.url, poolSize: 1, statementTimeoutMs: 60_000 })
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
    where application_name in ('pooled', 'direct') order by 1`
  await sql.end()
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['direct', 'pooled'],
  )
})

test('refuses to start when PgBouncer rejects session parameters', {
  skip: skipPgBouncer,
}, async () => {
  const database = await startPostgres()
  const pooled = await startPgBouncer(database, { ignore_startup_parameters: '' })
  const env = { DATA_DIR: join(folder, 'refused'), DATABASE_URL: pooled, DATABASE_DIRECT_URL: database.url }
  const opening = openDatabaseServer(readConfig(env), createLog({ level: 'silent' }))
  await assert.rejects(opening, /^StartFault: .*ignore_startup_parameters = options/)
})

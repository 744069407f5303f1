import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
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
import { until } from '#test/fixtures/streams.ts'

suite('replica with a lag of 200 ms', { skip: skipPostgres }, () => {
  let folder = ''
  let primary: Postgres
  let replica: Postgres
  let address = ''
  let server: ReturnType<typeof startServer>
  let token = ''
  let mark = 0

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kith-replicas-'))
    primary = await startPostgres()
    replica = await startReplica(primary, { recovery_min_apply_delay: '200ms' })
    server = startServer(join(folder, 'data'), {
      PROCESSES: '2',
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URLS: replica.url,
      APP_SECRET: 'a secret for the replicas',
      GUEST_CACHE_MS: '0',
      CONSOLE: 'off',
      WEB: 'off',
    })
    address = await server.address
    const sql = openDatabase({ connection: primary.url, poolSize: 1, statementTimeoutMs: 60_000 })
    const id = await createUser(sql, { name: 'writer', password: null, roles: ['owner'] })
    token = (await issueToken(sql, id)).access_token
    await sql.end()
  })
  after(async () => {
    killAll()
    await endServers()
    await rm(folder, { recursive: true, force: true })
  })

  const publish = async (): Promise<number> => {
    mark += 1
    const feed = { feed_content: `feed ${mark}`, feed_from: 5, feed_mark: mark }
    const { status, body } = await send(address, token, 'POST', '/feeds', feed)
    assert.equal(status, 201)
    return (body as { id: number }).id
  }
  const newest = async (as: string): Promise<number | undefined> => {
    const { status, body } = await send(address, as, 'GET', '/feeds?type=new')
    assert.equal(status, 200)
    return (body as { feeds: { id: number }[] }).feeds[0]?.id
  }
  const usable = async () => {
    const health = await fetch(`${address}/health/ready`).then((answer) => answer.json())
    return (health as { replicas: { configured: number; usable: number } }).replicas.usable
  }

  test('shows users their own writes while the replica lags', async () => {
    let isGuestBehind = false
    await until(async () => {
      const id = await publish()
      // Opens several connections, so that both processes respond.
      const [guest, ...own] = await Promise.all(['', token, token, token, token].map(newest))
      assert.deepEqual(own, [id, id, id, id])
      isGuestBehind = guest !== id
      return isGuestBehind
    }, 'a guest reads from the replica')
    const id = await publish()
    await until(async () => (await newest('')) === id, 'the replica has the feed')
  })

  test('serves guests from the primary when the replica lags by more than a second', async () => {
    await replica.ask('select pg_wal_replay_pause()')
    const id = await publish()
    await until(async () => {
      const seen = await Promise.all(['', '', '', ''].map(newest))
      return seen.every((each) => each === id)
    }, 'every process serves guests from the primary')
    await replica.ask('select pg_wal_replay_resume()')
    await until(async () => (await usable()) === 1, 'the replica is used again')
  })

  test('stops using a replica after its promotion', async () => {
    const promoted = await startReplica(primary)
    const options = { poolSize: 1, statementTimeoutMs: 60_000 }
    const sql = openDatabase({ connection: primary.url, ...options })
    const log = createLog({ level: 'silent' })
    const replicas = openReplicas([promoted.url], sql, { options, metrics: createMetrics(), log })
    try {
      await until(() => replicas.state().usable === 1, 'it is used')
      await promoted.ask('select pg_promote()')
      await until(() => replicas.state().usable === 0, 'it is not used')
    } finally {
      await replicas.close()
      await sql.end()
      await promoted.kill()
    }
  })

  test('serves guests from the primary when the replica dies', async () => {
    await until(async () => (await usable()) === 1, 'the replica is used')
    const id = await publish()
    await replica.kill()
    for (let n = 0; n < 20; n += 1) await newest('')
    await until(async () => (await usable()) === 0, 'it is not used')
    assert.equal(await newest(''), id)
    server.child.kill('SIGTERM')
    await server.ended
  })
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createUser } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { openDatabase } from '#platform/database'
import { openMachine } from '#test/fixtures/machines.ts'
import { endServers, skipPostgres, startPostgres, startReplica } from '#test/fixtures/postgres.ts'
import { killAll, send, startServer } from '#test/fixtures/sites.ts'
import { openStream } from '#test/fixtures/streams.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-failover-'))
after(async () => {
  killAll()
  await endServers()
  await rm(folder, { recursive: true, force: true })
})

const WRITERS = 4
/** Exceeds the sum of all connection pools of the server. */
const MOST_CONNECTIONS = 40
const SAMPLES = 150
const SAMPLE_MS = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('serves writes again when a proxy switches to a standby that is promoted late', {
  skip: skipPostgres,
}, async (t) => {
  const primary = await startPostgres()
  const standby = await startReplica(primary)
  await primary.ask("alter system set synchronous_standby_names = 'replica'")
  await primary.ask('select pg_reload_conf()')
  const proxy = await openMachine({ host: '127.0.0.1', port: primary.port })
  const url = `postgres://kith@${proxy.address}/kith`
  const env = { PROCESSES: '1', WORKER: 'inside', DATABASE_URL: url, APP_SECRET: 'a secret of the failover' }
  const server = startServer(join(folder, 'data'), env)
  const address = await server.address
  const sql = openDatabase({ connection: primary.url, poolSize: 2, statementTimeoutMs: 60_000 })
  const tokens = await Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      const id = await createUser(sql, { name: `writer${n}`, password: null, roles: ['owner'] })
      return (await issueToken(sql, id)).access_token
    }),
  )
  const [founder] = await sql<[{ id: number }]>`select id from users where name = 'root'`
  const admin = (await issueToken(sql, founder.id)).access_token
  await sql.end()
  const stream = await openStream(address, tokens[0] ?? '')

  const answered: number[] = []
  const statuses = new Map<number, number>()
  let mark = Date.now()
  let isOver = false
  let lastBefore = 0
  let firstAfter = 0
  let isKilled = false
  let failure: unknown
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      if (failure !== undefined) throw failure
      await pause(10)
    }
  }
  const write = async (token: string) => {
    while (!isOver) {
      mark += 1
      const feed = { feed_content: 'while it lasts', feed_from: 5, feed_mark: mark }
      const reply = await send(address, token, 'POST', '/feeds', feed)
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      if (reply.status === 201) {
        answered.push((reply.body as { id: number }).id)
        if (isKilled && statuses.has(503)) firstAfter ||= Date.now()
        else lastBefore = Date.now()
      } else await pause(20)
    }
  }
  const writers = tokens.map((token) =>
    write(token).catch((error) => {
      failure = error
    }),
  )
  await until(() => answered.length >= 40)
  await primary.kill()
  isKilled = true
  const before = answered.length
  await until(() => statuses.has(503))
  proxy.leadTo({ host: '127.0.0.1', port: standby.port })
  // The standby rejects all writes until its promotion, and each rejection closes a connection.
  const connections: number[] = []
  for (let n = 0; n < SAMPLES; n += 1) {
    await pause(SAMPLE_MS)
    const [row] = await standby.ask(
      "select count(*) as open from pg_stat_activity where backend_type = 'client backend'",
    )
    connections.push(Number(row?.open))
  }
  assert.ok(Math.max(...connections) < MOST_CONNECTIONS, `connections to the standby: ${connections.join()}`)
  standby.promote()
  await until(() => answered.length >= before + 40)
  isOver = true
  await Promise.all(writers)
  assert.equal(failure, undefined)
  t.diagnostic(
    `${answered.length} feeds, ${statuses.get(503)} refused, ${firstAfter - lastBefore} ms without one`,
  )
  assert.deepEqual([...statuses.keys()].sort(), [201, 503])

  const found = await standby.ask('select id from feeds')
  const kept = new Set(found.map(({ id }) => Number(id)))
  assert.deepEqual(
    answered.filter((id) => !kept.has(id)),
    [],
  )

  const notice = await send(address, admin, 'POST', '/admin/notices', { contents: 'it goes on', all: true })
  assert.equal(notice.status, 201)
  while (stream.events.length === 0) await pause(25)
  stream.close()

  const cli = await promisify(execFile)(process.execPath, ['src/cli.ts', 'doctor'], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: join(folder, 'data') },
  })
  t.diagnostic(cli.stdout.trim().split('\n').at(-1) ?? '')
  server.child.kill('SIGTERM')
  await server.ended
})

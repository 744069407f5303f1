import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '#app'
import { createMetrics } from '#platform/observability'
import { openMachine } from '#test/fixtures/machines.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'
import { openDatabase } from './database.ts'
import { listenOn } from './listener.ts'
import { createSignals, sendSignal } from './signals.ts'

const { ctx, sql, connection } = await createWorld()

async function listenThrough(address: string) {
  const direct = openDatabase({
    connection: `postgres://${connection.user}@${address}/${connection.database}`,
    poolSize: 1,
    statementTimeoutMs: 30_000,
  })
  const heard: string[] = []
  let forgotten = 0
  const signals = createSignals(direct)
  signals.on('test', (payload) => heard.push(payload))
  signals.onReconnect(() => {
    forgotten += 1
  })
  const metrics = createMetrics()
  const app = await buildApp({ ...ctx, signals, metrics, state: new Map() })
  await signals.listen()
  return {
    heard,
    forgotten: () => forgotten,
    readiness: () => app.inject('/health/ready'),
    metrics: () => metrics.render(),
    async close() {
      await signals.close()
      await app.close()
      await direct.end()
    },
  }
}

test('fails the readiness check while the connection for LISTEN is unresponsive', async () => {
  const machine = await openMachine(connection)
  const node = await listenThrough(machine.address)
  assert.equal((await node.readiness()).statusCode, 200)
  assert.match(await node.metrics(), /^database_listening 1$/m)
  machine.silence()
  sendSignal(sql, 'test', 'unheard')
  await until(async () => (await node.readiness()).statusCode === 503, 'it is not ready')
  assert.deepEqual((await node.readiness()).json(), { status: 'unavailable', signals: 'lost' })
  assert.match(await node.metrics(), /^database_listening 0$/m)
  machine.speak()
  await until(async () => (await node.readiness()).statusCode === 200, 'it is ready again')
  assert.equal(node.forgotten(), 1)
  assert.match(await node.metrics(), /^database_listener_losses_total [1-9]/m)
  await until(() => machine.silent() === 0, 'the silent connection is closed')
  sendSignal(sql, 'test', 'heard')
  await until(() => node.heard.length > 0, 'the signal')
  assert.deepEqual(node.heard, ['heard'])
  await node.close()
})

test('keeps a lost connection, which may hold locks, until a replacement has opened', async () => {
  const machine = await openMachine(connection)
  const pids: number[] = []
  let lastSeen = 0
  const replaced = Promise.withResolvers<void>()
  const stop = await listenOn(
    {
      config: { connectionString: `postgres://${connection.user}@${machine.address}/${connection.database}` },
    },
    ['test'],
    {
      hear() {},
      async onOpen(session) {
        const [own] = await session<[{ pid: number }]>`select pg_backend_pid() as pid`
        pids.push(own.pid)
        if (pids.length === 2) throw new Error('a lock was refused')
        lastSeen = (await session`select from pg_stat_activity where pid = ${pids[0]!}`).length
      },
      onListening() {
        if (pids.length > 1) replaced.resolve()
      },
    },
  )
  machine.silence()
  machine.speak()
  await replaced.promise
  assert.deepEqual([pids.length, lastSeen], [3, 1])
  await until(async () => {
    const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where pid = any(${pids})`
    return rows.length === 1 && rows[0]?.pid === pids[2]
  }, 'the end of the other connections')
  stop()
})

test('ends a session without heartbeats, so that its locks are released', async () => {
  const key = 4_127_099
  const isLocked = async () =>
    (await sql`select from pg_locks where locktype = 'advisory' and objid = ${key}`).length > 0
  const lost = Promise.withResolvers<void>()
  let opened = 0
  const stop = await listenOn(
    { config: { ...connection } },
    ['test'],
    {
      hear() {},
      async onOpen(session) {
        opened += 1
        if (opened === 1) await session`select pg_advisory_lock(${key})`
      },
      onLost: lost.resolve,
    },
    1,
  )
  await lost.promise
  await until(async () => !(await isLocked()), 'the release of the lock')
  stop()
})

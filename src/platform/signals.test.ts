import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { defineCache } from '#platform/cache.ts'
import { type DatabaseOptions, openDatabase, transaction } from '#platform/database.ts'
import { createSignals, sendSignal } from '#platform/signals.ts'
import { until } from '#test/fixtures/streams.ts'
import { createWorld } from '#test/world.ts'

const { sql, connection } = await createWorld()

/** A process of its own on the same database: what it heard, and how many statements told the others. */
async function another(options: Partial<DatabaseOptions> = {}) {
  let batches = 0
  const pool = openDatabase({
    connection,
    poolSize: 4,
    statementTimeoutMs: 60_000,
    ...options,
    onQuery: ({ text }) => {
      if (text.includes('pg_notify')) batches += 1
    },
  })
  const signals = createSignals(pool)
  const heard: { payload: string; isOwn: boolean }[] = []
  let forgotten = 0
  signals.on('test', (payload, isOwn) => heard.push({ payload, isOwn }))
  signals.onReconnect(() => {
    forgotten += 1
  })
  await signals.listen()
  const close = async () => {
    await signals.close()
    await pool.end()
  }
  after(close)
  return {
    sql: pool,
    heard,
    payloads: () => heard.map(({ payload }) => payload),
    batches: () => batches,
    forgotten: () => forgotten,
    close,
  }
}

test('a signal of a transaction that is taken back is never sent, and one of a commit is', async () => {
  const [sender, listener] = [await another(), await another()]
  await transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'taken back')
    throw new Error('no')
  }).catch(() => {})
  await transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'refused')
    await tx`select 1 / 0`.catch(() => {})
  }).catch(() => {})
  await sender.sql`create table later (id int primary key deferrable initially deferred)`
  await transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'refused at the commit')
    await tx`insert into later values (1), (1)`
  }).catch(() => {})
  await transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'early')
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.deepEqual(listener.heard, [], 'nothing is sent before the commit')
  })
  await until(() => listener.heard.length > 0 && sender.heard.length > 0, 'the signal')
  assert.deepEqual(listener.heard, [{ payload: 'early', isOwn: false }])
  assert.deepEqual(sender.heard, [{ payload: 'early', isOwn: true }])
})

test('all signals of racing transactions arrive at every process, in far fewer statements', async () => {
  const [one, two, listener] = [await another(), await another(), await another()]
  const expected: string[] = []
  const write = (from: typeof one, payload: string) => {
    expected.push(payload)
    return transaction(from.sql, async (tx) => {
      sendSignal(tx, 'test', payload)
      await tx`select 1`
    })
  }
  await Promise.all(
    Array.from({ length: 400 }, (_, n) => write(n % 2 ? one : two, `${n} ${'字'.repeat(n * 4)}`)),
  )
  for (const each of [one, two, listener]) {
    await until(() => each.heard.length === expected.length, 'every signal')
    assert.deepEqual(each.payloads().sort(), expected.toSorted())
  }
  assert.ok(one.batches() + two.batches() < 200, `${one.batches() + two.batches()} statements`)
})

test('the same signal of many transactions is told once a batch', async () => {
  const [sender, listener] = [await another(), await another()]
  for (let n = 0; n < 100; n += 1) sendSignal(sender.sql, 'test', 'again')
  sendSignal(sender.sql, 'test', 'last')
  await until(() => listener.payloads().includes('last'), 'the last signal')
  assert.deepEqual(listener.payloads(), ['again', 'last'])
})

test('a signal of a commit whose answer is lost is sent, since it may have been committed', async () => {
  const [sender, listener] = [await another(), await another()]
  await sql.unsafe(`
    create table cut (id int primary key);
    create function cut_connection() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create constraint trigger cut after insert on cut deferrable initially deferred
      for each row execute function cut_connection()`)
  await transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'broken before the commit')
    const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
    await sql`select pg_terminate_backend(${pid})`
    await tx`select 1`.catch(() => {})
  }).catch(() => {})
  const failed = transaction(sender.sql, async (tx) => {
    sendSignal(tx, 'test', 'broken in the commit')
    await tx`insert into cut values (1)`
  })
  await assert.rejects(failed)
  await until(() => listener.heard.length > 0, 'the signal')
  assert.deepEqual(listener.payloads(), ['broken in the commit'])
})

test('signals that cannot be sent are kept, and a pool that ends sends what it has first', async () => {
  const [sender, listener] = [await another({ poolSize: 1, patienceMs: 200 }), await another()]
  let held: Awaited<ReturnType<typeof sender.sql.reserve>> | undefined
  // The only connection may still be in use by what it is opened for.
  while (!held) held = await sender.sql.reserve().catch(() => undefined)
  sendSignal(sender.sql, 'test', 'delayed')
  // Long enough for the pool to have refused it.
  await new Promise((resolve) => setTimeout(resolve, 500))
  held.release()
  await until(() => listener.heard.length > 0, 'the delayed signal')
  sendSignal(sender.sql, 'test', 'at the end')
  await sender.close()
  await until(() => listener.heard.length > 1, 'the last signal')
  assert.deepEqual(listener.payloads(), ['delayed', 'at the end'])
})

test('more than can be kept is told as one thing: that everything may have changed', async () => {
  const [sender, listener] = [await another(), await another()]
  for (let n = 0; n <= 20_000; n += 1) sendSignal(sender.sql, 'test', n)
  await until(() => listener.forgotten() === 1, 'everything is forgotten')
  assert.deepEqual(listener.heard, [])
})

test('nothing that a lost signal leaves stale may be kept for longer than a minute', () => {
  assert.throws(() => defineCache('kept for long', { max: 1, ttlMs: 60_001 }), /more than a minute/)
})

test('whoever asks a cache of one database asks the same one, which loads a value once until it is dropped', async () => {
  const ctx = { sql, signals: createSignals(sql) }
  const cacheOf = defineCache<{ loaded: number }>('loaded once', { max: 2, ttlMs: 60_000 })
  let loaded = 0
  const get = () =>
    cacheOf(ctx).get('key', async () => {
      loaded += 1
      return { loaded }
    })
  assert.deepEqual([await get(), await get()], [{ loaded: 1 }, { loaded: 1 }])
  cacheOf(ctx).drop('key')
  assert.deepEqual(await get(), { loaded: 2 })
})

test('a signal is one line of bounded length', () => {
  for (const payload of ['two\nlines', '字'.repeat(2600)])
    assert.throws(() => sendSignal(sql, 'test', payload), RangeError)
})

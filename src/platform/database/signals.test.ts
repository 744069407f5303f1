import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findViewer, revokeTokens } from '#modules/tokens/index.ts'
import { Busy } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import { until } from '#test/fixtures/streams.ts'
import { readSettings, updateSettings } from '#test/settings.ts'
import { createWorld } from '#test/world.ts'
import { type DatabaseOptions, openDatabase, transaction } from './database.ts'
import { createWriterScope, runInScope } from './fair-semaphore.ts'
import { announce, createSignals, sendSignal } from './signals.ts'

const { sql, connection } = await createWorld()

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
  const heard: string[] = []
  signals.on('test', (payload) => void heard.push(payload))
  await signals.listen()
  const close = async () => {
    await signals.close()
    await pool.end()
  }
  after(close)
  return {
    sql: pool,
    heard,
    payloads: () => heard,
    batches: () => batches,
    close,
  }
}

test('sends a signal only after the commit', async () => {
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
    sendSignal(listener.sql, 'test', 'marker')
    await until(() => listener.heard.length > 0, 'the marker')
    assert.deepEqual(listener.heard, ['marker'], 'nothing is sent before the commit')
  })
  await until(() => listener.heard.length > 1 && sender.heard.length > 1, 'the signal')
  assert.deepEqual(listener.heard, ['marker', 'early'])
  assert.deepEqual(sender.heard, ['marker', 'early'])
})

test('batches the signals of concurrent transactions without losing any', async () => {
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
    assert.deepEqual(each.payloads().toSorted(), expected.toSorted())
  }
  assert.ok(one.batches() + two.batches() < expected.length, `${one.batches() + two.batches()} statements`)
})

test('sends equal signals only once per batch', async () => {
  const [sender, listener] = [await another(), await another()]
  for (let n = 0; n < 100; n += 1) sendSignal(sender.sql, 'test', 'again')
  sendSignal(sender.sql, 'test', 'last')
  await until(() => listener.payloads().includes('last'), 'the last signal')
  assert.deepEqual(listener.payloads(), ['again', 'last'])
})

test('sends a signal when the confirmation of the commit is lost', async () => {
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

test('loses no signal when the pool is busy or closes', async () => {
  const [sender, listener] = [await another({ poolSize: 1, patienceMs: 200 }), await another()]
  let held: Awaited<ReturnType<typeof sender.sql.reserve>> | undefined
  // The only connection may still be busy with its startup.
  while (!held) held = await sender.sql.reserve().catch(() => undefined)
  sendSignal(sender.sql, 'test', 'delayed')
  await nextTurn()
  // The pool rejects callers in order, so it has rejected the signal before this statement.
  const later = runInScope(
    { ...createWriterScope(), isAdmitted: true },
    async () => await sender.sql`select 1`,
  )
  await assert.rejects(later, Busy)
  held.release()
  await until(() => listener.heard.length > 0, 'the delayed signal')
  sendSignal(sender.sql, 'test', 'at the end')
  await sender.close()
  await until(() => listener.heard.length > 1, 'the last signal')
  assert.deepEqual(listener.payloads(), ['delayed', 'at the end'])
})

test('delivers an announcement when the process dies right after the commit', async () => {
  const [dying, listener] = [await another({ poolSize: 1 }), await another()]
  let held: Awaited<ReturnType<typeof dying.sql.reserve>> | undefined
  while (!held) held = await dying.sql.reserve().catch(() => undefined)
  held.release()
  await transaction(dying.sql, async (tx) => {
    sendSignal(tx, 'test', 'lost')
    await announce(tx, 'test', ['first', 'second'])
  })
  // Holds the only connection, so that the process can send nothing after the commit.
  const last = await dying.sql.reserve()
  await until(() => listener.heard.length > 0, 'the announcement')
  assert.deepEqual(listener.payloads(), ['first', 'second'])
  last.release()
})

test('delivers no announcement of a rolled-back transaction', async () => {
  const [sender, listener] = [await another(), await another()]
  await transaction(sender.sql, async (tx) => {
    await announce(tx, 'test', ['taken back'])
    throw new Error('no')
  }).catch(() => {})
  await announce(sender.sql, 'test', ['later'])
  await until(() => listener.heard.length > 0, 'the announcement')
  assert.deepEqual(listener.payloads(), ['later'])
})

test('invalidates the caches of other nodes when the process dies right after the commit', async () => {
  const world = await createWorld()
  const heard: string[] = []
  const open = async (poolSize: number) => {
    const pool = openDatabase({ connection: world.connection, poolSize, statementTimeoutMs: 60_000 })
    const signals = createSignals(pool)
    await signals.listen()
    after(async () => {
      await signals.close()
      await pool.end()
    })
    return { ...world.ctx, sql: pool, signals, state: new Map() }
  }
  const [dying, other] = [await open(1), await open(4)]
  const { id, token } = await world.person()
  const amount = async () => (await readSettings(other))['checkin:balance']
  const before = await amount()
  assert.equal((await findViewer(other, token))?.id, id)
  // Registers these handlers after those of the caches, so that the caches have handled each signal first.
  for (const name of ['settings', 'tokens']) other.signals.on(name, () => void heard.push(name))
  await transaction(dying.sql, async (tx) => {
    await updateSettings(dying, tx, { 'checkin:balance': before + 1 })
    await revokeTokens(dying, tx, id)
    assert.deepEqual([await amount(), (await findViewer(other, token))?.id, heard], [before, id, []])
  })
  // Holds the only connection, so that the process can send nothing after the commit.
  const last = await dying.sql.reserve()
  await until(() => heard.length === 2, 'the announcements')
  // The first read returns the new values, without waiting for cache entries to expire.
  assert.deepEqual([await amount(), await findViewer(other, token)], [before + 1, null])
  assert.equal(other.signals.state().losses, 0)
  last.release()
})

test('rejects a cache lifetime of more than a minute', () => {
  assert.throws(() => defineCache('kept for long', { max: 1, ttlMs: 60_001 }), /more than a minute/)
})

test('loads a cached value once until it is invalidated', async () => {
  const ctx = { sql, signals: createSignals(sql), state: new Map() }
  const cacheOf = defineCache<{ loaded: number }>('loaded once', { max: 2, ttlMs: 60_000 })
  let loaded = 0
  const get = () =>
    cacheOf(ctx).get('key', async () => {
      loaded += 1
      return { loaded }
    })
  assert.deepEqual([await get(), await get()], [{ loaded: 1 }, { loaded: 1 }])
  await cacheOf(ctx).announce(sql, 'key')
  assert.deepEqual(await get(), { loaded: 2 })
})

test('loads only the missing keys of several, and all of them at once', async () => {
  const ctx = { sql, signals: createSignals(sql), state: new Map() }
  const cacheOf = defineCache<{ name: string }>('loaded together', { max: 9, ttlMs: 60_000 })
  const loads: string[][] = []
  const getAll = async (keys: string[]) => {
    const found = await cacheOf(ctx).getAll(keys, async (missing) => {
      loads.push(missing)
      return new Map(missing.filter((key) => key !== 'unknown').map((key) => [key, { name: `of ${key}` }]))
    })
    return [...found].map(([key, { name }]) => [key, name])
  }
  assert.deepEqual(await getAll(['a', 'b', 'unknown']), [
    ['a', 'of a'],
    ['b', 'of b'],
  ])
  assert.deepEqual(await getAll(['b', 'c', 'a']), [
    ['b', 'of b'],
    ['a', 'of a'],
    ['c', 'of c'],
  ])
  assert.equal((await getAll(['c', 'a'])).length, 2)
  assert.deepEqual(loads, [['a', 'b', 'unknown'], ['c']])
})

test('does not cache a value that was invalidated during its load', async () => {
  const ctx = { sql, signals: createSignals(sql), state: new Map() }
  const cacheOf = defineCache<{ name: string }>('invalidated during the load', { max: 9, ttlMs: 60_000 })
  const cache = cacheOf(ctx)
  const read = Promise.withResolvers<void>()
  const loading = [
    cache.get('one', () => read.promise.then(() => ({ name: 'old' }))),
    cache.getAll(['several'], () => read.promise.then(() => new Map([['several', { name: 'old' }]]))),
  ]
  await cache.announce(sql, 'other')
  read.resolve()
  await Promise.all(loading)
  assert.deepEqual([cache.recall('one'), cache.recall('several')], [undefined, undefined])
})

test('rejects a signal with several lines or too many bytes', () => {
  for (const payload of ['two\nlines', '字'.repeat(2600)])
    assert.throws(() => sendSignal(sql, 'test', payload), RangeError)
})

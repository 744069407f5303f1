import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { isConnectionError, openDatabase, sendWithCommit, type Tx, transaction } from './database.ts'

const RUN = 101
const { connection } = await createWorld()

test('loses no committed write under thousands of concurrent statements', async () => {
  const sql = openDatabase({ connection, poolSize: 3, statementTimeoutMs: 60_000, patienceMs: 60_000 })
  await sql`create table acknowledged (id int primary key)`
  const answered: number[] = []
  const failures = new Set<string>()
  const note = (id: number) => (work: Promise<unknown>) =>
    work.then(
      () => void answered.push(id),
      (error) => void failures.add(String(error.code ?? error.message)),
    )
  // Every 101st statement is a transaction, because an earlier driver lost a transaction in slot 100 of its
  // queue.
  await Promise.all(
    Array.from({ length: 6060 }, (_, n) =>
      n % RUN === RUN - 1
        ? note(n)(transaction(sql, (tx) => tx`insert into acknowledged values (${n})`))
        : note(n)(sql`insert into acknowledged values (${n})`.then(() => {})),
    ),
  )
  for (let n = 0; n < 20; n += 1)
    await transaction(sql, async (tx) => {
      await tx`select 1`
      throw new Error('taken back')
    }).catch(() => {})
  const rows = await sql<{ id: number }[]>`select id from acknowledged`
  const open = await sql`
    select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
  await sql.end()
  assert.deepEqual([...failures], [])
  assert.equal(open.length, 0)
  assert.equal(answered.length, 6060)
  assert.deepEqual(
    rows.map(({ id }) => id).sort((a, b) => a - b),
    answered.sort((a, b) => a - b),
  )
})

test('sends no statement of a transaction after its connection broke', async () => {
  const sql = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })
  await sql`create table broken (id int primary key)`
  const failed = await transaction(sql, async (tx) => {
    await tx`insert into broken values (1)`
    const [self] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
    await sql`select pg_terminate_backend(${self.pid})`
    for (let left = 1; left > 0; )
      [{ left }] = await sql<[{ left: number }]>`
        select count(*)::int as left from pg_stat_activity where pid = ${self.pid}`
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([tx`insert into broken values (2)`, tx`insert into broken values (3)`])
  }).catch((error) => error)
  assert.ok(isConnectionError(failed), String(failed))
  for (let n = 0; n < 4; n += 1) await Promise.all([sql`select pg_sleep(0.01)`, sql`select pg_sleep(0.01)`])
  assert.equal((await sql`select from broken`).length, 0)
  await sql.end()
})

test('ends a transaction on a broken connection when statements have no timeout', async () => {
  // Without a statement timeout, only the broken connection can end the wait for the rollback.
  const sql = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 0 })
  for (let round = 0; round < 5; round += 1) {
    const failed = await transaction(sql, async (tx) => {
      const [self] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
      await sql`select pg_terminate_backend(${self.pid})`
      await tx`select 1`.catch(() => {})
      await tx`select 2`
    }).catch((error) => error)
    assert.ok(isConnectionError(failed), String(failed))
  }
  assert.equal((await sql`select 1 as n`)[0]?.n, 1)
  await sql.end()
})

test('discards a connection that is released with an open transaction', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table left_open (id int primary key)`
  await sql.unsafe('begin')
  await sql`insert into left_open values (1)`
  await sql.unsafe('rollback')
  assert.equal((await sql`select from left_open`).length, 1)
  await sql.end()
})

test('rejects queued queries when `sql.end()` times out', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql.reserve()
  const rejected = assert.rejects(sql`select 1`.then(), /closing/)
  sql.beforeEnd(() => new Promise(() => {}))
  await sql.end({ timeout: 0 })
  await rejected
})

test('rejects a transaction that continues after a failed statement', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  const failed = await transaction(sql, async (tx) => {
    await tx`select 1 / 0`.catch(() => {})
    return 'done'
  }).catch((error) => error)
  assert.equal(failed.code, '22012')
  const tx = await transaction(sql, async (tx) => tx.unsafe.bind(tx))
  await assert.rejects(tx('select 1'), /is over/)
  await sql.end()
})

test('commits no statement of a transaction whose BEGIN fails', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table unbegun (id int primary key)`
  await sql.unsafe('deallocate kith_begin')
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  const works: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => tx`insert into unbegun values (1)`,
    (tx) => Promise.all([2, 3, 4].map((id) => tx`insert into unbegun values (${id})`)),
    (tx) => Promise.all([tx`insert into unbegun values (5)`, tx.unsafe('insert into unbegun values (6)')]),
    async (tx) => {
      const first = tx`insert into unbegun values (7)`.execute()
      await new Promise(setImmediate)
      await Promise.all([
        first,
        tx`insert into unbegun values (8)`,
        tx.unsafe('insert into unbegun values (9)'),
      ])
    },
    async (tx) => {
      await tx`insert into unbegun values (10)`.catch(() => {})
      await tx`insert into unbegun values (11)`
    },
    async (tx) => void tx`insert into unbegun values (12)`.catch(() => {}),
    async (tx) => {
      tx`insert into unbegun values (13)`.catch(() => {})
      throw new Error('rolled back')
    },
  ]
  for (const work of works) {
    await assert.rejects(transaction(sql, work), /"kith_begin" does not exist|rolled back/)
    assert.equal((await sql`select from unbegun`).length, 0)
  }
  assert.equal((await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid, pid)
  await sql.end()
})

test('rejects only the statements from the failed one of a tick on', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table ticked (id int primary key)`
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  for (const at of [0, 1, 2]) {
    // A statement of each kind fails: not yet prepared, prepared, and with a text that PostgreSQL cannot parse.
    for (const fail of [
      (tx: Tx) => tx`select ${at} / 0`,
      (tx: Tx) => tx`select ${at} / 0`,
      (tx: Tx) => tx`selec ${at}`,
    ]) {
      let settled: PromiseSettledResult<unknown>[] = []
      const failed = await transaction(sql, async (tx) => {
        const sent = [0, 1, 2].map((id) =>
          id === at ? fail(tx) : tx`insert into ticked values (${id}) returning id`,
        )
        settled = await Promise.allSettled(sent)
      }).catch((error) => error)
      assert.match(failed.code, /^(22012|42601)$/)
      assert.deepEqual(
        settled.map((each) => (each.status === 'fulfilled' ? 'done' : each.reason.code)),
        [0, 1, 2].map((id) => (id < at ? 'done' : id === at ? failed.code : '25P02')),
      )
      const rows = await Promise.all([sql`select id from ticked`, sql<{ n: number }[]>`select 7 as n`])
      assert.deepEqual(
        rows.map((each) => each.map((row) => ({ ...row }))),
        [[], [{ n: 7 }]],
      )
    }
  }
  assert.equal((await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid, pid)
  await sql.end()
})

test('begins a transaction with any kind of first statement', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table begun (id int primary key)`
  const first = [
    (tx: Tx) => tx.unsafe('insert into begun values (1)'),
    (tx: Tx) => tx`insert into begun values (${2})`,
    (tx: Tx) => tx`insert into begun values (${2 + 1})`,
  ]
  for (const insert of first)
    await transaction(sql, async (tx) => {
      await insert(tx)
      const [{ is }] = await tx<[{ is: boolean }]>`select pg_current_xact_id_if_assigned() is not null as is`
      assert.ok(is)
      throw new Error('rolled back')
    }).catch((error) => assert.equal(error.message, 'rolled back'))
  assert.equal((await sql`select from begun`).length, 0)
  for (const insert of first) await transaction(sql, insert)
  assert.equal((await sql`select from begun`).length, 3)
  assert.equal(await transaction(sql, async () => 'nothing to send'), 'nothing to send')
  await sql.end()
})

test('sends the statements of one tick of a transaction in order and in one write', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table ordered (id int generated always as identity, n int)`
  const insert = async (tx: Tx) => {
    const rows = await Promise.all(
      [1, 2, 3].map((n) => tx<{ n: number }[]>`insert into ordered (n) values (${n}) returning n`),
    )
    return rows.flat().map(({ n }) => n)
  }
  const insertTwice = async (tx: Tx) => [...(await insert(tx)), ...(await insert(tx))]
  const expected = [1, 2, 3, 1, 2, 3]
  assert.deepEqual(await transaction(sql, insertTwice), expected)
  let writes = 0
  const write = Socket.prototype._write
  Socket.prototype._write = function (...args) {
    writes += 1
    write.apply(this, args)
  }
  try {
    assert.deepEqual(await transaction(sql, insertTwice), expected)
  } finally {
    Socket.prototype._write = write
  }
  // The third write is the commit.
  assert.equal(writes, 3)
  const rows = await sql<{ n: number }[]>`select n from ordered order by id`
  assert.deepEqual(
    rows.map(({ n }) => n),
    [...expected, ...expected],
  )
  await sql.end()
})

test('sends the last statement of a transaction in the write of the commit', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table lasting (id int primary key deferrable initially deferred)`
  let told: unknown[] = []
  const insert = (db: Tx, id: number) =>
    sendWithCommit(db, db<{ id: number }[]>`insert into lasting values (${id}) returning id`, (pool, rows) =>
      told.push([pool === sql, rows?.map((row) => row.id)]),
    )
  const both = (id: number) =>
    transaction(sql, async (tx) => {
      await tx`select 1`
      await insert(tx, id)
      assert.deepEqual(told, [])
    })
  await both(1)
  await new Promise(setImmediate)
  assert.deepEqual(told, [[true, [1]]])
  told = []
  let writes = 0
  const write = Socket.prototype._write
  Socket.prototype._write = function (...args) {
    writes += 1
    write.apply(this, args)
  }
  try {
    await both(2)
  } finally {
    Socket.prototype._write = write
  }
  assert.equal(writes, 2)
  await new Promise(setImmediate)
  told = []
  // Fails in the commit.
  await assert.rejects(both(2), { code: '23505' })
  // Fails before the commit.
  await assert.rejects(
    transaction(sql, async (tx) => {
      await insert(tx, 3)
      await sendWithCommit(tx, tx`select 1 / 0`, () => told.push('failed'))
    }),
    { code: '22012' },
  )
  await new Promise(setImmediate)
  assert.deepEqual(told, [])
  await insert(sql, 4)
  assert.deepEqual(told, [[true, [4]]])
  await assert.rejects(
    sendWithCommit(sql, sql`select 1 / 0`, () => {}),
    { code: '22012' },
  )
  const rows = await sql<{ id: number }[]>`select id from lasting order by id`
  assert.deepEqual(
    rows.map(({ id }) => id),
    [1, 2, 4],
  )
  await sql.end()
})

test('sends statements of several protocols in order', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table mixed (id int generated always as identity, n int)`
  const plain = (tx: Tx, n: number) => tx.unsafe(`insert into mixed (n) values (${n}); select ${n} as n`)
  const prepared = (tx: Tx, n: number) => tx`insert into mixed (n) values (${n}) returning n`
  for (const kinds of [
    [plain, prepared, prepared],
    [prepared, plain, prepared],
    [prepared, prepared, plain],
  ]) {
    await sql`truncate mixed`
    const rows = await transaction(sql, (tx) => Promise.all(kinds.map((send, n) => send(tx, n))))
    assert.deepEqual(
      rows.map(([row]) => row?.n),
      [0, 1, 2],
    )
    const written = await sql<{ n: number }[]>`select n from mixed order by id`
    assert.deepEqual(
      written.map(({ n }) => n),
      [0, 1, 2],
    )
  }
  await sql.end()
})

test('rejects a transaction with the failure of a statement that it did not await', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table unawaited (id int primary key)`
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  for (const isFollowed of [false, true]) {
    const failed = await transaction(sql, async (tx) => {
      await tx`insert into unawaited values (1)`
      tx`select 1 / 0`.catch(() => {})
      if (isFollowed) await tx`insert into unawaited values (2)`
    }).catch((error) => error)
    assert.equal(failed.code, '22012')
  }
  let attempts = 0
  await transaction(sql, async (tx) => {
    attempts += 1
    if (attempts === 1) tx`do $$ begin raise exception using errcode = '40P01'; end $$`.catch(() => {})
  })
  assert.equal(attempts, 2)
  assert.equal((await sql`select from unawaited`).length, 0)
  assert.equal((await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid, pid)
  await sql.end()
})

test('replaces a connection when its backend stops responding', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 2_000 })
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  process.kill(pid, 'SIGSTOP')
  try {
    const failed = await sql`select 1`.catch((error) => error)
    assert.ok(isConnectionError(failed), String(failed))
    const [next] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
    assert.notEqual(next.pid, pid)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await sql.end()
})

test('does not interrupt a statement when no timeout is set', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 0 })
  // Takes longer than one interval in which the pool checks for unresponsive connections.
  assert.equal((await sql`select pg_sleep(0.7)`).length, 1)
  await sql.end()
})

test('reconnects with the first statement after a database outage', async () => {
  const socketFolder = await mkdtemp(join(tmpdir(), 'kith-away-'))
  const path = join(socketFolder, `.s.PGSQL.${connection.port}`)
  const there = join(connection.host, `.s.PGSQL.${connection.port}`)
  const sql = openDatabase({
    connection: { ...connection, host: socketFolder },
    poolSize: 3,
    statementTimeoutMs: 60_000,
  })
  for (let times = 0; times < 3; times += 1) {
    for (let n = 0; n < 10; n += 1) {
      const failed = await Promise.all(Array.from({ length: 5 }, () => sql`select 1`.catch((error) => error)))
      for (const error of failed) assert.ok(isConnectionError(error), String(error))
    }
    await symlink(there, path)
    const pids = await Promise.all(
      Array.from(
        { length: 5 },
        async () => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid,
      ),
    )
    await rm(path)
    const other = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
    const cut = Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(60)`.catch((error) => error)))
    while (
      (await other`select from pg_stat_activity where query like '%pg_sleep(60)%' and wait_event = 'PgSleep'`)
        .length < 3
    );
    await other`select pg_terminate_backend(pid) from unnest(${pids}::int[]) pid`
    for (const error of await cut) assert.ok(isConnectionError(error), String(error))
    await other.end()
  }
  await sql.end()
  await rm(socketFolder, { recursive: true })
})

test('replaces a connection when its server has become read-only', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  await sql`create table written (id int)`
  const insert = () => sql`insert into written values (1)`.then(() => {})
  for (const write of [
    insert,
    () => transaction(sql, async (tx) => void (await tx`insert into written values (1)`)),
  ]) {
    await sql`set default_transaction_read_only = on`
    const failed = await write().catch((error) => error)
    assert.equal(failed.code, '25006')
    assert.ok(isConnectionError(failed))
    await write()
  }
  await sql.end()
})

test('fails the statement but not the process when a new connection breaks at its first statement', async () => {
  const ready = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
  // Accepts the connection, and closes it when the first statement arrives.
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(ready)
      socket.once('data', () => socket.destroy())
    })
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const lostOne = { host: '127.0.0.1', port, user: 'kith', database: 'kith' }
  const sql = openDatabase({ connection: lostOne, poolSize: 2, statementTimeoutMs: 1000 })
  for (let times = 0; times < 3; times += 1) {
    const failed = await sql`select 1`.catch((error) => error)
    assert.ok(isConnectionError(failed), String(failed))
    // Waits long enough for an unhandled error event to crash the process.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await sql.end({ timeout: 0 })
  server.close()
})

test('ignores a second release of a reserved connection', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  const session = await sql.reserve()
  session.release()
  session.release()
  const holder = await sql.reserve()
  let isHeldTwice = false
  const waiting = sql.reserve().then((other) => {
    isHeldTwice = true
    other.release()
  })
  await holder`select 1`
  assert.equal(isHeldTwice, false)
  holder.release()
  await waiting
  await sql.end()
})

test('sends and reads arrays unchanged', async () => {
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 60_000 })
  const texts = ['', 'null', 'a "quoted" one', 'back\\slash', '{1,2}', ' 空 ']
  const times = ['2026-11-21 05:22:00.123456+00']
  const [row] = await sql`
    select ${texts}::text[] as texts, array[1, null, 3] as numbers, array[2::bigint ^ 40]::bigint[] as large,
           array[array[true], array[false]] as nested, '{}'::int[] as empty, array['{"a":1}'::jsonb] as documents,
           ${times}::text[]::timestamptz[] as times, array[1.5]::float8[] as fractions, ${[3, 4]}::int[] as ours,
           ${[['a', 'b"'], ['c', null]]}::text[][] as rows`
  assert.deepEqual(row, {
    texts,
    numbers: [1, null, 3],
    large: [2 ** 40],
    nested: [[true], [false]],
    empty: [],
    documents: [{ a: 1 }],
    times,
    fractions: [1.5],
    ours: [3, 4],
    rows: [
      ['a', 'b"'],
      ['c', null],
    ],
  })
  await assert.rejects(async () => sql`select ${[undefined] as never}::text[]`, /holds undefined/)
  await sql.end()
})

test('returns the current columns of a prepared statement after a migration added a column', async () => {
  const sql = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })
  await sql`create table changing (id int)`
  await sql`insert into changing values (1)`
  const readAll = () => sql`select * from changing`
  const readInTransaction = () => transaction(sql, async (tx) => [...(await tx`select * from changing`)])
  for (let n = 0; n < 4; n += 1) await Promise.all([readAll(), readInTransaction()])
  await sql`alter table changing add column name text default 'new'`
  for (let n = 0; n < 4; n += 1) {
    const [alone, inside] = await Promise.all([readAll(), readInTransaction()])
    assert.deepEqual([...alone], [{ id: 1, name: 'new' }])
    assert.deepEqual(inside, [{ id: 1, name: 'new' }])
  }
  await sql.end()
})

test('uses generic plans unless another mode is configured', async () => {
  for (const planCacheMode of [undefined, 'auto'] as const) {
    const sql = openDatabase({
      connection,
      poolSize: 1,
      statementTimeoutMs: 60_000,
      ...(planCacheMode ? { planCacheMode } : {}),
    })
    const [row] = await sql<{ plan_cache_mode: string }[]>`show plan_cache_mode`
    assert.equal(row?.plan_cache_mode, planCacheMode ?? 'force_generic_plan')
    await sql.end()
  }
})

test('connects to a database that is away with one connection of the pool at a time', async (t) => {
  let asked = 0
  const closing = createServer((socket) => {
    asked += 1
    socket.on('error', () => {})
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => closing.once('listening', resolve))
  const { port } = closing.address() as AddressInfo
  const changes: string[] = []
  const sql = openDatabase({
    connection: { host: '127.0.0.1', port, user: 'kith', database: 'kith' },
    poolSize: 20,
    statementTimeoutMs: 60_000,
    onOutage: () => void changes.push('away'),
    onReach: () => void changes.push('here'),
  })
  t.after(async () => {
    closing.close()
    await sql.end()
  })
  const failing = () => Promise.all(Array.from({ length: 20 }, () => sql`select 1`.catch(() => {})))
  await failing()
  const atFirst = asked
  assert.ok(atFirst <= 20)
  for (let round = 0; round < 3; round += 1) await failing()
  assert.equal(asked - atFirst, 3)
  assert.deepEqual(changes, ['away'])
})

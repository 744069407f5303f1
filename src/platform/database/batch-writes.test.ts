import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { batchWrites, openDatabase, type Sql, transaction } from './database.ts'
import { createScope, currentScope, type RequestScope, runInScope } from './fair-semaphore.ts'

const { sql, connection } = await createWorld()
await sql`create table hits (name text primary key, hit_count int not null default 0 check (hit_count >= 0))`

const batches: number[][] = []
const hit = batchWrites((db, numbers: number[]) =>
  transaction(db, async (tx) => {
    batches.push(numbers)
    const by = numbers.reduce((sum, each) => sum + each, 0)
    const [row] = await tx<[{ hit_count: number }]>`
      insert into hits (name, hit_count) values ('hot', ${by})
      on conflict (name) do update set hit_count = hits.hit_count + ${by} returning hit_count`
    return numbers.map((each) => [each, row.hit_count])
  }),
)

test('batches writes to a row that arrive while an earlier write to the row runs', async () => {
  batches.length = 0
  const results = await Promise.all([1, 2, 3, 4].map((number) => hit(sql, 'row', number)))
  assert.deepEqual(batches, [[1], [2, 3, 4]])
  assert.deepEqual(results, [
    [1, 1],
    [2, 10],
    [3, 10],
    [4, 10],
  ])
  await Promise.all([hit(sql, 'row', 5), hit(sql, 'another row', 6)])
  // Batches of different rows run in either order.
  assert.deepEqual(batches.slice(2).sort(), [[5], [6]])
})

test('fails only the write that the database rejects', async () => {
  await sql`delete from hits`
  const outcomes = await Promise.allSettled([1, 2, -9, 3].map((number) => hit(sql, 'row', number)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const [{ hit_count }] = await sql<[{ hit_count: number }]>`select hit_count from hits`
  assert.equal(hit_count, 6)
})

test('rejects all callers of a batch when the error does not come from PostgreSQL', async () => {
  let asked = 0
  const fail = batchWrites(async (_, items: number[]) => {
    asked += 1
    if (items.length > 1) throw new Error('gone')
    return items
  })
  const outcomes = await Promise.allSettled([1, 2, 3].map((number) => fail(sql, 'row', number)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  assert.equal(asked, 2)
  assert.equal(await fail(sql, 'row', 4), 4)
})

test('runs a batch in a scope with only the keys that all its callers share', async () => {
  const seen: (RequestScope | undefined)[] = []
  const write = batchWrites(async (db, items: number[]) => {
    seen.push(currentScope())
    await db`update hits set hit_count = hit_count + ${items.length}`
    return items
  })
  const callers = [1, 2, 3].map(
    (userId): RequestScope => ({ ...createScope(), userId, keys: [`user:${userId}`, 'route'] }),
  )
  await Promise.all(callers.map((caller, number) => runInScope(caller, () => write(sql, 'row', number))))
  assert.equal(seen[0], callers[0])
  assert.deepEqual(seen[1]?.keys, ['route'])
})

test('batches only writes to the same row of the same database', async () => {
  const other = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })
  const done: { db: Sql; items: string[] }[] = []
  const write = batchWrites(async (db, items: string[]) => {
    done.push({ db, items })
    await db`select 1`
    return items
  })
  const asked = [
    [sql, 'row'],
    [sql, 'another row'],
    [other, 'row'],
  ] as const
  await Promise.all(
    asked.flatMap(([db, row], number) => [1, 2, 3].map((n) => write(db, row, `${number} ${row} ${n}`))),
  )
  for (const [number, [db, row]] of asked.entries())
    assert.deepEqual(
      done
        .filter((each) => each.db === db && each.items[0]?.startsWith(`${number} `))
        .map(({ items }) => items),
      [[`${number} ${row} 1`], [`${number} ${row} 2`, `${number} ${row} 3`]],
    )
  assert.equal(done.length, 6)
  done.length = 0
  const many = Array.from({ length: 150 }, (_, n) => String(n))
  assert.deepEqual(await Promise.all(many.map((each) => write(sql, 'row', each))), many)
  assert.deepEqual(
    done.map(({ items }) => items.length),
    [1, 100, 49],
  )
  await other.end()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase, type Sql, transaction } from '#platform/database.ts'
import { createWorld } from '#test/world.ts'
import { type Caller, currentCaller, newCaller, onBehalfOf } from './callers.ts'
import { together } from './together.ts'

const { sql, connection } = await createWorld()
await sql`create table hits (name text primary key, hit_count int not null default 0 check (hit_count >= 0))`

const batches: number[][] = []
const hit = together((db, numbers: number[]) =>
  transaction(db, async (tx) => {
    batches.push(numbers)
    const by = numbers.reduce((sum, each) => sum + each, 0)
    const [row] = await tx<[{ hit_count: number }]>`
      insert into hits (name, hit_count) values ('hot', ${by})
      on conflict (name) do update set hit_count = hits.hit_count + ${by} returning hit_count`
    return numbers.map((each) => [each, row.hit_count])
  }),
)

test('who comes while a row is changed is done with all others who wait, in the order in which they came', async () => {
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
  // Those of two rows do not wait for one another: either may be first.
  assert.deepEqual(batches.slice(2).sort(), [[5], [6]])
})

test('what the database refuses of one fails for that one alone', async () => {
  await sql`delete from hits`
  const outcomes = await Promise.allSettled([1, 2, -9, 3].map((number) => hit(sql, 'row', number)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const [{ hit_count }] = await sql<[{ hit_count: number }]>`select hit_count from hits`
  assert.equal(hit_count, 6)
})

test('an error of the work itself is told to all of them, and the next goes ahead', async () => {
  let asked = 0
  const fail = together(async (_, items: number[]) => {
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

test('what is done at once is written on behalf of each, under the keys that all of them have', async () => {
  const seen: (Caller | undefined)[] = []
  const write = together(async (db, items: number[]) => {
    seen.push(currentCaller())
    await db`update hits set hit_count = hit_count + ${items.length}`
    return items
  })
  const callers = [1, 2, 3].map(
    (userId): Caller => ({ ...newCaller(), userId, keys: [`user:${userId}`, 'route'] }),
  )
  const before = sql.generations.clock()
  await Promise.all(callers.map((caller, number) => onBehalfOf(caller, () => write(sql, 'row', number))))
  assert.equal(seen[0], callers[0])
  assert.deepEqual(seen[1]?.keys, ['route'])
  for (const { userId = 0, hasWritten } of callers) {
    assert.equal(hasWritten, true)
    assert.ok(sql.generations.lastAct(userId) > before)
  }
})

test('only what changes the same row of the same database is done at once, and never too much of it', async () => {
  const other = openDatabase({ connection, poolSize: 2, statementTimeoutMs: 60_000 })
  const done: { db: Sql; items: string[] }[] = []
  const write = together(async (db, items: string[]) => {
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

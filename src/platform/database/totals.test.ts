import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createWorld } from '#test/world.ts'
import { createTotals } from './totals.ts'

const { as, person, sql } = await createWorld()
const founder = await person({ roles: ['founder'] })

const total = async (query = '') => {
  const { body } = await as(founder, 'GET', `/admin/sensitive-words?limit=1${query}`)
  return body.total as number
}
const addWords = (first: number, last: number) => sql`
  insert into sensitive_words (word, word_key, type)
  select 'word' || n, 'word' || n, 'warning' from generate_series(${first}::int, ${last}::int) n`

test('caches only totals above 10,000 (administration-2)', async () => {
  await addWords(1, 10_000)
  assert.equal(await total(), 10_000)
  await addWords(10_001, 10_001)
  assert.equal(await total(), 10_001)
  await addWords(10_002, 10_002)
  assert.equal(await total(), 10_001)
  assert.equal(await total('&q=word10002'), 1)
  await sql`delete from sensitive_words where word = 'word10002'`
  assert.equal(await total('&q=word10002'), 0)
})

test('recounts a cached total in the background', async () => {
  let now = 0
  let rows = 50_000
  let counted = 0
  const totals = createTotals(() => now)
  const ask = async () => {
    const answer = await totals('feeds', async () => {
      counted += 1
      return rows
    })
    await setImmediate()
    return answer
  }
  assert.equal(await ask(), 50_000)
  rows = 50_001
  now += 15_000
  assert.equal(await ask(), 50_000)
  assert.equal(counted, 1)
  now += 1
  assert.equal(await ask(), 50_000)
  assert.equal(await ask(), 50_001)
  assert.equal(counted, 2)
  rows = 60_000
  now += 600_001
  assert.equal(await ask(), 60_000)
  rows = 9_000
  now += 15_001
  assert.equal(await ask(), 60_000)
  assert.equal(await ask(), 9_000)
  rows = 9_001
  assert.equal(await ask(), 9_001)
})

test('retries a failed background count', async () => {
  let now = 0
  let fails = true
  const totals = createTotals(() => now)
  const ask = async () => {
    const answer = await totals('feeds', async () => {
      if (fails) throw new Error('away')
      return 20_000 + now
    })
    await setImmediate()
    return answer
  }
  await assert.rejects(ask(), /away/)
  fails = false
  assert.equal(await ask(), 20_000)
  fails = true
  now = 15_001
  assert.equal(await ask(), 20_000)
  fails = false
  assert.equal(await ask(), 20_000)
  assert.equal(await ask(), 35_001)
})

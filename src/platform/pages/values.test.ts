import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { keptValues } from './values.ts'

const { ctx, sql } = await createWorld({ KEPT_PAGES_VERIFY: 'false' })

test('a value is read once until its table is written, and each time where nothing is kept', async () => {
  let reads = 0
  const value = keptValues<{ runs: number }>(5)
  /** What is found, and whether it was read for this. */
  const look = async (of = ctx) => {
    const before = reads
    const { runs } = await value(of, 'runs', async () => {
      reads += 1
      const [row] = await sql<[{ runs: number }]>`select count(*)::int as runs from backup_runs`
      return row
    })
    return [runs, reads > before]
  }
  /** Looks until it is kept, which it is as soon as this process hears of writes. */
  const settle = async () => {
    for (let time = 0; time < 100 && (await look())[1]; time += 1)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await settle()
  assert.deepEqual(await look(), [0, false])
  await sql`insert into backup_runs (place, bytes, seconds) values ('here', 1, 1)`
  assert.deepEqual(await look(), [1, true])
  await settle()
  const none = { ...ctx, config: { ...ctx.config, keptPages: { ...ctx.config.keptPages, bytes: 0 } } }
  for (let time = 1; time <= 3; time += 1) assert.deepEqual(await look(none), [1, true])
})

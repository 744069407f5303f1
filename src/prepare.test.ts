import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasJobQueue } from '#platform/jobs'
import { createWorld } from '#test/world.ts'
import { prepareDatabase } from './prepare.ts'

const { ctx, sql, connection } = await createWorld()

test('completes a job queue whose creation was interrupted', async () => {
  await sql`drop index graphile_worker.kith_locked_jobs`
  assert.equal(await hasJobQueue(sql), false)
  assert.deepEqual(await prepareDatabase(ctx, connection), [])
  assert.equal(await hasJobQueue(sql), true)
})

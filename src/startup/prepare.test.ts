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

test('adds abilities that an interrupted upgrade left out, and preserves changes of roles', async () => {
  await sql`delete from role_abilities where ability in ('admin: advertising', 'feed-post')`
  await sql`delete from abilities where name = 'admin: advertising'`
  await prepareDatabase(ctx, connection)
  const granted = await sql<{ name: string; ability: string }[]>`
    select r.name, ability from role_abilities join roles r on r.id = role_id
    where ability in ('admin: advertising', 'feed-post')`
  assert.deepEqual([...granted], [{ name: 'founder', ability: 'admin: advertising' }])
})

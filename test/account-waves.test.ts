import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWaitingJobs } from '#platform/jobs'
import { createWorld } from '#test/world.ts'
import { allTasks } from '../src/worker.ts'

const COUNT = Number(process.env.KITH_WAVE_ACCOUNTS ?? 200)
const BATCH = 50
/** Maximum number of statements of one batch. A statement for each account would need more. */
const STATEMENTS_MAX = 30

let seen: string[] | undefined
const { as, person, sql, ctx, connection } = await createWorld(
  {},
  { onQuery: ({ text }) => void seen?.push(text) },
)

test('disables all followers of an account in bounded batches, and brings them back (administration-32)', async (t) => {
  const founder = await person({ roles: ['founder', 'owner'] })
  const target = await person()
  await sql`
    with made as (
      insert into users (name, name_key) select 'wave_' || n, 'wave_' || n from generate_series(1, ${COUNT}::int) n
      returning id
    ),
    counts as (
      insert into user_counts (user_id, followings_count) select id, 1 from made
    ),
    uses as (
      insert into invitation_uses (user_id, inviter_id) select id, ${target.id} from made
    ),
    families as (
      insert into token_families (user_id, id) select id, gen_random_uuid() from made
    )
    insert into user_follows (user_id, target_id) select id, ${target.id} from made`
  await sql`update user_counts set followers_count = ${COUNT} where user_id = ${target.id}`
  const followers = async () => (await as(founder, 'GET', `/users/${target.id}`)).body.extra.followers_count
  assert.equal(await followers(), COUNT)

  const made = await as(founder, 'POST', '/admin/account-waves', { invited_by: target.id })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const path = `/admin/account-waves/${made.body.id}`
  assert.deepEqual((await as(founder, 'GET', path)).body.totals.followers, 0)
  const tasks = allTasks(ctx)
  const run = async () => {
    seen = []
    await tasks.run_account_wave!({ id: made.body.id }, {} as never)
    const statements = seen
    seen = undefined
    const batches: string[][] = []
    for (const text of statements) {
      // Each batch begins by locking the wave.
      if (/from account_waves w where w.id = .* for no key update/s.test(text)) batches.push([])
      batches.at(-1)?.push(text)
    }
    // One more transaction finds nothing left.
    assert.equal(batches.length, COUNT / BATCH + 1)
    assert.ok(Math.max(...batches.map(({ length }) => length)) <= STATEMENTS_MAX)
    return { batches: batches.length, most: Math.max(...batches.map(({ length }) => length)) }
  }
  const settle = () => runWaitingJobs(connection, { settle_follows: tasks.settle_follows! })

  const decision = { action: 'disable', reason: 'Bought followers' }
  assert.equal((await as(founder, 'POST', `${path}/decision`, decision)).status, 204)
  const disabling = await run()
  t.diagnostic(
    `${COUNT} accounts: ${disabling.batches} transactions with at most ${disabling.most} statements`,
  )
  const [{ jobs }] = await sql<[{ jobs: number }]>`
    select count(*)::int as jobs from graphile_worker.jobs where task_identifier = 'settle_follows'`
  assert.equal(jobs, COUNT / BATCH)
  const [{ open }] = await sql<[{ open: number }]>`
    select count(*)::int as open from token_families f join invitation_uses n using (user_id) where revoked_at is null`
  assert.equal(open, 0)
  await settle()
  assert.equal(await followers(), 0)
  assert.equal((await as(founder, 'GET', `/users/${target.id}/followers`)).body.length, 0)
  const { state, processed } = (await as(founder, 'GET', path)).body
  assert.deepEqual([state, processed], ['done', COUNT])

  assert.equal((await as(founder, 'POST', `${path}/undo`, { reason: 'A mistake' })).status, 204)
  await run()
  await settle()
  assert.equal(await followers(), COUNT)
  assert.equal((await as(founder, 'GET', path)).body.state, 'undone')
})

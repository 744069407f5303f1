import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareEjabberd, skipEjabberd } from '#test/fixtures/ejabberd.ts'
import { createWorld } from '#test/world.ts'

const PEOPLE = 10_000

test('registers ten thousand users at the chat provider', {
  skip: skipEjabberd,
}, async (t) => {
  const service = await prepareEjabberd()
  try {
    await service.start()
    const { as, person, sql, work } = await createWorld(service.env)
    const founder = await person({ roles: ['founder', 'owner'] })
    await work()
    await sql`
        insert into users (name, name_key) select 'many_' || n, 'many_' || n from generate_series(1, ${PEOPLE}) as n`
    const begun = Date.now()
    assert.equal((await as(founder, 'POST', '/im/register-old-users')).status, 201)
    let over = false
    const working = work().finally(() => {
      over = true
    })
    const progress: number[] = []
    while (!over) {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      const { body } = await as(founder, 'GET', '/admin/im')
      progress.push(body.registration.done)
      t.diagnostic(`${body.registration.done} of ${body.registration.total}`)
      if (progress.length === 5) await service.stop().then(() => service.start())
      if (over && body.registration.finished_at === null) {
        await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`
        over = false
        void work().finally(() => {
          over = true
        })
      }
    }
    await working
    const { body } = await as(founder, 'GET', '/admin/im')
    assert.deepEqual([body.registration.done, body.registration.total], [PEOPLE, PEOPLE])
    assert.deepEqual([body.unregistered, body.waiting_accounts], [0, 0])
    assert.ok(body.registration.finished_at)
    assert.deepEqual(
      progress,
      [...progress].sort((one, other) => one - other),
    )
    t.diagnostic(`${PEOPLE} people in ${Math.round((Date.now() - begun) / 1000)} s`)
  } finally {
    await service.remove()
  }
})

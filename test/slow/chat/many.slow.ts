import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepareEjabberd, skipEjabberd } from '#test/fixtures/ejabberd.ts'
import { createWorld } from '#test/world.ts'

const PEOPLE = 10_000

test('registers ten thousand users at the chat provider, which restarts meanwhile', {
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
    const readState = async () => (await as(founder, 'GET', '/admin/im')).body
    const workAgain = () => {
      const state = { over: false }
      void work().finally(() => {
        state.over = true
      })
      return state
    }
    let working = workAgain()
    const progress: number[] = []
    let doneAtRestart: number | undefined
    // The registration leaves users of the batch during the restart to retries of their own.
    const isComplete = ({
      registration,
      unregistered,
      waiting_accounts,
    }: Awaited<ReturnType<typeof readState>>) =>
      registration.finished_at && unregistered + waiting_accounts === 0
    for (let body = await readState(); !(working.over && isComplete(body)); ) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      body = await readState()
      const { done, total } = body.registration
      if (done !== progress.at(-1)) t.diagnostic(`${done} of ${total}`)
      progress.push(done)
      if (doneAtRestart === undefined && done > 0) {
        await service.stop()
        doneAtRestart = (await readState()).registration.done as number
        await service.start()
      }
      if (working.over && !isComplete(body)) {
        await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`
        working = workAgain()
      }
    }
    const body = await readState()
    assert.ok(doneAtRestart !== undefined && doneAtRestart < PEOPLE, `restarted at ${doneAtRestart}`)
    assert.equal(body.registration.total, PEOPLE)
    assert.ok(body.registration.done > doneAtRestart, `${body.registration.done} done`)
    assert.equal(body.accounts, PEOPLE + 1)
    assert.deepEqual(
      progress,
      [...progress].sort((one, other) => one - other),
    )
    t.diagnostic(`${PEOPLE} people in ${Math.round((Date.now() - begun) / 1000)} s`)
  } finally {
    await service.remove()
  }
})

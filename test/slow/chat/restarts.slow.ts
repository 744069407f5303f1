import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDrift, reconcile } from '#modules/im/drift.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { prepareEjabberd, skipEjabberd } from '#test/fixtures/ejabberd.ts'
import { converge, makeChanges } from '#test/fixtures/im-changes.ts'
import { createWorld } from '#test/world.ts'

test('loses none of 200 changes when the chat provider restarts midway', { skip: skipEjabberd }, async () => {
  const service = await prepareEjabberd()
  try {
    await service.start()
    const world = await createWorld({ ...service.env, IM_CONFIRM_MS: '300', IM_TIMEOUT_MS: '5000' })
    let stopping: Promise<unknown> = Promise.resolve()
    const { statuses, groups } = await makeChanges(world, 200, (n) => {
      if (n === 60) stopping = service.stop()
      if (n === 140) stopping = stopping.then(() => service.start())
    })
    await stopping
    assert.ok((statuses.get(202) ?? 0) > 20, `202 was answered ${statuses.get(202)} times`)
    assert.ok((statuses.get(201) ?? 0) > 20, `201 was answered ${statuses.get(201)} times`)
    await converge(world)
    assert.deepEqual(await findDrift(world.ctx), [])
    const state = await reconcile(world.ctx)
    assert.deepEqual(state, { restored: 0, drift: [] })
    const { sql, as } = world
    const [left] = await sql<[{ groups: number; announcements: number }]>`
      select (select count(*)::int from im_groups) as groups,
        (select count(*)::int from im_announcements) as announcements`
    assert.deepEqual(left, { groups, announcements: 0 })
    const some = await sql<{ user_id: number }[]>`select user_id from im_accounts order by user_id limit 3`
    for (const { user_id } of some) {
      const { access_token: token } = await issueToken(sql, user_id)
      const answer = await as({ id: user_id, name: '', token }, 'GET', '/im/password')
      assert.equal(await service.hasPassword(String(user_id), answer.body.im_pwd_hash), true)
    }
  } finally {
    await service.remove()
  }
})

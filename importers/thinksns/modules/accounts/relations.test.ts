import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'
import { followed } from './relations.ts'

const { sql, as, person, work } = await createWorld()

test('removes a follow of a disabled account that the old site removed, for good', async () => {
  const [admin, ann, ben] = [await person({ roles: ['founder', 'owner'] }), await person(), await person()]
  const change = async (disabled: boolean) => {
    assert.equal((await as(admin, 'PATCH', `/admin/users/${ben.id}`, { disabled })).status, 204)
    await work()
  }
  assert.equal((await as(ben, 'PUT', `/user/followings/${ann.id}`)).status, 204)
  await change(true)
  assert.equal((await sql`select from withheld_follows where user_id = ${ben.id}`).count, 1)

  const range = { from: ben.id, to: ben.id + 1 }
  await transaction(sql, async (tx) => {
    await followed.gone.before?.(tx, range)
    await followed.gone.after?.(tx, range, [], [])
  })
  await change(false)
  assert.equal((await sql`select from user_follows where user_id = ${ben.id}`).count, 0)
  assert.equal((await as(ann, 'GET', '/user')).body.extra.followers_count, 0)
})

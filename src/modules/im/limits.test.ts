import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, person, sql } = world
type Body = Record<string, unknown>
const { makeGroup, read, change, memberIds } = imGroupsOf(world)

test("enforces the limits of a chat group's settings", async () => {
  const [owner, ...others] = [await person(), await person(), await person()]
  const members = others.map((each) => each.id).join(',')
  const tell = async (body: Body) =>
    (await as(owner, 'POST', '/im/group', { groupname: 'G', desc: '', ...body })).status
  assert.equal(await tell({ groupname: 'x'.repeat(129) }), 422)
  assert.equal(await tell({ groupname: '\u200b' }), 422)
  assert.equal(await tell({ groupname: '' }), 422)
  assert.equal(await tell({ desc: 'x'.repeat(513) }), 422)
  assert.equal(await tell({ desc: undefined }), 422)
  for (const maxusers of [0, 1, 2001, -5, 'many']) assert.equal(await tell({ maxusers }), 422)
  assert.equal(await tell({ members_only: 'perhaps' }), 422)
  assert.equal(await tell({ maxusers: 2, members }), 422)
  assert.equal(await tell({ members: '999999999' }), 422)
  const id = await makeGroup(owner, { maxusers: 3, members })
  const small = await change(owner, id, { maxusers: 2 })
  assert.deepEqual([small.status, Object.keys(small.body.errors)], [422, ['maxusers']])
  const full = await change(owner, id, { maxusers: 3, new_owner_user: (await person()).id })
  assert.deepEqual([full.status, Object.keys(full.body.errors)], [422, ['new_owner_user']])
  assert.equal((await change(owner, id, { new_owner_user: 999999999 })).status, 422)
  assert.deepEqual((await memberIds(owner, id)).length, 3)
})

test('enforces the member limit of a group when additions race', async () => {
  const owner = await person()
  const others = await Promise.all(Array.from({ length: 6 }, () => person()))
  const id = await makeGroup(owner, { maxusers: 4 })
  const answers = await Promise.all(
    others.map((each) =>
      as(owner, 'POST', '/im/group/member', { im_group_id: Number(id), members: each.id }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 422, 422, 422])
  assert.equal((await read(owner, id)).affiliations_count, 4)
  const [there] = await sql<{ members: string[] }[]>`
    select members from im_embedded_groups where id = ${id}`
  assert.equal(there?.members.length, 4)
})

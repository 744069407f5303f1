import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imGroupsOf } from '#test/fixtures/im-groups.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const founder = await person({ roles: ['founder', 'owner'] })

type Body = Record<string, unknown>
const { makeGroup, read, change, memberIds } = imGroupsOf(world)
const addUpload = (owner: Person) => uploadPicture(world, owner)

test('rejects changes of a group by members and strangers (im-8)', async () => {
  const [owner, member, stranger] = [await person(), await person(), await person()]
  const id = await makeGroup(owner, { members: String(member.id), allowinvites: 0 })
  for (const viewer of [member, stranger]) {
    assert.equal((await change(viewer, id, { new_owner_user: viewer.id })).status, 403)
    assert.equal((await as(viewer, 'DELETE', '/im/group', { im_group_id: Number(id) })).status, 403)
    const members = { im_group_id: Number(id), members: String(owner.id) }
    assert.equal((await as(viewer, 'DELETE', '/im/group/member', members)).status, 403)
    assert.equal((await as(viewer, 'POST', '/im/group/member', members)).status, 403)
  }
  assert.equal((await read(owner, id)).owner, String(owner.id))
  assert.deepEqual(await memberIds(owner, id), [owner.id, member.id])
})

test('adds no members when one of the given ids is unknown (im-9)', async () => {
  const [owner, one, two] = [await person(), await person(), await person()]
  const id = await makeGroup(owner)
  const add = (members: unknown) =>
    as(owner, 'POST', '/im/group/member', { im_group_id: Number(id), members })
  const refused = await add(`${one.id},${two.id},999999999`)
  assert.equal(refused.status, 422)
  assert.ok(refused.body.errors.members)
  assert.deepEqual(await memberIds(owner, id), [owner.id])
  assert.equal((await add(`${one.id},x`)).status, 422)
  const added = await add(`${one.id}, ${two.id},`)
  assert.deepEqual([added.status, added.body], [201, []])
  assert.deepEqual(new Set(await memberIds(owner, id)), new Set([owner.id, one.id, two.id]))
  assert.equal((await add([one.id])).status, 201)
  assert.equal((await read(owner, id)).affiliations_count, 3)
})

test('returns the documented fields of a group (im-10)', async () => {
  const [owner, member] = [await person(), await person()]
  const id = await makeGroup(owner, { members: `${member.id},${owner.id}`, maxusers: '5', members_only: 1 })
  const group = await read(member, id)
  const { affiliations, created, ...rest } = group
  assert.deepEqual(rest, {
    id,
    name: 'Hikers',
    description: 'On foot',
    membersonly: true,
    allowinvites: true,
    maxusers: 5,
    owner: String(owner.id),
    custom: '',
    affiliations_count: 2,
    public: true,
    group_face: '',
  })
  assert.match(String(created), /^\d{13}$/)
  assert.deepEqual(
    affiliations.map((each: { id: number; is_owner: number }) => [each.id, each.is_owner]),
    [
      [owner.id, 1],
      [member.id, 0],
    ],
  )
  assert.equal(affiliations[0].name, owner.name)
  for (const field of [
    'bio',
    'sex',
    'location',
    'created_at',
    'updated_at',
    'avatar',
    'bg',
    'verified',
    'extra',
  ])
    assert.ok(field in affiliations[0], field)
  assert.ok('certification' in affiliations[0])
})

test('returns visible groups with the account names of their members', async () => {
  const [owner, member, stranger] = [await person(), await person(), await person()]
  const id = await makeGroup(owner, { members: member.id })
  const closed = await makeGroup(owner, { public: 0 })
  const brief = await as(member, 'GET', `/im/groups?im_group_id=${id}`)
  assert.equal(brief.status, 200)
  const { affiliations: _, ...full } = await read(member, id)
  assert.deepEqual(brief.body, [
    { ...full, affiliations: [{ owner: String(owner.id) }, { member: String(member.id) }] },
  ])
  const both = await as(stranger, 'GET', `/easemob/groups?im_group_id=${closed},${id}`)
  assert.deepEqual(
    both.body.map((group: { id: string }) => group.id),
    [id],
  )
  assert.equal((await as(stranger, 'GET', `/im/groups?im_group_id=${closed}`)).status, 404)
  assert.equal((await as(stranger, 'GET', '/im/groups')).status, 422)
})

test('returns groups in the requested order without hidden ones (im-7)', async () => {
  const [owner, stranger] = [await person(), await person()]
  const open = await makeGroup(owner)
  const closed = await makeGroup(owner, { public: 0 })
  const ask = (viewer: Person, ids: string) => as(viewer, 'GET', `/im/group?im_group_id=${ids}`)
  const idsOf = (answer: { body: { id: string }[] }) => answer.body.map((each) => each.id)
  assert.deepEqual(idsOf(await ask(owner, `${closed},999999,${open},${closed}`)), [closed, open])
  assert.deepEqual(idsOf(await ask(stranger, `${closed},${open}`)), [open])
  assert.deepEqual(idsOf(await ask(founder, closed)), [closed])
  assert.equal((await ask(stranger, closed)).status, 404)
  for (const other of [
    'abc',
    `0${open}`,
    `${open}.0`,
    `${open}e0`,
    `%2B${open}`,
    `0x${Number(open).toString(16)}`,
  ])
    assert.equal((await ask(stranger, other)).status, 404, other)
  assert.equal((await ask(stranger, '')).status, 422)
  assert.equal((await change(stranger, closed)).status, 404)
  assert.equal((await as(stranger, 'DELETE', `/im/group?im_group_id=${closed}`)).status, 404)
  const faces = await as(stranger, 'GET', `/im/group/face?im_group_id=${closed},${open}`)
  assert.deepEqual(faces.body, [{ im_group_id: open, group_face: 0 }])
})

test('resets settings to their defaults when a change of a group omits them (im-6)', async () => {
  const [owner, heir] = [await person(), await person()]
  const id = await makeGroup(owner, { public: 0, maxusers: 7, allowinvites: 0, members_only: 1 })
  const face = await addUpload(owner)
  const answer = await change(owner, id, { group_face: face })
  assert.equal(answer.status, 201)
  const url = `${ctx.config.publicUrl}/api/v2/files/${face}`
  const expected = {
    groupname: 'Hikers',
    desc: '',
    public: true,
    maxusers: 200,
    members_only: false,
    allowinvites: true,
    group_face: url,
    im_group_id: id,
  }
  assert.deepEqual(answer.body, expected)
  const again = await change(owner, id, { group_face: face, new_owner_user: heir.id })
  assert.deepEqual(again.body, { ...expected, newowner: String(heir.id) })
  const faces = await as(heir, 'GET', `/im/group/face?im_group_id=${id}`)
  assert.deepEqual(faces.body, [{ im_group_id: id, group_face: face }])
  assert.deepEqual(await memberIds(owner, id), [heir.id, owner.id])
  assert.equal((await change(owner, id)).status, 403)
  assert.equal((await change(heir, id, { group_face: await addUpload(owner) })).status, 422)
  assert.equal((await read(heir, id)).group_face, url)
})

test('lets every member except the owner leave a group', async () => {
  const [owner, member, third, blocker] = [await person(), await person(), await person(), await person()]
  const id = await makeGroup(owner, { members: member.id })
  const members = (who: Person) => ({ im_group_id: Number(id), members: String(who.id) })
  assert.equal((await as(third, 'POST', '/im/group/member', members(third))).status, 403)
  assert.equal((await as(member, 'POST', '/im/group/member', members(third))).status, 201)
  await as(blocker, 'POST', `/user/black/${member.id}`)
  assert.equal((await as(member, 'POST', '/im/group/member', members(blocker))).status, 403)
  assert.equal((await as(member, 'DELETE', '/im/group/member', members(third))).status, 403)
  assert.equal((await as(third, 'DELETE', '/im/group/member', members(third))).status, 204)
  assert.equal((await as(owner, 'DELETE', '/im/group/member', members(owner))).status, 422)
  assert.equal((await as(owner, 'DELETE', '/im/group/member', members(third))).status, 204)
  const unknown = { im_group_id: Number(id), members: '999999999' }
  assert.equal((await as(owner, 'DELETE', '/im/group/member', unknown)).status, 422)
  assert.deepEqual(await memberIds(owner, id), [owner.id, member.id])
})

test('deletes a group from the database and at the provider', async () => {
  const owner = await person()
  const id = await makeGroup(owner)
  assert.equal((await as(owner, 'DELETE', `/easemob/group?im_group_id=${id}`)).status, 204)
  assert.equal((await as(owner, 'DELETE', '/im/group', { im_group_id: id })).status, 404)
  assert.equal((await as(owner, 'GET', `/im/group?im_group_id=${id}`)).status, 404)
  assert.equal((await sql`select from im_groups where id = ${id}`).length, 0)
  assert.equal((await sql`select from im_embedded_groups where id = ${id}`).length, 0)
})

test('omits disabled members from a group', async () => {
  const [owner, member] = [await person(), await person()]
  const id = await makeGroup(owner, { members: member.id })
  await sql`update users set deleted_at = now() where id = ${member.id}`
  assert.deepEqual(await memberIds(owner, id), [owner.id])
  assert.equal((await as(owner, 'POST', `/im/register/${member.id}`)).status, 404)
})

test('counts exactly the listed members of a group after a member or the owner is disabled (im-5)', async () => {
  const [owner, member, gone] = [await person(), await person(), await person()]
  const id = await makeGroup(owner, { members: `${member.id},${gone.id}` })
  const shown = async () => {
    const [full, brief] = [
      await read(member, id),
      (await as(member, 'GET', `/im/groups?im_group_id=${id}`)).body[0],
    ]
    assert.equal(full.affiliations_count, full.affiliations.length)
    assert.equal(brief.affiliations_count, brief.affiliations.length)
    assert.deepEqual([full.owner, brief.owner], [String(owner.id), String(owner.id)])
    return [full.affiliations.map((each: { id: number }) => each.id), brief.affiliations]
  }
  const names = [{ owner: String(owner.id) }, { member: String(member.id) }]
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  assert.deepEqual(await shown(), [[owner.id, member.id], names])
  await sql`update users set deleted_at = now() where id = ${owner.id}`
  assert.deepEqual(await shown(), [[member.id], names])
})

test('lets a user with the ability for chat groups manage groups of other users', async () => {
  const [owner, member] = [await person(), await person()]
  const id = await makeGroup(owner, { public: 0 })
  const members = { im_group_id: Number(id), members: String(member.id) }
  assert.equal((await as(founder, 'POST', '/im/group/member', members)).status, 201)
  assert.equal((await change(founder, id, { public: 0 })).status, 201)
  assert.equal((await as(founder, 'DELETE', '/im/group/member', members)).status, 204)
  assert.equal((await as(founder, 'DELETE', '/im/group', { im_group_id: Number(id) })).status, 204)
})

/**
 * Expected statuses for a guest, a stranger, a member, the owner, and a user with the ability for chat
 * groups.
 */
const MATRIX: [string, (id: string, who: Person, other: Person) => [string, string, Body?], number[]][] = [
  ['register themselves', (_id, who) => ['POST', `/register/${who.id}`], [401, 201, 201, 201, 201]],
  [
    'register another user',
    (_id, _who, other) => ['POST', `/register/${other.id}`],
    [401, 403, 403, 403, 201],
  ],
  [
    'register several users',
    (_id, who) => ['POST', '/register', { user_ids: `${who.id}` }],
    [401, 403, 403, 403, 201],
  ],
  ['register all users', () => ['POST', '/register-old-users'], [401, 403, 403, 403, 201]],
  ['set a new password', () => ['PUT', '/password'], [401, 201, 201, 201, 201]],
  ['read their own password', () => ['GET', '/password'], [401, 201, 201, 201, 201]],
  ['read a private group', (id) => ['GET', `/group?im_group_id=${id}`], [401, 404, 200, 200, 200]],
  ['read a private group in brief', (id) => ['GET', `/groups?im_group_id=${id}`], [401, 404, 200, 200, 200]],
  ['make a group', () => ['POST', '/group', { groupname: 'x', desc: 'y' }], [401, 201, 201, 201, 201]],
  ['read the picture', (id) => ['GET', `/group/face?im_group_id=${id}`], [401, 200, 200, 200, 200]],
  [
    'add a member',
    (id, _who, other) => ['POST', '/group/member', { im_group_id: id, members: `${other.id}` }],
    [401, 404, 403, 201, 201],
  ],
  [
    'remove a member',
    (id, _who, other) => ['DELETE', '/group/member', { im_group_id: id, members: `${other.id}` }],
    [401, 404, 403, 204, 204],
  ],
  [
    'change the group',
    (id) => ['PATCH', '/group', { im_group_id: id, groupname: 'x', desc: 'y', public: 0, allowinvites: 0 }],
    [401, 404, 403, 201, 201],
  ],
  ['delete the group', (id) => ['DELETE', '/group', { im_group_id: id }], [401, 404, 403, 204, 204]],
]

for (const prefix of ['/im', '/easemob'])
  for (const [what, requestOf, statuses] of MATRIX)
    test(`allows only permitted users to ${what} (${prefix})`, async () => {
      const [owner, member, stranger, other] = [
        await person(),
        await person(),
        await person(),
        await person(),
      ]
      const found: number[] = []
      for (const who of [null, stranger, member, owner, founder]) {
        const id = await makeGroup(owner, { public: 0, allowinvites: 0, members: `${member.id}` })
        const [method, path, body] = requestOf(id, who ?? stranger, other)
        const answer = who
          ? await as(who, method as 'GET', prefix + path, body)
          : await guest(method as 'GET', prefix + path, body)
        found.push(answer.status)
      }
      assert.deepEqual(found, statuses)
    })

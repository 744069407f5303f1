import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupWorld } from '#test/fixtures/founded.ts'
import type { Person } from '#test/world.ts'

const {
  as,
  guest,
  person,
  sql,
  group,
  memberId,
  join,
  member,
  post,
  read,
  people,
  told,
  work,
  assertNoDrift,
} = await groupWorld()

describe('management of group members', () => {
  test('returns 404 when a founder acts on a member of another group (groups-11, conventions-11)', async () => {
    const [founder, other] = await people(2)
    const [mine, theirs] = [await group(founder!), await group(other!)]
    const victim = await member(theirs, other!)
    const id = await memberId(theirs, victim)
    for (const [method, path] of [
      ['DELETE', `members/${id}`],
      ['PUT', `managers/${id}`],
      ['DELETE', `managers/${id}`],
      ['PUT', `blacklist/${id}`],
      ['DELETE', `blacklist/${id}`],
      ['PATCH', `members/${id}/audit`],
    ] as const)
      assert.equal((await as(founder!, method, `/groups/${mine}/${path}`, { status: 1 })).status, 404, path)
    assert.equal((await read(victim, theirs)).joined.role, 'member')
  })

  test('lets a manager remove only members of lower rank (groups-11)', async () => {
    const founder = await person()
    const id = await group(founder)
    const [admin, peer, plain] = [
      await member(id, founder),
      await member(id, founder),
      await member(id, founder),
    ]
    const url = async (kind: string, who: Person) => `/groups/${id}/${kind}/${await memberId(id, who)}`
    for (const each of [admin, peer])
      assert.equal((await as(founder, 'PUT', await url('managers', each))).status, 201)
    const refused = await as(admin, 'PUT', await url('managers', plain))
    assert.deepEqual([refused.status, refused.headers['x-error-code']], [403, 'not_the_group_founder'])
    assert.equal((await as(admin, 'DELETE', await url('members', peer))).status, 403)
    assert.equal((await as(admin, 'DELETE', await url('members', founder))).status, 403)
    assert.equal((await as(admin, 'DELETE', await url('members', plain))).status, 204)
    assert.equal((await read(founder, id)).users_count, 3)
    assert.equal((await as(founder, 'DELETE', await url('managers', founder))).status, 403)
    const managers = (await guest('GET', `/groups/${id}/members?type=manager`)).body
    assert.deepEqual(
      managers.map(({ user_id }: { user_id: number }) => user_id),
      [peer.id, admin.id, founder.id],
    )
    const counts = (await as(plain, 'GET', `/groups/${id}/role/count`)).body
    assert.deepEqual(counts, { member_count: 0, admin_count: 3 })
    assert.equal((await as(founder, 'DELETE', await url('managers', peer))).status, 204)
    assert.equal((await as(founder, 'DELETE', await url('managers', peer))).status, 403)
    await assertNoDrift()
  })

  test('limits a group to five administrators when promotions race (groups-11)', async () => {
    const founder = await person()
    const id = await group(founder)
    const members = await Promise.all(Array.from({ length: 7 }, () => member(id, founder)))
    const ids = await Promise.all(members.map((each) => memberId(id, each)))
    const answers = await Promise.all(ids.map((each) => as(founder, 'PUT', `/groups/${id}/managers/${each}`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 422, 422])
  })

  test('denies a blacklisted member access to the posts of a private group (groups-10, groups-12)', async () => {
    const founder = await person()
    const id = await group(founder, { mode: 'private' })
    const bad = await member(id, founder)
    const postId = await post(founder, id)
    assert.equal((await as(bad, 'GET', `/groups/${id}/posts/${postId}`)).status, 200)
    const url = `/groups/${id}/blacklist/${await memberId(id, bad)}`
    assert.equal((await as(founder, 'PUT', url)).status, 201)
    assert.equal((await read(founder, id)).blacklist_count, 1)
    for (const path of [
      `/groups/${id}/posts`,
      `/groups/${id}/posts/${postId}`,
      `/group-posts/${postId}/likes`,
    ])
      assert.equal((await as(bad, 'GET', path)).status, 404, path)
    assert.equal((await as(bad, 'GET', `/groups/${id}`)).status, 200)
    const preview = async () => (await as(bad, 'GET', `/groups/${id}/preview-posts`)).body.length
    assert.equal(await preview(), 0)
    for (const [method, path, status] of [
      ['POST', `/groups/${id}/posts`, 403],
      ['POST', `/group-posts/${postId}/likes`, 404],
      ['POST', `/group-posts/${postId}/comments`, 404],
      ['POST', `/reports/posts/${postId}`, 404],
      ['DELETE', `/groups/${id}/exit`, 403],
    ] as const)
      assert.equal((await as(bad, method, path, {})).status, status, path)
    const list = await as(founder, 'GET', `/groups/${id}/members?type=blacklist`)
    assert.deepEqual([list.body.length, list.body[0].disabled], [1, 1])
    assert.equal((await as(bad, 'GET', `/groups/${id}/members?type=blacklist`)).status, 403)
    assert.equal((await as(founder, 'DELETE', url)).status, 204)
    assert.equal(await preview(), 1)
    assert.equal((await as(bad, 'POST', `/group-posts/${postId}/likes`)).status, 201)
  })

  test("omits a group from a user's list of groups after the group blacklists the user", async () => {
    const founder = await person()
    const id = await group(founder)
    const bad = await member(id, founder)
    const groupsOf = async () => (await as(founder, 'GET', `/groups/users?user_id=${bad.id}`)).body
    assert.deepEqual(
      (await groupsOf()).map((each: { id: number }) => each.id),
      [id],
    )
    const url = `/groups/${id}/blacklist/${await memberId(id, bad)}`
    assert.equal((await as(founder, 'PUT', url)).status, 201)
    assert.deepEqual(await groupsOf(), [])
  })

  test('transfers a group only to an active member (groups-14)', async () => {
    const founder = await person()
    const id = await group(founder, { mode: 'private' })
    const [heir, bad, waiting] = [await member(id, founder), await member(id, founder), await person()]
    const url = `/groups/${id}/owner`
    const blacklisted = `/groups/${id}/blacklist/${await memberId(id, bad)}`
    assert.equal((await as(founder, 'PUT', blacklisted)).status, 201)
    const codeFor = async (target: Person) => {
      const { status, headers } = await as(founder, 'PATCH', url, { target: target.id })
      return [status, headers['x-error-code']]
    }
    await as(waiting, 'PUT', `/groups/${id}`)
    assert.deepEqual(await codeFor(heir), [422, 'join_requests_waiting'])
    await as(waiting, 'DELETE', `/groups/${id}/exit`)
    for (const other of [waiting, bad]) assert.deepEqual(await codeFor(other), [422, 'not_an_active_member'])
    assert.equal((await as(heir, 'PATCH', url, { target: heir.id })).status, 403)
    assert.equal((await as(founder, 'PATCH', url, { target: heir.id })).status, 201)
    const view = await read(heir, id)
    assert.deepEqual([view.founder.user_id, view.joined.role, view.user_id], [heir.id, 'founder', founder.id])
    assert.equal((await as(founder, 'DELETE', `/groups/${id}/exit`)).status, 204)
    assert.ok((await told(heir)).includes('group:transfer'))
  })

  test('finds group members by a part of their name (groups-13)', async () => {
    const founder = await person()
    const id = await group(founder)
    const named = await join(id, founder, await person({ name: 'Ekaterina' }))
    const { body } = await guest('GET', `/groups/${id}/members?name=kater`)
    assert.deepEqual(
      body.map(({ user_id }: { user_id: number }) => user_id),
      [named.id],
    )
  })
})

test('lets only the founder change a group to a more open mode (groups-2)', async () => {
  const [founder, manager, stranger] = [await person(), await person(), await person()]
  const id = await group(founder, { mode: 'private' })
  await join(id, founder, manager)
  const member = await join(id, founder, await person())
  const promoted = `/groups/${id}/managers/${await memberId(id, manager)}`
  assert.equal((await as(founder, 'PUT', promoted)).status, 201)
  const old = await post(member, id)
  const change = (by: Person, body: object) => as(by, 'POST', `/groups/${id}`, body)
  for (const mode of ['public', 'paid']) {
    const refused = await change(manager, { mode, money: 5 })
    assert.deepEqual([refused.status, refused.headers['x-error-code']], [403, 'not_the_group_founder'])
  }
  assert.equal((await change(manager, { mode: 'private', summary: 'Of late' })).status, 201)
  const path = `/groups/${id}/posts/${old}`
  assert.equal((await as(stranger, 'GET', path)).status, 404)
  await work()
  assert.equal((await told(member)).includes('group:open'), false)
  assert.equal((await change(founder, { mode: 'public' })).status, 201)
  await work()
  assert.equal((await as(stranger, 'GET', path)).status, 200)
  for (const who of [manager, member]) assert.equal((await told(who)).at(-1), 'group:open')
  assert.equal((await told(founder)).includes('group:open'), false)
  // Any manager may make a group private, because this change only hides posts.
  assert.equal((await change(manager, { mode: 'private' })).status, 201)
  await work()
  assert.equal((await told(member)).filter((type) => type === 'group:open').length, 1)
})

test('keeps the founder after a rejected transfer of a group', async () => {
  const founder = await person()
  const id = await group(founder)
  const stranger = await person()
  assert.equal((await as(founder, 'PATCH', `/groups/${id}/owner`, { target: stranger.id })).status, 422)
  const founders = await sql<{ user_id: number }[]>`
    select user_id from group_members where group_id = ${id} and role = 'founder'`
  assert.deepEqual(
    founders.map(({ user_id }) => user_id),
    [founder.id],
  )
})

test('lists join requests of only the newest 500 groups that a user manages', async () => {
  const [founder, alice] = await people(2)
  const [oldest, next] = [
    await group(founder!, { mode: 'private' }),
    await group(founder!, { mode: 'private' }),
  ]
  await sql`
    with made as (
      insert into groups (name, name_key, name_grams, user_id, category_id, mode, permissions, audit)
      select name, name_key, name_grams, user_id, category_id, mode, permissions, audit
      from groups cross join generate_series(1, 498) where id = ${next}
      returning id
    ),
    counted as (insert into group_counts (group_id, users_count) select id, 1 from made)
    insert into group_members (group_id, user_id, audit, role) select id, ${founder!.id}, 1, 'founder' from made`
  const newest = await group(founder!, { mode: 'private' })
  for (const id of [newest, oldest, next])
    assert.equal((await as(alice!, 'PUT', `/groups/${id}`)).status, 201)
  const requested = async (query = '') =>
    (await as(founder!, 'GET', `/user-group-audit-members${query}`)).body.map(
      (request: { group_id: number }) => request.group_id,
    )
  assert.deepEqual(await requested(), [next, newest])
  assert.deepEqual(await requested(`?group_ids=${oldest}`), [oldest])
})

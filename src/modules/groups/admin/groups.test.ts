import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupCounters } from '#modules/groups/index.ts'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql, work } = world
const { group, member, memberId, post } = groupMaker(world)
const admin = await person({ roles: ['founder', 'owner'] })
const ids = (list: { id: number }[]) => list.map(({ id }) => id)

async function assertNoDrift() {
  for (const check of groupCounters) assert.deepEqual(await check.find(sql), [], check.name)
}

test('deletes a group category only while it is empty (groups-4, groups-31)', async () => {
  const made = await as(admin, 'POST', '/admin/group-categories', { name: 'Games', sort_by: 5 })
  assert.equal(made.status, 201)
  const { id } = made.body
  assert.equal((await as(admin, 'POST', '/admin/group-categories', { name: 'games' })).status, 422)
  const later = await as(admin, 'POST', '/admin/group-categories', { name: 'First', sort_by: 9 })
  assert.deepEqual(ids((await guest('GET', '/categories')).body).slice(0, 2), [later.body.id, id])
  assert.equal(
    (await as(admin, 'PATCH', `/admin/group-categories/${later.body.id}`, { status: 1 })).status,
    204,
  )
  assert.equal(ids((await guest('GET', '/categories')).body)[0], id)
  assert.equal((await guest('GET', `/categories/${later.body.id}/groups`)).status, 404)
  const founder = await person()
  const group = await as(founder, 'POST', `/categories/${id}/groups`, { name: 'Chess', mode: 'public' })
  assert.equal(group.status, 201)
  assert.equal((await as(admin, 'DELETE', `/admin/group-categories/${id}`)).status, 422)
  assert.equal((await as(admin, 'DELETE', `/admin/group-categories/${later.body.id}`)).status, 204)
  const [record] = (await as(admin, 'GET', '/admin/group-categories?q=game')).body.data
  assert.deepEqual([record.id, record.groups_count], [id, 1])
})

test('applies one of several concurrent approvals of a new group (groups-29)', async () => {
  const founder = await person()
  const id = await group(founder, {}, { passed: false })
  const url = `/admin/groups/${id}`
  const total = async () => (await guest('GET', '/groups/count')).body.count
  const before = await total()
  assert.equal((await as(founder, 'PATCH', url, { audit: 1 })).status, 403)
  assert.equal((await as(admin, 'PATCH', url, { audit: 3 })).status, 422)
  const answers = await Promise.all([1, 1, 1].map((audit) => as(admin, 'PATCH', url, { audit })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422])
  assert.equal(await total(), before + 1)
  assert.equal((await guest('GET', `/groups/${id}`)).status, 200)
  assert.equal((await as(admin, 'PATCH', url, { audit: 2 })).status, 204)
  assert.equal(await total(), before)
  assert.equal((await guest('GET', `/groups/${id}`)).status, 404)
  assert.equal((await as(admin, 'GET', url)).body.founder.id, founder.id)
  const log = await as(admin, 'GET', `/admin/audit-log?subject_type=groups&subject_id=${id}`)
  assert.deepEqual(
    log.body.data.map((entry: { after: { audit: number } }) => entry.after.audit),
    [2, 1],
  )
  const told = (await as(founder, 'GET', '/user/notifications?type=system')).body.data
  assert.deepEqual(
    told.map((each: { data: { type: string; state: string } }) => [each.data.type, each.data.state]),
    [
      ['group:audit', 'rejected'],
      ['group:audit', 'passed'],
    ],
  )
  assert.deepEqual(ids((await as(admin, 'GET', '/admin/groups?audit=2')).body.data), [id])
  await assertNoDrift()
})

test('hides a group immediately after a site administrator deletes it (groups-30)', async () => {
  const founder = await person()
  const id = await group(founder, { mode: 'paid', money: 9 })
  const waiting = await person()
  await moveFunds(sql, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.issuance,
    to: waiting.id,
    amount: 9,
    kind: 'adjustment',
    subject: { type: 'users', id: waiting.id },
  })
  await as(waiting, 'PUT', `/currency-groups/${id}`)
  const postId = await post(founder, id)
  await as(founder, 'POST', `/group-posts/${postId}/likes`)
  assert.equal((await as(admin, 'DELETE', `/admin/groups/${id}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', `/admin/groups/${id}`)).status, 404)
  assert.equal((await as(founder, 'GET', `/groups/${id}`)).status, 404)
  assert.equal((await as(founder, 'GET', `/group-posts/${postId}/likes`)).status, 404)
  const [account] = await sql<{ balance: number }[]>`
    select balance from ledger_accounts where owner_id = ${waiting.id} and currency = 'points'`
  assert.equal(account?.balance, 9)
  await work()
  const [left] = await sql<[{ n: number }]>`
    select (select count(*) from groups where id = ${id}) + (select count(*) from group_posts where group_id = ${id})
      + (select count(*) from group_members where group_id = ${id})
      + (select count(*) from likes where likeable_type = 'group-posts' and likeable_id = ${postId}) as n`
  assert.equal(left.n, 0)
  await assertNoDrift()
})

test('lists recommended groups with the highest `sort_by` first (groups-4, groups-31)', async () => {
  const founder = await person()
  const [one, two] = [await group(founder), await group(founder)]
  for (const [group_id, sort_by] of [
    [one, 1],
    [two, 2],
  ])
    assert.equal((await as(admin, 'POST', '/admin/group-recommends', { group_id, sort_by })).status, 201)
  assert.deepEqual(ids((await guest('GET', '/recommend/groups')).body), [two, one])
  assert.equal((await guest('GET', '/recommend/groups?type=random')).body.length, 2)
  assert.equal((await as(admin, 'GET', '/admin/group-recommends')).body.total, 2)
  assert.equal((await as(admin, 'DELETE', `/admin/group-recommends/${two}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', `/admin/group-recommends/${two}`)).status, 404)
  assert.deepEqual(ids((await guest('GET', '/recommend/groups')).body), [one])
  assert.equal((await as(admin, 'POST', '/admin/group-recommends', { group_id: 999_999 })).status, 422)
})

test('lets site administrators read and delete posts of private groups (groups-29)', async () => {
  const founder = await person()
  const id = await group(founder, { mode: 'private' })
  const alice = await member(id, founder)
  const postId = await post(alice, id, { title: 'Private matter' })
  const made = await as(founder, 'POST', `/group-posts/${postId}/comments`, { body: 'Hm' })
  const { body } = await as(admin, 'GET', '/admin/group-posts?q=private')
  assert.deepEqual([body.total, body.data[0].id], [1, postId])
  assert.equal((await as(admin, 'GET', `/admin/group-posts/${postId}`)).body.body, 'What it says')
  const url = `/admin/group-posts/${postId}`
  assert.equal((await as(admin, 'DELETE', `${url}/comments/${made.body.comment.id}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', `${url}/comments/${made.body.comment.id}`)).status, 404)
  assert.equal((await as(founder, 'GET', `/groups/${id}/posts/${postId}`)).body.comments_count, 0)
  assert.equal((await as(admin, 'DELETE', url)).status, 204)
  assert.equal((await as(admin, 'DELETE', url)).status, 404)
  await assertNoDrift()
})

test('repairs wrong group counters with a recount', async () => {
  const founder = await person()
  const id = await group(founder, { mode: 'paid', money: 30 })
  const [paying, waiting] = [await person(), await person()]
  for (const who of [paying, waiting]) {
    await as(admin, 'POST', `/admin/users/${who.id}/points`, { amount: 100, reason: 'test' })
    assert.equal((await as(who, 'PUT', `/currency-groups/${id}`)).status, 201)
  }
  const request = await memberId(id, paying)
  assert.equal(
    (await as(founder, 'PATCH', `/groups/${id}/members/${request}/audit`, { status: 1 })).status,
    201,
  )
  const [best, plain] = [await post(founder, id), await post(paying, id)]
  assert.equal((await as(founder, 'PUT', `/posts/${best}/toggle-excellent`)).status, 204)
  assert.equal((await as(paying, 'POST', `/group-posts/${plain}/comments`, { body: 'x' })).status, 201)
  assert.equal((await as(paying, 'POST', `/group-posts/${plain}/likes`)).status, 201)
  assert.equal((await as(paying, 'POST', `/group-posts/${plain}/collections`)).status, 201)
  await group(founder, {}, { passed: false })
  assert.equal((await as(admin, 'DELETE', `/admin/groups/${await group(founder)}`)).status, 204)

  const kept = async () => ({
    group: (await sql`select * from group_counts where group_id = ${id}`)[0],
    post: (
      await sql`select comments_count, likes_count, collections_count from group_posts where id = ${plain}`
    )[0],
    total: (await sql`select groups_count from group_totals`)[0],
  })
  const before = await kept()
  assert.deepEqual(
    [before.group?.users_count, before.group?.posts_count, before.group?.excellen_posts_count],
    [2, 2, 1],
  )
  assert.equal(before.group?.join_income_count, 30)
  assert.deepEqual(before.post, { comments_count: 1, likes_count: 1, collections_count: 1 })
  await assertNoDrift()
  for (const check of groupCounters) {
    const [table = '', column = ''] = check.name.split('.')
    const { length: rows } = await sql`select from ${sql(table)}`
    await sql`update ${sql(table)} set ${sql(column)} = ${sql(column)} + 5`
    const drift = await check.find(sql)
    assert.equal(drift.length, rows, check.name)
    for (const { kept, counted } of drift) assert.equal(kept, counted + 5, check.name)
    assert.equal(await check.mend(sql), rows, check.name)
  }
  assert.deepEqual(await kept(), before)
  await assertNoDrift()
})

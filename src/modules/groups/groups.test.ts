import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupCounters, groupEscrowChecks } from '#modules/groups/index.ts'
import { ledgerChecks, move, PLATFORM } from '#modules/ledger/index.ts'
import type { Drift } from '#platform/counters.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { category, group, memberId, accept, join, member, post } = groupMaker(world)

const read = async (who: Person, id: number) => (await as(who, 'GET', `/groups/${id}`)).body
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()))
const fund = (who: Person, amount: number, currency: 'points' | 'wallet' = 'points') =>
  move(sql, {
    currency,
    from: PLATFORM.issuance,
    to: who.id,
    amount,
    kind: 'adjustment',
    subject: { type: 'users', id: who.id },
  })
const balance = async (who: Person, currency = 'points') => {
  const [row] = await sql<{ balance: number }[]>`
    select balance from ledger_accounts where owner_id = ${who.id} and currency = ${currency}`
  return row?.balance ?? 0
}
const told = async (who: Person) =>
  (
    await sql<{ type: string }[]>`
      select coalesce(data ->> 'type', type) as type from notifications where user_id = ${who.id} order by seq`
  ).map(({ type }) => type)
async function assertNoDrift() {
  for (const check of [...groupCounters, ...groupEscrowChecks])
    assert.deepEqual(await check.find(sql), [], check.name)
}

/** What the audit finds after a change, which is taken back. */
async function driftAfter(change: (tx: Tx) => PromiseLike<unknown>) {
  const found: Drift[] = []
  const undo = new Error('undo')
  await sql
    .begin(async (tx) => {
      await change(tx)
      for (const check of groupEscrowChecks) found.push(...(await check.find(tx)))
      throw undo
    })
    .catch((error) => assert.equal(error, undo))
  return found
}

describe('groups', () => {
  test('wait for an administrator, and nobody but their founder knows of them until then', async () => {
    const founder = await person()
    const id = await group(founder, { name: 'Waiting' }, { passed: false })
    assert.equal((await read(founder, id)).audit, 0)
    assert.equal((await guest('GET', `/groups/${id}`)).status, 404)
    assert.equal((await as(await person(), 'GET', `/groups/${id}/members`)).status, 404)
    assert.equal((await as(await person(), 'PUT', `/groups/${id}`)).status, 404)
    assert.equal((await as(founder, 'POST', `/groups/${id}/posts`)).status, 403)
    const waiting = await as(founder, 'GET', '/user-groups?type=audit')
    assert.deepEqual(
      waiting.body.map((each: { id: number }) => each.id),
      [id],
    )
  })

  test('show what they are made of, with the founder, tags, category and place', async () => {
    const founder = await person()
    const [tagCategory] = await sql<[{ id: number }]>`
      insert into tag_categories (name, name_key) values ('g', 'g') returning id`
    const [tag] = await sql<[{ id: number }]>`
      insert into tags (tag_category_id, name, name_key) values (${tagCategory.id}, 'chess', 'chess') returning id`
    const avatar = await uploadPicture(world, founder)
    const id = await group(founder, {
      name: 'Chess players',
      mode: 'paid',
      money: 30,
      tags: [{ id: tag.id }],
      avatar,
      allow_feed: 1,
      permissions: 'administrator,founder',
      summary: 'We play',
      location: 'Wuhan',
      longitude: '114.3',
      latitude: 30.5,
      geo_hash: 'wt3m',
    })
    const { body } = await guest('GET', `/groups/${id}`)
    assert.deepEqual(
      [body.mode, body.money, body.allow_feed, body.permissions, body.users_count, body.joined],
      ['paid', 30, 1, 'administrator,founder', 1, null],
    )
    assert.match(body.avatar, new RegExp(`/files/${avatar}$`))
    assert.equal(body.founder.user.id, founder.id)
    assert.deepEqual(
      body.tags.map(({ name }: { name: string }) => name),
      ['chess'],
    )
    assert.deepEqual([body.longitude, body.latitude], ['114.3', '30.5'])
    assert.equal((await read(founder, id)).joined.role, 'founder')
    assert.equal((await guest('GET', '/groups?keyword=CHESS')).body[0].id, id)
    assert.deepEqual((await guest('GET', '/groups?keyword=cheese')).body, [])
  })

  test('are made from forms with the picture inside, as existing clients send them', async () => {
    const founder = await person()
    const form = new FormData()
    const { flatPicture } = await import('#test/fixtures/media.ts')
    const bytes = await flatPicture(41, 43).png().toBuffer()
    form.append('avatar', new Blob([new Uint8Array(bytes)]), 'a.png')
    form.append('name', 'From a form')
    form.append('mode', 'private')
    form.append('allow_feed', '1')
    const encoded = new Response(form)
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const url = `/plus-group/categories/${await category()}/groups`
    const answer = await as(founder, 'POST', url, Buffer.from(await encoded.arrayBuffer()), headers)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(answer.body.group.mode, 'private')
    assert.ok(answer.body.group.avatar)
    const cut = Buffer.from(await new Response(form).arrayBuffer()).subarray(0, 300)
    assert.equal((await as(founder, 'POST', url, cut, headers)).status, 422)
  })

  test('need a category, a name, a mode, a price when paid, and a whole place', async () => {
    const founder = await person()
    const url = `/categories/${await category()}/groups`
    const fails = async (body: object, field: string) => {
      const answer = await as(founder, 'POST', url, { name: 'x', mode: 'public', ...body })
      assert.equal(answer.status, 422, field)
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body))
    }
    await fails({ name: '' }, 'name')
    await fails({ mode: 'open' }, 'mode')
    await fails({ mode: 'paid' }, 'money')
    await fails({ longitude: 3 }, 'location')
    await fails({ tags: [999_999] }, 'tags')
    await fails({ avatar: 999_999 }, 'avatar')
    assert.equal((await as(founder, 'POST', '/categories/999999/groups', {})).status, 404)
    await sql`insert into settings (name, value) values ('group:need-verified', 'true')`
    const { forgetSettings } = await import('#modules/settings/index.ts')
    forgetSettings(world.ctx)
    assert.equal((await as(founder, 'POST', url, { name: 'x', mode: 'public' })).status, 422)
    await sql`delete from settings where name = 'group:need-verified'`
    forgetSettings(world.ctx)
  })

  test('are found nearby, the nearest first, and counted', async () => {
    const founder = await person()
    const at = (name: string, latitude: number, longitude: number) =>
      group(founder, { name, location: name, latitude, longitude, geo_hash: 'x' })
    const near = await at('near', -42.01, 179.99)
    const nearer = await at('nearer', -42.001, 179.999)
    const across = await at('across the date line', -42.02, -179.99)
    await at('far', -42.5, 179)
    const { body } = await guest('GET', '/round/groups?latitude=-42&longitude=180')
    assert.deepEqual(
      body.map(({ id }: { id: number }) => id),
      [nearer, near, across],
    )
    assert.equal((await guest('GET', '/round/groups?latitude=3')).status, 422)
    assert.ok((await guest('GET', '/groups/count')).body.count >= 4)
    assert.equal(typeof (await guest('GET', '/groups/protocol')).body.protocol, 'string')
    await assertNoDrift()
  })

  test('are changed by managers only', async () => {
    const founder = await person()
    const id = await group(founder)
    const plain = await member(id, founder)
    assert.equal((await as(plain, 'POST', `/groups/${id}`, { name: 'Mine' })).status, 403)
    const changed = await as(founder, 'POST', `/groups/${id}`, { notice: 'Be kind', mode: 'private' })
    assert.deepEqual([changed.status, changed.body.group.notice], [201, 'Be kind'])
    const permissions = await as(founder, 'PATCH', `/groups/${id}/permissions`, { permissions: ['founder'] })
    assert.equal(permissions.status, 201)
    assert.equal((await read(founder, id)).permissions, 'founder')
    assert.equal((await as(founder, 'PUT', `/group/groups/${id}/bind-im-group`, { id: '77' })).status, 204)
    assert.equal((await as(plain, 'PUT', `/group/groups/${id}/bind-im-group`, { id: '78' })).status, 403)
    assert.equal((await read(founder, id)).im_group_id, '77')
  })

  test('answer under /plus-group exactly as without', async () => {
    const founder = await person()
    const id = await group(founder, { name: 'Twice' })
    for (const path of [`/groups/${id}`, `/groups/${id}/posts`, '/groups?keyword=twice', '/categories'])
      assert.deepEqual(
        (await as(founder, 'GET', `/plus-group${path}`)).body,
        (await as(founder, 'GET', path)).body,
      )
  })
})

describe('joining', () => {
  test('a public group is at once, once, and told to its managers', async () => {
    const [founder, alice] = await people(2)
    const id = await group(founder!)
    assert.equal((await as(alice!, 'PUT', `/groups/${id}`)).status, 201)
    assert.equal((await as(alice!, 'PUT', `/groups/${id}`)).status, 422)
    const view = await read(alice!, id)
    assert.deepEqual([view.users_count, view.joined.role, view.joined.audit], [2, 'member', 1])
    assert.deepEqual(await told(founder!), ['group:audit', 'group:join'])
    assert.equal((await as(alice!, 'GET', '/user-groups')).body[0].id, id)
    assert.equal((await guest('GET', `/groups/users?user_id=${alice!.id}`)).body[0].id, id)
    assert.equal((await as(alice!, 'DELETE', `/groups/${id}/exit`)).status, 204)
    assert.equal((await as(alice!, 'DELETE', `/groups/${id}/exit`)).status, 403)
    assert.deepEqual(await told(founder!), ['group:audit'], 'what is undone is not told any more')
    assert.equal((await as(founder!, 'DELETE', `/groups/${id}/exit`)).status, 403)
    assert.equal((await read(founder!, id)).users_count, 1)
  })

  test('racing joins count once per person', async () => {
    const [founder, ...others] = await people(6)
    const id = await group(founder!)
    const answers = await Promise.all(
      others.flatMap((each) => [1, 2, 3].map(() => as(each, 'PUT', `/currency-groups/${id}`))),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, others.length)
    assert.equal((await read(founder!, id)).users_count, 6)
    await assertNoDrift()
  })

  test('a private group waits for a manager, who sees the request', async () => {
    const [founder, alice, bob] = await people(3)
    const id = await group(founder!, { mode: 'private' })
    for (const each of [alice!, bob!]) await as(each, 'PUT', `/groups/${id}`)
    assert.equal((await read(founder!, id)).users_count, 1)
    const waiting = await as(alice!, 'GET', '/user-groups?type=audit')
    assert.ok(waiting.body[0].join_at)
    const requests = (await as(founder!, 'GET', `/user-group-audit-members?group_ids=${id}`)).body
    assert.deepEqual(
      requests.map((each: { user: { id: number }; status: number }) => [each.user.id, each.status]),
      [
        [bob!.id, 0],
        [alice!.id, 0],
      ],
    )
    assert.deepEqual((await as(alice!, 'GET', '/user-group-audit-members')).body, [])
    const url = `/groups/${id}/members/${await memberId(id, alice!)}/audit`
    assert.equal((await as(founder!, 'PATCH', url, { status: 3 })).status, 422)
    assert.equal((await as(bob!, 'PATCH', url, { status: 1 })).status, 403)
    assert.equal((await as(founder!, 'PATCH', url, { status: 1 })).status, 201)
    assert.equal((await as(founder!, 'PATCH', url, { status: 2 })).status, 403)
    const other = `/groups/${id}/members/${await memberId(id, bob!)}/audit`
    assert.equal((await as(founder!, 'PATCH', other, { status: 2 })).status, 201)
    assert.equal((await read(founder!, id)).users_count, 2)
    assert.equal((await read(bob!, id)).joined, null)
  })

  test('a paid group keeps the fee in escrow: to the founder on acceptance, back on rejection and on leaving', async () => {
    const [founder, alice, bob, carol, dave] = await people(5)
    const id = await group(founder!, { mode: 'paid', money: 40 })
    assert.equal((await as(dave!, 'PUT', `/currency-groups/${id}`)).status, 422)
    assert.equal((await read(dave!, id)).joined, null)
    for (const each of [alice!, bob!]) await fund(each, 100)
    await fund(carol!, 100, 'wallet')
    for (const each of [alice!, bob!])
      assert.equal((await as(each, 'PUT', `/currency-groups/${id}`)).status, 201)
    assert.equal((await as(carol!, 'PUT', `/groups/${id}`)).status, 201)
    assert.deepEqual([await balance(alice!), await balance(carol!, 'wallet')], [60, 60])
    await assertNoDrift()
    assert.deepEqual(
      (await driftAfter((tx) => tx`update group_member_logs set fee = 39 where group_id = ${id}`)).map(
        ({ kept, counted }) => [kept, counted],
      ),
      [40, 40, 40].map((fee) => [fee, 39]),
    )
    assert.equal(await balance(founder!), 0)
    assert.equal((await accept(founder!, id, alice!)).status, 201)
    assert.equal(await balance(founder!), 40)
    const reject = `/currency-groups/${id}/members/${await memberId(id, bob!)}/audit`
    assert.equal((await as(founder!, 'PATCH', reject, { status: 2 })).status, 201)
    assert.equal(await balance(bob!), 100)
    assert.equal((await as(carol!, 'DELETE', `/groups/${id}/exit`)).status, 204)
    assert.equal(await balance(carol!, 'wallet'), 100)
    assert.deepEqual([await told(alice!), await told(bob!)], [['group:join:accept'], ['group:join:reject']])
    const view = await read(founder!, id)
    assert.deepEqual([view.users_count, view.join_income_count], [2, 40])
    assert.equal((await read(alice!, id)).join_income_count, 0)
    const { body } = await as(founder!, 'GET', `/groups/${id}/incomes?type=join`)
    assert.deepEqual(
      body.map((each: { amount: number; user_id: number }) => [each.amount, each.user_id]),
      [[40, alice!.id]],
    )
    assert.deepEqual((await as(founder!, 'GET', `/groups/${id}/incomes?type=pinned`)).body, [])
    assert.equal((await as(alice!, 'GET', `/groups/${id}/incomes`)).status, 403)
    await assertNoDrift()
  })

  test('accepting, rejecting and leaving at once move the fee once', async () => {
    const founder = await person()
    const id = await group(founder, { mode: 'paid', money: 7 })
    for (let round = 0; round < 5; round += 1) {
      const who = await person()
      await fund(who, 7)
      await as(who, 'PUT', `/currency-groups/${id}`)
      const before = await balance(founder)
      const url = `/groups/${id}/members/${await memberId(id, who)}/audit`
      await Promise.all([
        as(founder, 'PATCH', url, { status: 1 }),
        as(founder, 'PATCH', url, { status: 2 }),
        as(founder, 'PATCH', url, { status: 1 }),
        as(who, 'DELETE', `/groups/${id}/exit`),
      ])
      const [kept, earned] = [await balance(who), (await balance(founder)) - before]
      assert.equal(kept + earned, 7)
      assert.ok(kept === 0 || kept === 7)
    }
    const [escrow] = await sql<[{ held: number }]>`
      select coalesce(sum(amount), 0)::bigint as held from ledger_postings
      where owner_id = ${PLATFORM.escrow} and subject_type = 'group-member-logs'`
    assert.equal(escrow.held, 0)
    await assertNoDrift()
    for (const check of ledgerChecks) assert.deepEqual(await check.find(sql), [], check.name)
  })

  test('repeated with the same Idempotency-Key pays once', async () => {
    const [founder, alice] = await people(2)
    const id = await group(founder!, { mode: 'paid', money: 5 })
    await fund(alice!, 20)
    const headers = { 'idempotency-key': 'join' }
    for (let n = 0; n < 2; n += 1)
      assert.equal((await as(alice!, 'PUT', `/currency-groups/${id}`, {}, headers)).status, 201)
    assert.equal(await balance(alice!), 15)
  })
})

describe('managing members', () => {
  test('calls are scoped to the group of the path', async () => {
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

  test('removing a member takes them out of the count, and rank protects', async () => {
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

  test('there are five administrators at most, however fast they are made', async () => {
    const founder = await person()
    const id = await group(founder)
    const members = await Promise.all(Array.from({ length: 7 }, () => member(id, founder)))
    const ids = await Promise.all(members.map((each) => memberId(id, each)))
    const answers = await Promise.all(ids.map((each) => as(founder, 'PUT', `/groups/${id}/managers/${each}`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 422, 422])
  })

  test('who is on the blacklist reads and does not write, and does not shed it by leaving', async () => {
    const founder = await person()
    const id = await group(founder, { mode: 'private' })
    const bad = await member(id, founder)
    const postId = await post(founder, id)
    const url = `/groups/${id}/blacklist/${await memberId(id, bad)}`
    assert.equal((await as(founder, 'PUT', url)).status, 201)
    assert.equal((await read(founder, id)).blacklist_count, 1)
    assert.equal((await as(bad, 'GET', `/groups/${id}/posts/${postId}`)).status, 200)
    assert.equal((await as(bad, 'GET', `/group-posts/${postId}/likes`)).status, 200)
    for (const [method, path] of [
      ['POST', `/groups/${id}/posts`],
      ['POST', `/group-posts/${postId}/likes`],
      ['POST', `/group-posts/${postId}/comments`],
      ['POST', `/reports/posts/${postId}`],
      ['DELETE', `/groups/${id}/exit`],
    ] as const)
      assert.equal((await as(bad, method, path, {})).status, 403, path)
    const list = await as(founder, 'GET', `/groups/${id}/members?type=blacklist`)
    assert.deepEqual([list.body.length, list.body[0].disabled], [1, 1])
    assert.equal((await as(bad, 'GET', `/groups/${id}/members?type=blacklist`)).status, 403)
    assert.equal((await as(founder, 'DELETE', url)).status, 204)
    assert.equal((await as(bad, 'POST', `/group-posts/${postId}/likes`)).status, 201)
  })

  test('a group is handed over to an active member, not while people wait', async () => {
    const founder = await person()
    const id = await group(founder, { mode: 'private' })
    const [heir, waiting] = [await member(id, founder), await person()]
    const url = `/groups/${id}/owner`
    await as(waiting, 'PUT', `/groups/${id}`)
    assert.equal((await as(founder, 'PATCH', url, { target: heir.id })).status, 422)
    await as(waiting, 'DELETE', `/groups/${id}/exit`)
    assert.equal((await as(founder, 'PATCH', url, { target: waiting.id })).status, 422)
    assert.equal((await as(heir, 'PATCH', url, { target: heir.id })).status, 403)
    assert.equal((await as(founder, 'PATCH', url, { target: heir.id })).status, 201)
    const view = await read(heir, id)
    assert.deepEqual([view.founder.user_id, view.joined.role, view.user_id], [heir.id, 'founder', founder.id])
    assert.equal((await as(founder, 'DELETE', `/groups/${id}/exit`)).status, 204)
    assert.ok((await told(heir)).includes('group:transfer'))
  })

  test('members are found by a part of their name', async () => {
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

test('managing rolls back whole: a refused transfer leaves both as they were', async () => {
  const founder = await person()
  const id = await group(founder)
  const stranger = await person()
  await as(founder, 'PATCH', `/groups/${id}/owner`, { target: stranger.id })
  await transaction(sql, async (tx) => {
    const [row] = await tx<[{ n: number }]>`
      select count(*)::int as n from group_members where group_id = ${id} and role = 'founder'`
    assert.equal(row.n, 1)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ledgerChecks, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { groupWorld } from '#test/fixtures/founded.ts'
import type { Person } from '#test/world.ts'
import { clearOldRequests } from './module.ts'

const {
  world: { ctx },
  as,
  guest,
  person,
  sql,
  group,
  memberId,
  accept,

  read,
  people,
  fund,
  balance,
  told,
  assertNoDrift,
  driftAfter,
} = await groupWorld()

describe('group membership requests', () => {
  test('joins a public group immediately (groups-7, groups-10)', async () => {
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
    assert.deepEqual(await told(founder!), ['group:audit'], 'withdraws notices of an undone request')
    assert.equal((await as(founder!, 'DELETE', `/groups/${id}/exit`)).status, 403)
    assert.equal((await read(founder!, id)).users_count, 1)
  })

  test('counts a user once when several join requests race', async () => {
    const [founder, ...others] = await people(6)
    const id = await group(founder!)
    const answers = await Promise.all(
      others.flatMap((each) => [1, 2, 3].map(() => as(each, 'PUT', `/currency-groups/${id}`))),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, others.length)
    assert.equal((await read(founder!, id)).users_count, 6)
    await assertNoDrift()
  })

  test('holds a join request to a private group until a manager decides it (groups-9)', async () => {
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
    const counts = async (who = founder!) => {
      const { user } = (await as(who, 'GET', '/user/counts')).body
      const overview = (await as(who, 'GET', '/user/unread-count')).body.counts
      return [user['group-join-pinned'], overview.unread_group_join_count]
    }
    assert.deepEqual(
      [await counts(), await counts(alice!)],
      [
        [2, 2],
        [0, 0],
      ],
    )
    const url = `/groups/${id}/members/${await memberId(id, alice!)}/audit`
    assert.equal((await as(founder!, 'PATCH', url, { status: 3 })).status, 422)
    assert.equal((await as(bob!, 'PATCH', url, { status: 1 })).status, 403)
    assert.equal((await as(founder!, 'PATCH', url, { status: 1 })).status, 201)
    assert.deepEqual(await counts(), [1, 1])
    assert.equal((await as(founder!, 'PATCH', url, { status: 2 })).status, 403)
    const other = `/groups/${id}/members/${await memberId(id, bob!)}/audit`
    assert.equal((await as(founder!, 'PATCH', other, { status: 2 })).status, 201)
    assert.equal((await read(founder!, id)).users_count, 2)
    assert.equal((await read(bob!, id)).joined, null)
  })

  test('notifies the applicant of a decision without a fee until the applicant asks again (groups-9)', async () => {
    const [founder, alice, bob] = await people(3)
    const id = await group(founder!, { mode: 'private' })
    const system = async (who: Person, language = 'en') => {
      const headers = { 'accept-language': language }
      const { data } = (await as(who, 'GET', '/user/notifications?type=system', undefined, headers)).body
      const badge = (await as(who, 'GET', '/user/notification-statistics')).body.system.badge
      assert.equal(badge, data.length)
      return data.map((each: { data: Record<string, unknown> }) => [
        ...[each.data.kind, each.data.type, each.data.state, each.data.contents],
        each.data.group,
      ])
    }
    const decide = async (who: Person, status: number) => {
      const path = `/groups/${id}/members/${await memberId(id, who)}/audit`
      assert.equal((await as(founder!, 'PATCH', path, { status })).status, 201)
    }
    const { name } = await read(founder!, id)
    for (const each of [alice!, bob!]) await as(each, 'PUT', `/groups/${id}`)
    await decide(alice!, 2)
    await decide(bob!, 2)
    assert.deepEqual(await system(alice!), [
      [
        'group:join:reject',
        'group:join',
        'rejected',
        'Your request to join the group was rejected.',
        { id, name },
      ],
    ])
    assert.equal((await system(alice!, 'zh'))[0][3], '你加入圈子的申请未通过。')
    await as(alice!, 'PUT', `/groups/${id}`)
    assert.deepEqual(await system(alice!), [])
    assert.equal((await system(bob!)).length, 1, 'keeps the notification of another applicant')
    await decide(alice!, 1)
    assert.deepEqual(
      (await system(alice!)).map((each: unknown[]) => each.slice(0, 3)),
      [['group:join:accept', 'group:join', 'passed']],
    )
  })

  test('holds the fee of a paid group in escrow until the request is decided (groups-8, groups-9, groups-15)', async () => {
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

  test('moves the fee of a join request once when acceptance, rejection and withdrawal race', async () => {
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
      where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = 'group-member-logs'`
    assert.equal(escrow.held, 0)
    await assertNoDrift()
    for (const check of ledgerChecks) assert.deepEqual(await check.find(sql), [], check.name)
  })

  test('charges the membership fee once when a join request repeats its Idempotency-Key', async () => {
    const [founder, alice] = await people(2)
    const id = await group(founder!, { mode: 'paid', money: 5 })
    await fund(alice!, 20)
    const headers = { 'idempotency-key': 'join' }
    for (let n = 0; n < 2; n += 1)
      assert.equal((await as(alice!, 'PUT', `/currency-groups/${id}`, {}, headers)).status, 201)
    assert.equal(await balance(alice!), 15)
  })

  test('filters the income of a group by inclusive start and end times (groups-15)', async () => {
    const [founder, ...payers] = await people(4)
    const id = await group(founder!, { mode: 'paid', money: 5 })
    const START = 1_700_000_000
    for (const [n, payer] of payers.entries()) {
      await fund(payer, 5)
      assert.equal((await as(payer, 'PUT', `/currency-groups/${id}`)).status, 201)
      assert.equal((await accept(founder!, id, payer)).status, 201)
      await sql`
        update group_incomes set created_at = to_timestamp(${START + 100 * n}::bigint)
        where group_id = ${id} and user_id = ${payer.id}`
    }
    const [first, second, third] = payers.map((payer) => payer.id)
    const paidBy = async (query: string) =>
      (await as(founder!, 'GET', `/groups/${id}/incomes?${query}`)).body.map(
        (income: { user_id: number }) => income.user_id,
      )
    assert.deepEqual(await paidBy(''), [third, second, first])
    assert.deepEqual(await paidBy(`start=${START + 100}`), [third, second])
    assert.deepEqual(await paidBy(`start=${START + 101}`), [third])
    assert.deepEqual(await paidBy(`end=${START + 100}`), [second, first])
    assert.deepEqual(await paidBy(`end=${START + 99}`), [first])
    assert.deepEqual(await paidBy(`start=${START + 1}&end=${START + 199}`), [second])
    assert.deepEqual(await paidBy(`start=${START + 200}&end=${START}`), [])
  })

  test('deletes old decided join requests but keeps pending ones (groups-9)', async () => {
    const [founder, ...others] = await people(5)
    const id = await group(founder!, { mode: 'paid', money: 40 })
    for (const each of others) {
      await fund(each, 100)
      assert.equal((await as(each, 'PUT', `/currency-groups/${id}`)).status, 201)
    }
    await accept(founder!, id, others[0]!)
    await as(others[1]!, 'DELETE', `/groups/${id}/exit`)
    await as(others[2]!, 'DELETE', `/groups/${id}/exit`)
    await sql`
      update group_member_logs set created_at = now() - interval '400 days', audit_at = audit_at - interval '400 days'
      where group_id = ${id}`
    assert.equal(await clearOldRequests(ctx, 2), 3)
    const left = await sql`select user_id, status from group_member_logs where group_id = ${id}`
    assert.deepEqual([...left], [{ user_id: others[3]!.id, status: 0 }])
    await assertNoDrift()
    await as(others[3]!, 'DELETE', `/groups/${id}/exit`)
    assert.equal(await balance(others[3]!), 100)
    await assertNoDrift()
  })
})

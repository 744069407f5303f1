import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setAccountDisabled } from '#modules/accounts/identity/passwords.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { transaction } from '#platform/database'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'
import { accountCounters } from '../counters.ts'
import { deleteFollow, lockPair } from './queries.ts'
import { deleteFollows, enqueueSettling, unsettledFollows } from './withheld.ts'

/** Statements that move follows. */
let moves = 0
const world = await createWorld(
  {},
  {
    onQuery({ text }) {
      if (text.includes('insert into withheld_follows') || text.includes('delete from withheld_follows w'))
        moves += 1
    },
  },
)
const { ctx, sql, as, person, work } = world

const admin = await person({ roles: ['founder', 'owner'] })
const change = async ({ id }: Person, disabled: boolean) =>
  assert.equal((await as(admin, 'PATCH', `/admin/users/${id}`, { disabled })).status, 204)
const follow = async (by: Person, target: Person) =>
  assert.equal((await as(by, 'PUT', `/user/followings/${target.id}`)).status, 204)

/** The numbers and lists that `who` sees of their own follows. */
async function seen(who: Person) {
  const { body: user } = await as(who, 'GET', '/user')
  const list = async (name: string) =>
    (await as(who, 'GET', `/user/${name}`)).body.map(({ id }: { id: number }) => id)
  const { body: badges } = await as(who, 'GET', '/user/notification-statistics')
  const { data } = (await as(who, 'GET', '/user/notifications?type=follow')).body
  return {
    counts: [user.extra.followers_count, user.extra.followings_count, user.friends_count],
    lists: [await list('followers'), await list('followings'), await list('follow-mutual')],
    badge: badges.follow.badge,
    notices: data.map((each: { data: { id: number }; read_at: unknown }) => [
      each.data.id,
      each.read_at === null,
    ]),
  }
}

async function assertSettled(who: Person) {
  const { counts, lists, badge, notices } = await seen(who)
  assert.deepEqual(
    counts,
    lists.map(({ length }) => length),
  )
  assert.equal(badge, notices.filter(([, isUnread]: [number, boolean]) => isUnread).length)
  for (const check of [unsettledFollows, ...accountCounters])
    assert.deepEqual(await check.find(sql), [], check.name)
}

test('a disabled account leaves followers, friends and badges, and returns to the same place', async () => {
  const [ann, ben, cleo] = [await person(), await person(), await person()]
  for (const each of [cleo, ben]) await follow(each, ann)
  await follow(ann, ben)
  const before = await seen(ann)
  assert.deepEqual(before.counts, [2, 1, 1])
  assert.equal(before.badge, 2)

  await change(ben, true)
  await work()
  assert.deepEqual(await seen(ann), {
    counts: [1, 0, 0],
    lists: [[cleo.id], [], []],
    badge: 1,
    notices: [[cleo.id, true]],
  })
  await assertSettled(ann)

  await change(ben, false)
  await work()
  assert.deepEqual(await seen(ann), before)
  await assertSettled(ann)
})

test('a restored notification is read when its recipient has marked all as read meanwhile', async () => {
  const [ann, ben, cleo] = [await person(), await person(), await person()]
  await follow(ben, ann)
  await change(ben, true)
  await work()
  await follow(cleo, ann)
  assert.equal((await as(ann, 'PATCH', '/user/clear-follow-notification')).status, 204)
  await change(ben, false)
  await work()
  const { badge, notices } = await seen(ann)
  assert.equal(badge, 0)
  assert.deepEqual(notices, [
    [cleo.id, false],
    [ben.id, false],
  ])
  await assertSettled(ann)
})

test('a follow between two disabled accounts returns when both are enabled', async () => {
  const [ann, ben] = [await person(), await person()]
  await follow(ann, ben)
  await follow(ben, ann)
  for (const each of [ann, ben]) await change(each, true)
  await work()
  await change(ann, false)
  await work()
  const { access_token } = await issueToken(sql, ann.id)
  const back = { ...ann, token: access_token }
  assert.deepEqual((await seen(back)).counts, [0, 0, 0])
  await change(ben, false)
  await work()
  assert.deepEqual((await seen(back)).counts, [1, 1, 1])
  await assertSettled(back)
})

test('ends a follow of a disabled account, which then does not return', async () => {
  const [ann, ben] = [await person(), await person()]
  await follow(ann, ben)
  await change(ben, true)
  await work()
  assert.equal((await as(ann, 'DELETE', `/user/followings/${ben.id}`)).status, 204)
  await change(ben, false)
  await work()
  assert.deepEqual((await seen(ann)).counts, [0, 0, 0])
})

test('ends a withheld follow by a block between enabling and the job (relations-1)', async () => {
  const [ann, ben] = [await person(), await person()]
  await follow(ben, ann)
  await change(ben, true)
  await work()
  await change(ben, false)
  assert.equal((await as(ann, 'POST', `/user/black/${ben.id}`)).status, 201)
  await work()
  assert.deepEqual((await seen(ann)).counts, [0, 0, 0])
  await assertSettled(ann)
})

test('keeps counts equal to lists when accounts are disabled and enabled while others follow them', async () => {
  const target = await person()
  const crowd = await Promise.all(Array.from({ length: 8 }, () => person()))
  await Promise.all([
    ...crowd.map((each) => as(each, 'PUT', `/user/followings/${target.id}`)),
    ...crowd.slice(0, 4).map((each) => change(each, true)),
    ...crowd.slice(4).map((each) => as(target, 'PUT', `/user/followings/${each.id}`)),
  ])
  await work()
  await assertSettled(target)
  await Promise.all(crowd.slice(0, 4).map((each) => change(each, false)))
  await work()
  await assertSettled(target)
})

test('does not follow an account that is being disabled', async () => {
  const [ann, ben] = [await person(), await person()]
  let following: Promise<unknown> = Promise.resolve()
  await transaction(sql, async (tx) => {
    await setAccountDisabled(ctx, tx, ben.id, true)
    following = as(ann, 'PUT', `/user/followings/${ben.id}`).then(({ status }) => assert.equal(status, 404))
    // The follow waits for the lock of the account, or has not started. Both end in 404.
    await sql`select pg_sleep(0.2)`
  })
  await following
  await work()
  await assertSettled(ann)
})

for (const end of ['disabled', 'erased'] as const)
  test(`does not follow for a person who is being ${end}`, async () => {
    const [ann, ben] = [await person(), await person()]
    let following: Promise<unknown> = Promise.resolve()
    await transaction(sql, async (tx) => {
      if (end === 'disabled') await setAccountDisabled(ctx, tx, ann.id, true)
      else await tx`update users set deleted_at = now(), erased_at = now() where id = ${ann.id}`
      following = as(ann, 'PUT', `/user/followings/${ben.id}`)
      await Promise.race([following, untilWaiting(sql)])
    })
    await following
    assert.equal((await sql`select from user_follows where user_id = ${ann.id}`).count, 0)
    assert.deepEqual((await seen(ben)).counts, [0, 0, 0])
  })

test('finds and mends follows of disabled accounts', async () => {
  const [ann, ben] = [await person(), await person()]
  await follow(ben, ann)
  await sql`update users set deleted_at = now() where id = ${ben.id}`
  assert.deepEqual(
    (await unsettledFollows.find(sql)).map(({ key }) => key),
    [`${ben.id}`],
  )
  await transaction(sql, (tx) => unsettledFollows.mend(tx))
  assert.deepEqual(await unsettledFollows.find(sql), [])
  await assertSettled(ann)
})

test('disables 10,000 followers in one wave in batches, between which the server answers', async () => {
  const star = await person()
  const count = 10_000
  const ids = (
    await sql<{ id: number }[]>`
      with made as (
        insert into users (name, name_key, name_grams)
        select 'wave ' || n, 'wave ' || n, '{}' from generate_series(1, ${count}) n returning id
      ),
      counted as (insert into user_counts (user_id, followings_count) select id, 1 from made)
      select id from made`
  ).map(({ id }) => id)
  await sql`insert into user_follows (user_id, target_id) select id, ${star.id} from unnest(${ids}::bigint[]) as id`
  await sql`
    insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id)
    select ${star.id}, n, gen_random_uuid(), 'follow', id, '{}', 'users', ${star.id}
    from unnest(${ids}::bigint[]) with ordinality as t (id, n)`
  await sql`insert into notification_cursors (user_id, last_seq) values (${star.id}, ${count})`
  await sql`
    insert into notification_counts (user_id, type, unread, total, last_seq)
    values (${star.id}, 'follow', ${count}, ${count}, ${count})`
  await sql`update user_counts set followers_count = ${count} where user_id = ${star.id}`
  // Autovacuum has not seen these rows, and the recounts need statistics.
  await sql`analyze user_follows, user_counts, users, notifications`

  const wave = async (disabled: boolean) => {
    await transaction(sql, async (tx) => {
      await tx`update users set deleted_at = ${disabled ? tx`now()` : null} where id = any(${ids})`
      await enqueueSettling(tx, ids)
    })
    // Each request between two batches sees a number that is whole batches away from the last.
    const steps = new Set<number>()
    let isDone = false
    moves = 0
    const working = work().finally(() => {
      isDone = true
    })
    let requests = 0
    while (!isDone) {
      const { status, body } = await as(star, 'GET', '/user')
      assert.equal(status, 200)
      requests += 1
      steps.add(body.extra.followers_count)
    }
    await working
    for (const step of steps) assert.equal(step % 500, 0, `${step}`)
    assert.ok(requests > 1)
    // Each job of 500 accounts ends with an empty batch in each direction.
    assert.ok(moves <= (count / 500) * 4, `${moves}`)
  }
  await wave(true)
  assert.deepEqual((await seen(star)).counts, [0, 0, 0])
  assert.equal((await seen(star)).badge, 0)
  const [held] = await sql<
    [{ n: number }]
  >`select count(*)::int as n from withheld_follows where target_id = ${star.id}`
  assert.equal(held.n, count)
  await wave(false)
  const { counts, badge } = await seen(star)
  assert.deepEqual([counts, badge], [[count, 0, 0], count])
  for (const check of [unsettledFollows, ...accountCounters])
    assert.deepEqual(await check.find(sql), [], check.name)
})

for (const [name, act] of [
  ['an erasure', (ids: number[]) => transaction(sql, (tx) => deleteFollows(tx, ids))],
  ['a disabled account', (ids: number[]) => enqueueSettling(sql, ids).then(work)],
] as const)
  test(`${name} does not deadlock with an unfollow that began earlier (relations-1)`, async () => {
    const [ann, ben] = [await person(), await person()]
    await follow(ben, ann)
    await sql`update users set deleted_at = now() where id = ${ben.id}`
    let ended = Promise.resolve<unknown>(undefined)
    const first = await sql.begin(async (tx) => {
      await lockPair(tx, ben.id, ann.id)
      ended = act([ben.id])
      await untilWaiting(sql)
      return deleteFollow(tx, ben.id, ann.id)
    })
    await ended
    assert.equal(first.ended, true)
    await sql`update users set deleted_at = null where id = ${ben.id}`
    await assertSettled(ann)
  })

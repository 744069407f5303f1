import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  invalidatePeriodSums,
  PERIODS,
  periodStart,
  periodSumsRecount,
  rankByPeriodSums,
  updatePeriodSums,
} from '#contracts/period-sums.ts'
import { withEnabledUser } from '#modules/users/index.ts'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'
import { feedLikes } from './ranks.ts'
import { deleteFeed, restoreFeed } from './service.ts'

const world = await createWorld()
const { as, person, sql, ctx } = world
const { publish } = feedsOf(world)
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person()))
const like = (who: Person, id: number) => as(who, 'POST', `/feeds/${id}/like`)
const unlike = (who: Person, id: number) => as(who, 'DELETE', `/feeds/${id}/unlike`)
const age = (id: number, by: string) =>
  sql`update feeds set created_at = now() - ${by}::interval where id = ${id}`

async function assertExact() {
  await updatePeriodSums(sql, feedLikes)
  const kept: unknown[] = []
  const truth: unknown[] = []
  for (const period of PERIODS) {
    const places = await rankByPeriodSums(sql, feedLikes, period, { enabled: withEnabledUser, limit: 1000 })
    kept.push(...places.map(({ user_id, count }) => [period, user_id, count]))
    const rows = await sql<{ user_id: number; count: number }[]>`
      select f.user_id, sum(f.like_count)::bigint as count from feeds f join users u on u.id = f.user_id and u.deleted_at is null
      where f.created_at >= ${periodStart(sql, period)} and f.deleted_at is null and f.like_count > 0
      group by f.user_id order by count desc, f.user_id`
    truth.push(...rows.map(({ user_id, count }) => [period, user_id, count]))
  }
  assert.deepEqual(kept, truth)
  assert.deepEqual(await periodSumsRecount(feedLikes).find(sql), [])
}

test("recomputes the daily ranking when the site's time zone changes (feeds-27)", async () => {
  const own = await createWorld()
  const [ann, bob] = [await own.person(), await own.person()]
  const id = await feedsOf(own).publish(ann)
  await own.as(bob, 'POST', `/feeds/${id}/like`)
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Asia/Kolkata', 'UTC']) {
    await own.sql`
      insert into settings (name, value) values ('site:time-zone', ${own.sql.json(zone)})
      on conflict (name) do update set value = excluded.value`
    await own.sql`update feeds set created_at = date_trunc('day', now(), ${zone}) where id = ${id}`
    await updatePeriodSums(own.sql, feedLikes)
    const places = () => rankByPeriodSums(own.sql, feedLikes, 'day', { enabled: withEnabledUser, limit: 9 })
    assert.deepEqual(
      (await places()).map(({ user_id }) => user_id),
      [ann.id],
      zone,
    )
    await own.sql`update feeds set created_at = created_at - interval '1 second' where id = ${id}`
    await invalidatePeriodSums(own.sql)
    await updatePeriodSums(own.sql, feedLikes)
    assert.deepEqual([...(await places())], [], zone)
  }
})

test("counts a like in every period that includes the feed's publication (feeds-27)", async () => {
  const [ann, bob, cid] = (await people(3)) as [Person, Person, Person]
  const [today, week, month, old] = (await Promise.all([1, 2, 3, 4].map(() => publish(ann)))) as [
    number,
    number,
    number,
    number,
  ]
  await age(week, '3 days')
  await age(month, '20 days')
  await age(old, '31 days')
  await assertExact()
  for (const id of [today, week, month, old]) await like(bob, id)
  await like(cid, week)
  await assertExact()
  const [{ n }] = await sql<
    [{ n: number }]
  >`select total as n from period_sums where user_id = ${ann.id} and period = 'month'`
  assert.equal(n, 4)
  await unlike(bob, today)
  await assertExact()
  await transaction(sql, (tx) => deleteFeed(tx, week, { userId: ann.id, anybodys: false }))
  await assertExact()
  await transaction(sql, (tx) => restoreFeed(ctx, tx, week))
  await assertExact()
  for (const [who, id] of [
    [bob, week],
    [cid, week],
    [bob, month],
  ] as const)
    await unlike(who, id)
  await assertExact()
  assert.deepEqual([...(await sql`select from period_sums where user_id = ${ann.id}`)], [])
})

test('records no change of period sums for a like on a feed older than 32 days', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  const [old, ancient] = [await publish(ann), await publish(ann)]
  await age(old, '31 days')
  await age(ancient, '33 days')
  const noted = () => sql`select made_at from period_sum_changes where user_id = ${ann.id}`
  await like(bob, ancient)
  assert.equal((await noted()).length, 0)
  await like(bob, old)
  assert.equal((await noted()).length, 1)
})

/** Publishes two liked feeds. The first one leaves the weekly ranking in an hour. */
async function nearlyAWeekOld(author: Person, by: Person): Promise<[number, number]> {
  const [leaving, staying] = [await publish(author), await publish(author)]
  for (const id of [leaving, staying]) await like(by, id)
  await age(leaving, '6 days 23 hours')
  await age(staying, '6 days 20 hours')
  await invalidatePeriodSums(sql)
  await assertExact()
  return [leaving, staying]
}

test('subtracts all likes of a feed that leaves a period', async () => {
  const [ann, bob, cid] = (await people(3)) as [Person, Person, Person]
  const [leaving, staying] = await nearlyAWeekOld(ann, bob)
  await sql`update feeds set created_at = created_at - interval '2 hours'`
  await sql`update period_sum_windows set since = since - interval '2 hours' where period <> 'day'`
  await sql`update period_sum_windows set since = null where period = 'day'`
  await like(cid, leaving)
  await like(cid, staying)
  await assertExact()
  const [{ n }] = await sql<
    [{ n: number }]
  >`select total as n from period_sums where user_id = ${ann.id} and period = 'week'`
  assert.equal(n, 2)
})

test('subtracts the likes of a feed that leaves a period only once under concurrent updates', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  await nearlyAWeekOld(ann, bob)
  await sql`update feeds set created_at = created_at - interval '2 hours'`
  await sql`update period_sum_windows set since = since - interval '2 hours' where period <> 'day'`
  const { settling } = await transaction(sql, async (tx) => {
    await tx`select from period_sum_windows where ranking = ${feedLikes.ranking} for update`
    const settling = Promise.all([updatePeriodSums(sql, feedLikes), updatePeriodSums(sql, feedLikes)])
    await untilWaiting(sql, 2)
    return { settling }
  })
  await settling
  const [{ n }] = await sql<
    [{ n: number }]
  >`select total as n from period_sums where user_id = ${ann.id} and period = 'week'`
  assert.equal(n, 1)
  await sql`update period_sum_windows set since = null where period = 'day'`
  await assertExact()
})

test('updates the period sums of each ranking independently', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  const other = { ...feedLikes, ranking: 'test-likes' }
  const [leaving, staying] = [await publish(ann), await publish(ann)]
  await like(bob, leaving)
  await age(leaving, '6 days 23 hours')
  await age(staying, '6 days 20 hours')
  await invalidatePeriodSums(sql)
  await updatePeriodSums(sql, other)
  await assertExact()
  await like(bob, staying)
  await sql`update feeds set created_at = created_at - interval '2 hours'`
  await sql`update period_sum_windows set since = since - interval '2 hours' where period <> 'day'`
  await sql`update period_sum_windows set since = null where period = 'day'`
  await updatePeriodSums(sql, other)
  await assertExact()
  await invalidatePeriodSums(sql, other.ranking)
  await updatePeriodSums(sql, other)
  await assertExact()
  const moved = await sql`
    select from period_sum_windows where ranking = ${other.ranking} and since is not null`
  assert.equal(moved.length, PERIODS.length)
  assert.deepEqual(await periodSumsRecount(other).find(sql), [])
  await sql`delete from period_sums where ranking = ${other.ranking}`
  await sql`delete from period_sum_windows where ranking = ${other.ranking}`
})

test('recomputes period sums after days without an update', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  const id = await publish(ann)
  await like(bob, id)
  await assertExact()
  await sql`update feeds set created_at = created_at - interval '3 days'`
  await sql`update period_sum_windows set since = since - interval '3 days'`
  await assertExact()
})

test('sums likes directly until the job has filled the period sums', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  await like(bob, await publish(ann))
  const look = () => rankByPeriodSums(sql, feedLikes, 'day', { enabled: withEnabledUser, limit: 1000 })
  await updatePeriodSums(sql, feedLikes)
  const kept = await look()
  assert.ok(kept.some(({ user_id, count }) => user_id === ann.id && count === 1))
  await sql`delete from period_sums`
  await sql`delete from period_sum_windows`
  await sql`delete from period_sum_changes`
  assert.deepEqual(await look(), kept)
  assert.deepEqual([...(await sql`select from period_sums`)], [])
  await assertExact()
})

test('keeps period sums exact when likes, unlikes, a feed deletion and updates of the sums race', async () => {
  const [ann, ...others] = (await people(6)) as [Person, ...Person[]]
  const feeds = await Promise.all([1, 2, 3].map(() => publish(ann)))
  await Promise.all([
    ...others.flatMap((who, n) =>
      feeds.flatMap((id) => [like(who, id), ...(n % 2 ? [unlike(who, id)] : [])]),
    ),
    as(ann, 'DELETE', `/feeds/${feeds[0]}`),
    ...Array.from({ length: 6 }, () => updatePeriodSums(sql, feedLikes)),
  ])
  await assertExact()
})

test('repairs wrong period sums with a recount', async () => {
  const [ann, bob] = (await people(2)) as [Person, Person]
  await like(bob, await publish(ann))
  await updatePeriodSums(sql, feedLikes)
  await sql`update period_sums set total = 99 where user_id = ${ann.id} and period = 'week'`
  const check = periodSumsRecount(feedLikes)
  assert.deepEqual(
    (await check.find(sql)).map(({ key, kept, counted }) => [key, kept, counted]),
    [[`week ${ann.id}`, 99, 1]],
  )
  assert.equal(await check.mend(sql), 1)
  assert.deepEqual(await check.find(sql), [])
  await assertExact()
})

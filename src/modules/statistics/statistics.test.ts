import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ABILITIES } from '#modules/abilities/index.ts'
import { addJob } from '#platform/jobs'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { createWorld, type Person } from '#test/world.ts'
import { SITE } from '../../site.ts'
import { recordActivity } from './index.ts'
import { mergeStatistics } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx, work } = world
const founder = await person({ roles: ['founder'] })

const clerkFor = async (...abilities: string[]): Promise<Person> => {
  const name = `clerk_${abilities.join('_').replace(/\W+/g, '_')}`.slice(0, 60)
  assert.equal((await as(founder, 'POST', '/admin/roles', { name, abilities })).status, 201)
  return person({ roles: [name] })
}
type Waiting = { name: string; count: number; more: boolean; oldest_at: string | null }
const waitingFor = async (who: Person): Promise<Waiting[]> => {
  const { status, body } = await as(who, 'GET', '/admin/statistics/waiting')
  assert.equal(status, 200)
  return body.data
}
const today = new Date().toISOString().slice(0, 10)
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const valuesOf = async (who: Person, query = ''): Promise<Record<string, (number | null)[]>> => {
  const { status, body } = await as(who, 'GET', `/admin/statistics/days${query}`)
  assert.equal(status, 200)
  return Object.fromEntries(
    (body.series as { name: string; values: number[] }[]).map(({ name, values }) => [name, values]),
  )
}

test('lists the queues that the user may decide, with their oldest entry (administration-14)', async () => {
  const [author, reader] = [await person(), await person()]
  await as(reader, 'POST', `/report/users/${author.id}`, { reason: 'rude' })
  await as(author, 'POST', `/report/users/${reader.id}`, { reason: 'rude too' })
  await sql`update reports set created_at = '2026-01-02 03:04:05Z' where user_id = ${reader.id}`
  const moderator = await clerkFor('admin: reports', 'admin: login')
  assert.deepEqual(await waitingFor(moderator), [
    { name: 'reports', count: 2, more: false, oldest_at: '2026-01-02 03:04:05' },
  ])
  assert.equal(
    (await as(founder, 'PATCH', '/admin/settings', { 'feed:topic:need-review': true })).status,
    204,
  )
  assert.equal((await as(author, 'POST', '/feed/topics', { name: 'Waiting topic' })).status, 201)
  const all = await waitingFor(founder)
  assert.deepEqual(
    all.map(({ name }) => name),
    SITE.statistics.queues.map(({ name }) => name),
  )
  const named = new Map(all.map((queue) => [queue.name, queue]))
  assert.equal(named.get('topic-reviews')?.count, 1)
  assert.deepEqual(named.get('withdrawals'), { name: 'withdrawals', count: 0, more: false, oldest_at: null })
})

test('returns 403 to users without the ability for any queue or series (administration-14)', async () => {
  const clerk = await clerkFor('admin: login')
  for (const path of ['/admin/statistics/waiting', '/admin/statistics/days']) {
    assert.equal((await guest('GET', path)).status, 401)
    assert.equal((await as(await person(), 'GET', path)).status, 403)
    assert.equal((await as(clerk, 'GET', path)).status, 403)
  }
  const moderator = await clerkFor('admin: reports')
  assert.equal((await as(moderator, 'GET', '/admin/statistics/days')).status, 403)
})

test('assigns each statistic one existing ability and a unique name', () => {
  for (const { ability } of [...SITE.statistics.queues, ...SITE.statistics.series])
    assert.ok(ability in ABILITIES, ability)
  assert.throws(
    () => mergeStatistics([SITE.statistics, SITE.statistics]),
    /Two modules share the statistics name/,
  )
})

test('does not recount finished days (administration-15)', async () => {
  const author = await person()
  const { publish } = feedsOf(world)
  const [old, gone] = [await publish(author), await publish(author)]
  await publish(author)
  await sql`update feeds set created_at = now() - interval '3 days' where id in (${old}, ${gone})`
  await sql`update users set created_at = '2011-02-03 23:59:59Z' where id = ${author.id}`
  await addJob(sql, 'sum_statistics', {})
  await work()
  await sql`delete from feeds where id = ${gone}`
  await addJob(sql, 'sum_statistics', {})
  await work()
  const editor = await clerkFor('admin: feeds')
  const seen = await valuesOf(editor, `?from=${daysAgo(3)}`)
  assert.deepEqual(Object.keys(seen).sort(), ['comments', 'feeds'])
  assert.deepEqual(seen.feeds, [2, 0, 0, 1])
  assert.deepEqual(seen.comments, [0, 0, 0, 0])
  const early = await valuesOf(founder, '?from=2011-02-01&to=2011-02-04&series=sign-ups')
  assert.deepEqual(early, { 'sign-ups': [0, 0, 1, 0] })
  const usual = await as(founder, 'GET', '/admin/statistics/days')
  assert.equal(usual.body.days.length, 30)
  assert.equal(usual.body.days.at(-1), today)
  const coming = await valuesOf(founder, '?from=2999-01-01&to=2999-01-01&series=feeds')
  assert.deepEqual(coming, { feeds: [null] })
})

test('counts no unfinished day when a clock is ahead (administration-15)', async (t) => {
  const count = async () => {
    await addJob(sql, 'sum_statistics', {})
    await work()
    return sql`select series from statistic_series where counted_until > current_date`
  }
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 2 * 86_400_000)
  assert.deepEqual([...(await count())], [])
  t.mock.restoreAll()
  // The clock of the database was ahead, and today was counted before it had ended.
  await sql`update statistic_series set counted_until = current_date + 2`
  await sql`
    insert into daily_statistics (series, day, value) values ('feeds', current_date, 999) on conflict do nothing`
  await count()
  assert.deepEqual([...(await sql`select from daily_statistics where day >= current_date`)], [])
  assert.deepEqual([...(await count())], [])
})

test('counts a payment of points once and not per posting (administration-15)', async () => {
  const payer = await person()
  const teller = await clerkFor('admin: currency')
  const before = (await valuesOf(teller, `?from=${daysAgo(9)}&to=${daysAgo(9)}`))['points-moved']
  assert.deepEqual(before, [0])
  await sql`alter table ledger_postings disable trigger ledger_postings_append_only`
  await sql`
    insert into ledger_postings (owner_id, currency, transaction_id, amount, balance_after, counterpart, kind,
      subject_type, subject_id, created_at)
    values (${payer.id}, 'points', 900, 70, 70, -3, 'grant', 'users', ${payer.id}, ${`${daysAgo(9)} 10:00Z`}),
      (-3, 'points', 900, -70, null, ${payer.id}, 'grant', 'users', ${payer.id}, ${`${daysAgo(9)} 10:00Z`})`
  await sql`alter table ledger_postings enable trigger ledger_postings_append_only`
  await sql`update statistic_series set counted_until = ${daysAgo(20)}`
  await addJob(sql, 'sum_statistics', {})
  await work()
  assert.deepEqual(await valuesOf(teller, `?from=${daysAgo(9)}&to=${daysAgo(9)}`), { 'points-moved': [70] })
})

test('counts an active user once a day (administration-15)', async () => {
  const [ann, bob] = [await person(), await person()]
  await sql`delete from active_people`
  await sql`insert into active_people (day, user_id)
    select current_date - d, u from generate_series(1, 5) d, unnest(${[ann.id, bob.id]}::bigint[]) u`
  for (let i = 0; i < 3; i += 1) recordActivity(ctx, { id: ann.id, family: '', expiresAt: 0 })
  await as(bob, 'GET', '/user')
  await as(bob, 'GET', '/user')
  assert.equal((await as({ ...bob, token: `${bob.token}x` }, 'GET', '/user')).status, 401)
  for (const close of ctx.onClose) await close()
  const noted =
    await sql`select from active_people where day = current_date and user_id in (${ann.id}, ${bob.id})`
  assert.equal(noted.count, 2)
  await sql`delete from daily_statistics where series = 'active-people'`
  await sql`update statistic_series set counted_until = ${daysAgo(6)} where series = 'active-people'`
  await addJob(sql, 'sum_statistics', {})
  await work()
  const { 'active-people': active } = await valuesOf(
    founder,
    `?from=${daysAgo(4)}&to=${daysAgo(1)}&series=active-people`,
  )
  assert.deepEqual(active, [2, 2, 2, 2])
  const [{ first } = { first: '' }] = await sql<
    { first: string }[]
  >`select min(day) as first from active_people`
  assert.equal(first, daysAgo(4))
})

test('counts each active user once in a period (administration-15)', async () => {
  const totalOf = async (query: string) => {
    const { body } = await as(founder, 'GET', `/admin/statistics/days?series=active-people&${query}`)
    return body.series[0].total
  }
  await sql`delete from last_active_days`
  const people = [await person(), await person(), await person()]
  for (const [at, days] of [1, 1, 40].entries())
    await sql`
      insert into last_active_days (user_id, last_day) values (${people[at]!.id}, current_date - ${days}::int)
      on conflict (user_id) do update set last_day = excluded.last_day`
  recordActivity(ctx, { id: people[0]!.id, family: '', expiresAt: 0 })
  for (const close of ctx.onClose) await close()
  const others = await sql`select from last_active_days where user_id <> all(${people.map(({ id }) => id)})`
  assert.equal(await totalOf(`from=${daysAgo(7)}&to=${daysAgo(0)}`), 2 + others.count)
  assert.equal(await totalOf(`from=${daysAgo(50)}&to=${daysAgo(0)}`), 3 + others.count)
  assert.equal(await totalOf(`from=${daysAgo(7)}&to=${daysAgo(1)}`), null)
  await sql`update schema_migrations set applied_at = now() - interval '90 days' where name like '0001%'`
  assert.equal(await totalOf(`from=${daysAgo(8)}&to=${daysAgo(0)}`), null)
  assert.ok((await totalOf(`from=${daysAgo(0)}&to=${daysAgo(0)}`)) >= 1)
  await sql`update schema_migrations set applied_at = now() where name like '0001%'`
})

test('returns 422 for an invalid range of days', async () => {
  const ask = async (query: string) => {
    const { status, body } = await as(founder, 'GET', `/admin/statistics/days?${query}`)
    assert.equal(status, 422, query)
    return Object.keys(body.errors)[0]
  }
  assert.equal(await ask('from=2026-02-30'), 'from')
  assert.equal(await ask('to=tomorrow'), 'to')
  assert.equal(await ask('from=2026-02-03&to=2026-02-02'), 'from')
  assert.equal(await ask('from=2025-01-01&to=2026-06-01'), 'from')
  assert.equal((await as(founder, 'GET', '/admin/statistics/days?from=2024-01-01&to=2024-12-31')).status, 200)
})

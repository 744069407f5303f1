import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { createWorld } from '#test/world.ts'
import { SITE } from '../../site.ts'
import { measureStatistics, recordActivity } from './index.ts'

/** The zones are 26 hours apart and never share a date, so that one of them always differs from UTC. */
for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12'])
  test(`sums by days in the time zone ${zone} of the site (administration-15)`, async () => {
    const { as, person, sql, ctx, work } = await createWorld()
    const founder = await person({ roles: ['founder'] })
    assert.equal((await as(founder, 'PATCH', '/admin/settings', { 'site:time-zone': zone })).status, 204)
    const today = Temporal.Now.plainDateISO(zone)
    const day = (before: number) => today.subtract({ days: before }).toString()
    const at = (before: number, time: string) =>
      today
        .subtract({ days: before })
        .toZonedDateTime({ timeZone: zone, plainTime: time })
        .toInstant()
        .toString()
    const times = [at(4, '23:59:59'), at(3, '00:00:00'), at(3, '23:59:59'), at(0, '00:00:00')]
    await sql`insert into feeds (user_id, feed_content, feed_mark, feed_from, created_at)
      select ${founder.id}, 'words', n, 1, t from unnest(${times}::timestamptz[]) with ordinality as x (t, n)`
    await sql`insert into active_people (day, user_id) values (${day(2)}, ${founder.id})`
    await addJob(sql, 'sum_statistics', {})
    await work()
    const { body } = await as(
      founder,
      'GET',
      `/admin/statistics/days?from=${day(5)}&series=feeds&series=active-people`,
    )
    const valuesOf = (name: string) => body.series.find((each: { name: string }) => each.name === name).values
    assert.deepEqual(body.days, [5, 4, 3, 2, 1, 0].map(day))
    assert.deepEqual(valuesOf('feeds'), [0, 1, 2, 0, 0, 1])
    assert.deepEqual(valuesOf('active-people').slice(0, 5), [0, 0, 0, 1, 0])
    const measured = await measureStatistics(ctx, SITE.statistics)
    assert.equal(measured.today.find(({ name }) => name === 'feeds')?.value, 1)
    recordActivity(ctx, { id: founder.id, family: '', expiresAt: 0 })
    for (const close of ctx.onClose) await close()
    const noted = await sql<{ day: string }[]>`select day from active_people where day > ${day(2)}`
    assert.deepEqual(
      noted.map((row) => row.day),
      [day(0)],
    )
  })

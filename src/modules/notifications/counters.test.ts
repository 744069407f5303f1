import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { type NotificationType, notify, withdrawNotifications } from '#modules/notifications/index.ts'
import { noticesOf } from '#test/fixtures/notices.ts'
import { settingsOn } from '#test/sign-up.ts'
import { createWorld } from '#test/world.ts'
import { notificationCounters } from './counters.ts'
import { deleteSurplus, tidyNotifications } from './retention.ts'
import { withdrawRemaining } from './service.ts'

const world = await createWorld()
const { as, person, sql, ctx } = world
const { tell } = noticesOf(world)
const under = settingsOn(world)

type DoneType = Exclude<NotificationType, 'system'>
type Step = { what: string; type: DoneType; who: number; by: number; cause: number }

test('continues a large withdrawal of notifications in a job', async () => {
  const ann = await person()
  const cause = { type: 'feeds', id: 424_242 }
  await sql`
    with people as (
      insert into users (name, name_key) select 'crowd' || n, 'crowd' || n from generate_series(1, 600) as n returning id
    )
    select count(*) from people`
  const crowd = await sql<{ id: number }[]>`select id from users where name like 'crowd%'`
  const recipients = crowd.map((row) => row.id)
  await notify(sql, { type: 'at', recipients, senderId: ann.id, cause, data: {} })
  await withdrawNotifications(sql, { cause })
  const left = () => sql`select 1 from notifications where cause_type = 'feeds' and cause_id = ${cause.id}`
  assert.equal((await left()).length, 100)
  const [job] = await sql<{ payload: { cause: typeof cause } }[]>`
    select payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'take_back_notifications'`
  await withdrawRemaining(ctx, job!.payload, new AbortController().signal)
  assert.equal((await left()).length, 0)
})

const inBalance = async () => {
  for (const check of notificationCounters) assert.deepEqual([...(await check.find(sql))], [], check.name)
}

test('maintains counters that match a recount after any sequence of actions on notifications', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => person()))
  const step = fc.record({
    what: fc.constantFrom('tell', 'tell', 'tell', 'back', 'read', 'clear', 'block', 'tidy'),
    type: fc.constantFrom<DoneType>('at', 'comment', 'like', 'follow'),
    who: fc.nat({ max: 3 }),
    by: fc.nat({ max: 3 }),
    cause: fc.integer({ min: 1, max: 4 }),
    atOnce: fc.boolean(),
  })
  const run = async ({ what, type, who, by, cause: id }: Step) => {
    const [person, sender] = [people[who]!, people[by]!]
    const cause = { type: 'property', id }
    if (what === 'tell') {
      const recipients = people.slice(who).map((each) => each.id)
      await notify(sql, { type, recipients, senderId: sender.id, cause, data: {} })
    } else if (what === 'back') await withdrawNotifications(sql, { type, cause })
    else if (what === 'read') await as(person, 'PATCH', '/user/notifications', { type })
    else if (what === 'clear') await as(person, 'PATCH', '/user/counts')
    else if (what === 'tidy') {
      await sql`update notification_reads set read_at = now() - interval '1 year' where user_id = ${person.id}`
      // Changes one notification only, because concurrent updates of several rows could deadlock.
      await sql`
        update notifications set created_at = now() - interval '2 years' where user_id = ${person.id} and seq = (
          select min(n.seq) from notifications n join notification_counts c using (user_id, type)
          where n.user_id = ${person.id} and n.seq > c.read_seq)`
      await tidyNotifications(ctx, 2)
    } else if (who !== by)
      await sql`insert into user_blocks (user_id, target_id) values (${person.id}, ${sender.id}) on conflict do nothing`
  }
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
    let together: Promise<void>[] = []
    for (const each of steps) {
      together.push(run(each))
      if (!each.atOnce) {
        await Promise.all(together)
        together = []
      }
    }
    await Promise.all(together)
    await inBalance()
    await sql`delete from user_blocks`
  })
  await under({ 'notifications:keep-most': 3 }, () => fc.assert(property, { numRuns: 25 }))
})

test('keeps the unread counter exact when notifications are read and deleted concurrently', async () => {
  const [ann, bob] = [await person(), await person()]
  for (let n = 0; n < 3; n += 1) await tell(ann, bob, 'like')
  const reader = await sql.reserve()
  await reader`begin`
  await reader`
    update notification_counts set read_seq = last_seq, unread = 0 where user_id = ${ann.id} and type = 'like'`
  const deleting = deleteSurplus(sql, { user_id: ann.id, type: 'like' }, { days: 365, most: 1 }, 10)
  const waits = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and query like '%where user_id = $1 and type = $2 for update%'`
  while ((await waits()).length === 0) await setTimeout(5)
  await reader`commit`
  reader.release()
  assert.equal(await deleting, 2)
  await inBalance()
})

test('repairs wrong notification counters during concurrent writes', async () => {
  const [ann, bob] = [await person(), await person()]
  await tell(ann, bob, 'like')
  await sql`update notification_counts set unread = 7, total = 9 where user_id = ${ann.id}`
  const [unread, total] = notificationCounters
  assert.deepEqual([...(await unread!.find(sql))], [{ key: `${ann.id} like`, kept: 7, counted: 1 }])
  assert.equal((await total!.find(sql)).length, 1)
  await Promise.all([unread!.mend(sql), tell(ann, bob, 'like'), tell(ann, bob, 'like')])
  await inBalance()
  await sql`delete from notification_counts where user_id = ${ann.id}`
  await unread!.mend(sql)
  await inBalance()
  assert.equal((await as(ann, 'GET', '/user/notification-statistics')).body.like.badge, 3)
})

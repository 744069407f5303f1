import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notificationTasks } from '#modules/notifications/module.ts'
import { createWorld, type Person } from '#test/world.ts'

const { as, person, sql, ctx, work } = await createWorld()
const admin = await person({ roles: ['founder'] })
const systemOf = async (who: Person) => (await as(who, 'GET', '/user/notification-statistics')).body.system

test('sends a notice once to each user in the request (administration-12)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  const sent = await as(admin, 'POST', '/admin/notices', {
    user_ids: [ann.id, bob.id, ann.id],
    contents: 'Maintenance tonight',
  })
  assert.equal(sent.status, 201)
  const { badge, first } = await systemOf(ann)
  assert.equal(badge, 1)
  assert.equal(first.data.contents, 'Maintenance tonight')
  assert.equal(first.data.kind, 'notice')
  assert.deepEqual(first.data.resource, { type: 18, id: sent.body.id })
  assert.deepEqual(first.data.sender, { id: 0, name: 'Kith' })
  assert.equal((await systemOf(bob)).badge, 1)
  assert.equal((await systemOf(cid)).badge, 0)
  const { body } = await as(admin, 'GET', `/admin/notices/${sent.body.id}`)
  assert.deepEqual([body.status, body.sent, body.total, body.all], ['sent', 2, 2, false])
  assert.equal(body.user_id, admin.id)
})

test('sends a notice to each user once when the job is repeated', async () => {
  await sql`
    insert into users (name, name_key) select 'many' || n, 'many' || n from generate_series(1, 1200) as n`
  const ann = await person()
  const { body } = await as(admin, 'POST', '/admin/notices', { all: true, contents: 'Hello all' })
  const progress = async () => (await as(admin, 'GET', `/admin/notices/${body.id}`)).body
  assert.deepEqual([(await progress()).status, (await progress()).sent], ['sending', 0])
  await assert.rejects(
    async () =>
      notificationTasks(ctx).send_notice?.({ id: body.id }, { abortSignal: AbortSignal.abort() } as never),
    { name: 'AbortError' },
  )
  assert.equal((await progress()).sent, 0)
  await work()
  const [{ count }] = await sql<[{ count: number }]>`select count(*)::int from users where deleted_at is null`
  assert.deepEqual(
    [(await progress()).status, (await progress()).sent, (await progress()).total],
    ['sent', count, count],
  )
  await notificationTasks(ctx).send_notice?.({ id: body.id }, {
    abortSignal: new AbortController().signal,
  } as never)
  assert.equal((await systemOf(ann)).badge, 1)
  assert.equal((await systemOf(ann)).first.data.contents, 'Hello all')

  assert.equal(
    (await as(admin, 'PATCH', `/admin/notices/${body.id}`, { contents: 'Hello, all' })).status,
    204,
  )
  assert.equal((await systemOf(ann)).first.data.contents, 'Hello, all')

  const bob = await person()
  await as(ann, 'PATCH', '/user/notifications', { type: 'system' })
  assert.equal((await as(admin, 'DELETE', `/admin/notices/${body.id}`)).status, 204)
  assert.equal((await as(admin, 'GET', `/admin/notices/${body.id}`)).status, 404)
  assert.equal((await as(admin, 'DELETE', `/admin/notices/${body.id}`)).status, 404)
  assert.equal((await as(admin, 'PATCH', `/admin/notices/${body.id}`, { contents: 'x' })).status, 404)
  await work()
  const left =
    await sql`select user_id from notifications where cause_type = 'notices' and cause_id = ${body.id}`
  assert.deepEqual([...left], [{ user_id: ann.id }])
  assert.equal((await systemOf(bob)).badge, 0)
})

test('sends no notice that an administrator deleted before the job ran', async () => {
  const { body } = await as(admin, 'POST', '/admin/notices', { all: true, contents: 'Too soon' })
  await as(admin, 'DELETE', `/admin/notices/${body.id}`)
  await work()
  const told = await sql`select 1 from notifications where cause_type = 'notices' and cause_id = ${body.id}`
  assert.equal(told.length, 0)
})

test('validates the text and the recipients of a notice (administration-12)', async () => {
  const ann = await person()
  for (const body of [
    {},
    { contents: 'x' },
    { contents: 'x', user_ids: [] },
    { contents: 'x', all: false },
    { contents: 'x', all: true, user_ids: [ann.id] },
    { contents: 'x', user_ids: [ann.id, 2 ** 50] },
    { all: true },
    { contents: '   ', all: true },
  ])
    assert.equal((await as(admin, 'POST', '/admin/notices', body)).status, 422, JSON.stringify(body))
  assert.equal((await systemOf(ann)).badge, 0)
  const member = await as(ann, 'POST', '/admin/notices', { all: true, contents: 'x' })
  assert.equal(member.status, 403)
})

test('filters the list of notices (administration-2, administration-3)', async () => {
  const ann = await person()
  const { body } = await as(admin, 'POST', '/admin/notices', { user_ids: `${ann.id}`, contents: '100% sure' })
  const { data, total } = (await as(admin, 'GET', '/admin/notices?q=0%25 s&status=sent')).body
  assert.deepEqual([total, data[0].id, data[0].user_ids], [1, body.id, [ann.id]])
  const log = (await as(admin, 'GET', `/admin/audit-log?subject_type=notices&subject_id=${body.id}`)).body
  assert.equal(log.data[0].action, 'notices.send')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Content, ContentReaders } from '#contracts/content.ts'
import { commentContent, mountComments } from '#modules/comments/index.ts'
import { addReport, mountReports } from '#modules/reports/index.ts'
import { transaction } from '#platform/database'
import { createWorld, type Person } from '#test/world.ts'
import { getReport, handleReport, listReports } from './admin/service.ts'

const owners = new Map<number, number>()
const hidden = new Set<number>()
const content: Content = {
  type: 'test-things',
  param: 'thing',
  noun: 'Thing',
  tag: 'Feeds',
  async find(_, id) {
    const ownerId = owners.get(id)
    return ownerId === undefined ? undefined : { id, ownerId, contents: 'x'.repeat(300) }
  },
  live: (sql, id) => sql`select ${id}::bigint as id from users limit 1`,
}
const readers: ContentReaders = {
  'test-things': {
    visible: async (_, ids) => new Set(ids.filter((id) => !hidden.has(id))),
    views: async () => new Map(),
  },
}

const { as, guest, person, sql, ctx } = await createWorld(
  {},
  {
    routes(server, context) {
      mountReports(server, context, content, { path: '/things/:thing/reports' })
      mountReports(server, context, content, {
        path: '/reports/things/:thing',
        required: true,
      })
      mountReports(server, context, commentContent(readers), { path: '/report/comments/:comment' })
      mountComments(
        server,
        context,
        { ...content, live: (db, id) => db`select id from (select ${id}::bigint as id) t` },
        { path: '/things/:thing/comments', shape: 'array' },
      )
    },
  },
)
let last = 0
const make = (owner: Person) => {
  last += 1
  owners.set(last, owner.id)
  return last
}
const reportsBy = (who: Person) => sql<
  { id: number; target_user: number; subject: string; reason: string | null; status: number }[]
>`
  select id, target_user, subject, reason, status from reports where user_id = ${who.id} order by id`

test('stores one report when a user repeats an open report (feeds-24)', async () => {
  const [owner, reader] = [await person(), await person()]
  const id = make(owner)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => as(reader, 'POST', `/test/things/${id}/reports`, { reason: 'spam' })),
  )
  assert.ok(answers.every(({ status, body }) => status === 201 && body.message.length === 1))
  const [report, ...more] = await reportsBy(reader)
  assert.equal(more.length, 0)
  assert.deepEqual(
    { ...report, id: 0 },
    { id: 0, target_user: owner.id, subject: 'x'.repeat(100), reason: 'spam', status: 0 },
  )
})

test('accepts an optional reason of at most 255 characters', async () => {
  const [owner, reader] = [await person(), await person()]
  const id = make(owner)
  const send = (body: object | undefined) => as(reader, 'POST', `/test/things/${id}/reports`, body)
  assert.equal((await send({ reason: 'x'.repeat(256) })).status, 422)
  for (const body of [undefined, {}, { reason: null }, { reason: ' ' }])
    assert.equal((await send(body)).status, 201)
  assert.equal((await reportsBy(reader))[0]?.reason, null)
  const required = await as(reader, 'POST', `/test/reports/things/${id}`, {})
  assert.equal(required.status, 422)
  assert.ok(required.body.errors.content)
  assert.equal((await as(reader, 'POST', '/test/reports/things/99999', {})).status, 404)
  assert.equal((await guest('POST', `/test/things/${id}/reports`, {})).status, 401)
})

test('reads the reason under any of three names, the documented one first (feeds-24)', async () => {
  const owner = await person()
  const cases: [string, object, string][] = [
    ['/test/things', { content: 'b' }, 'b'],
    ['/test/things', { message: 'c', reason: 'a' }, 'a'],
    ['/test/reports/things', { reason: 'a' }, 'a'],
    ['/test/reports/things', { message: 'c' }, 'c'],
    ['/test/reports/things', { reason: 'a', content: 'b', message: 'c' }, 'b'],
  ]
  for (const [path, body, reason] of cases) {
    const [reader, id] = [await person(), make(owner)]
    const url = path === '/test/things' ? `${path}/${id}/reports` : `${path}/${id}`
    assert.equal((await as(reader, 'POST', url, body)).status, 201)
    assert.equal((await reportsBy(reader))[0]?.reason, reason)
  }
  const long = await as(await person(), 'POST', `/test/reports/things/${make(owner)}`, {
    reason: 'x'.repeat(256),
  })
  assert.deepEqual([long.status, Object.keys(long.body.errors)], [422, ['reason']])
})

test('accepts reports about existing users other than the reporter (feeds-24)', async () => {
  const [me, other] = [await person(), await person()]
  assert.equal((await as(me, 'POST', `/report/users/${other.id}`, { reason: 'rude' })).status, 201)
  assert.equal((await as(me, 'POST', `/report/users/${me.id}`)).status, 422)
  assert.equal((await as(me, 'POST', '/report/users/99999999')).status, 404)
  const [report] = await reportsBy(me)
  assert.deepEqual([report?.target_user, report?.subject], [other.id, other.name])
})

test('accepts a report about a comment only when the commented content is visible', async () => {
  const [owner, reader] = [await person(), await person()]
  const id = make(owner)
  const { comment } = (await as(owner, 'POST', `/test/things/${id}/comments`, { body: 'nasty words' })).body
  assert.equal((await as(reader, 'POST', `/test/report/comments/${comment.id}`)).status, 201)
  const [report] = await reportsBy(reader)
  assert.deepEqual([report?.target_user, report?.subject], [owner.id, 'nasty words'])
  hidden.add(id)
  assert.equal((await as(reader, 'POST', `/test/report/comments/${comment.id}`)).status, 404)
  assert.equal((await as(reader, 'POST', `/report/comments/${comment.id}`)).status, 404)
})

test('accepts only one of several concurrent decisions on a report (feeds-25)', async () => {
  const [owner, reader, admin] = [await person(), await person(), await person()]
  const id = make(owner)
  await as(reader, 'POST', `/test/things/${id}/reports`, { reason: 'spam' })
  const [report] = await reportsBy(reader)
  const handle = () =>
    transaction(sql, (tx) => handleReport(tx, report!.id, { action: 'reject', mark: 'fine' }, admin.id))
  const outcomes = await Promise.allSettled([handle(), handle(), handle()])
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') assert.equal(outcome.reason.status, 422)
  const view = await getReport(ctx, report!.id, admin.id)
  assert.deepEqual([view.status, view.mark, view.handled_by], [2, 'fine', admin.id])
  assert.ok(view.handled_at)
  const told = await sql<{ data: object }[]>`select data from notifications where user_id = ${reader.id}`
  assert.deepEqual(
    told.map(({ data }) => data),
    [{ type: 'report', state: 'rejected', subject: report!.subject, resource: { type: 'test-things', id } }],
  )
  await assert.rejects(
    transaction(sql, (tx) => handleReport(tx, 99_999_999, { action: 'deal' }, admin.id)),
    { status: 404 },
  )
  await as(reader, 'POST', `/test/things/${id}/reports`, { reason: 'again' })
  assert.equal((await reportsBy(reader)).length, 2)
})

test('filters reports by status, content type, user and text', async () => {
  const [owner, reader, admin] = [await person(), await person(), await person()]
  for (let n = 0; n < 3; n += 1)
    await addReport(sql, {
      type: 'listed',
      id: n,
      userId: reader.id,
      targetUser: owner.id,
      subject: `subject 100%${n}`,
      reason: n === 2 ? 'special' : null,
    })
  const list = (search: object) => listReports(ctx, { type: 'listed', ...search }, admin.id)
  const all = await list({})
  assert.equal(all.total, 3)
  assert.deepEqual(
    all.data.map((report) => report.reportable_id),
    [2, 1, 0],
  )
  assert.deepEqual([all.data[0]?.user?.id, all.data[0]?.target?.id], [reader.id, owner.id])
  const second = await list({ page: 2, limit: 2, order: 'asc' })
  assert.deepEqual([second.total, second.data.map((report) => report.reportable_id)], [3, [2]])
  assert.equal((await list({ q: 'SPECIAL' })).total, 1)
  assert.equal((await list({ q: '100%1' })).total, 1)
  assert.equal((await list({ q: '1%%' })).total, 0)
  assert.equal((await list({ status: 1 })).total, 0)
  assert.equal((await list({ user_id: owner.id })).total, 0)
  assert.equal((await list({ target_user: owner.id, user_id: reader.id })).total, 3)
})

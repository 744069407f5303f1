import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { addReport } from '../reports.ts'
import { handleReport } from './service.ts'

const world = await createWorld()
const { as, person, sql } = world
const { publish } = feedsOf(world)
const founder = await person({ roles: ['founder'] })
const roleOf = async (name: string, abilities: string[]): Promise<Person> => {
  assert.equal((await as(founder, 'POST', '/admin/roles', { name, abilities })).status, 201)
  return person({ roles: [name] })
}
const reader = await roleOf('report_reader', ['admin: reports'])
const remover = await roleOf('report_remover', ['admin: reports', 'admin: feeds'])

const report = async (by: Person, path: string, body: object = {}): Promise<number> => {
  assert.equal((await as(by, 'POST', path, body)).status, 201)
  const [row] = await sql<{ id: number }[]>`select max(id) as id from reports where user_id = ${by.id}`
  return row!.id
}
const decide = (by: Person, id: number, body: object) => as(by, 'PATCH', `/admin/reports/${id}`, body)
const statusOf = async (id: number) => (await as(founder, 'GET', `/admin/reports/${id}`)).body.status
const codeOf = ({ headers }: { headers: object }) => (headers as { 'x-error-code'?: string })['x-error-code']
const silence = { kind: 'silence', reason: 'Spam', hours: 24 }

test('applies every part of a decision in one request (feeds-40)', async () => {
  const [author, ann, bob] = [await person(), await person(), await person()]
  const feed = await publish(author)
  const [first, second] = [
    await report(ann, `/feeds/${feed}/reports`),
    await report(bob, `/feeds/${feed}/reports`),
  ]
  const body = { action: 'deal', mark: 'spam', remove: true, sanction: silence }
  assert.equal((await decide(founder, first, body)).status, 204)
  assert.equal((await as(ann, 'GET', `/feeds/${feed}`)).status, 404)
  assert.equal(codeOf(await as(author, 'POST', '/feeds', {})), 'silenced')
  assert.deepEqual([await statusOf(first), await statusOf(second)], [1, 1])
  for (const who of [ann, bob]) {
    const told = await as(who, 'GET', '/user/notifications?type=system')
    assert.deepEqual([told.body.data.length, told.body.data[0].data.state], [1, 'passed'])
  }
  const log = await as(founder, 'GET', `/admin/audit-log?subject_type=reports&subject_id=${first}`)
  const [{ after }] = log.body.data
  assert.deepEqual([after.status, after.removed, after.author], [1, true, author.id])
  const [sanction] = (await as(founder, 'GET', `/admin/sanctions?user=${author.id}`)).body.data
  assert.deepEqual([sanction.id, sanction.report_id], [after.sanction, first])
})

test('closes only open reports about the removed target (feeds-40)', async () => {
  const waiting = async () => (await as(reader, 'GET', '/admin/statistics/waiting')).body.data[0].count
  const before = await waiting()
  const [author, ann, bob, cid] = [await person(), await person(), await person(), await person()]
  const [feed, elsewhere] = [await publish(author), await publish(author)]
  const first = await report(ann, `/feeds/${feed}/reports`)
  const decided = await report(bob, `/feeds/${feed}/reports`)
  const late = await report(cid, `/feeds/${feed}/reports`)
  const beside = await report(ann, `/feeds/${elsewhere}/reports`)
  await addReport(sql, {
    type: 'comments',
    id: feed,
    userId: bob.id,
    targetUser: 0,
    subject: 'Of the same number',
    reason: null,
  })
  const [alike] = await sql<[{ id: number }]>`select max(id) as id from reports where user_id = ${bob.id}`
  assert.equal((await decide(founder, decided, { action: 'reject' })).status, 204)
  assert.equal(await waiting(), before + 4)
  let removing: Promise<Answer> | undefined
  await transaction(sql, async (tx) => {
    await handleReport(tx, late, { action: 'reject' }, founder.id)
    removing = decide(founder, first, { action: 'deal', remove: true })
    await untilWaiting(sql)
  })
  assert.equal((await removing)?.status, 204)
  const statuses = await Promise.all([first, decided, late, beside, alike.id].map(statusOf))
  assert.deepEqual(statuses, [1, 2, 2, 0, 0])
  assert.equal(await waiting(), before + 2)
  const ownerless = await decide(founder, alike.id, { action: 'deal', sanction: silence })
  assert.deepEqual([ownerless.status, codeOf(ownerless)], [422, 'nobody_to_sanction'])
})

test('applies one decision when moderators race (feeds-40)', async () => {
  const [author, ann] = [await person(), await person()]
  const feed = await publish(author)
  const id = await report(ann, `/feeds/${feed}/reports`)
  const answers = await Promise.all([
    decide(founder, id, { action: 'deal', remove: true, sanction: { kind: 'warning', reason: 'Once' } }),
    decide(founder, id, { action: 'deal', remove: true, sanction: { kind: 'warning', reason: 'Once' } }),
    decide(reader, id, { action: 'deal' }),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 422, 422])
  for (const answer of answers.filter(({ status }) => status === 422))
    assert.equal(codeOf(answer), 'report_handled')
  const warnings = (await as(founder, 'GET', `/admin/sanctions?user=${author.id}`)).body.total
  const isGone = (await as(ann, 'GET', `/feeds/${feed}`)).status === 404
  assert.equal(warnings, isGone ? 1 : 0)
})

test('changes nothing when the moderator lacks the ability for the removal or the sanction (feeds-40)', async () => {
  const [author, ann] = [await person(), await person()]
  const feed = await publish(author)
  const id = await report(ann, `/feeds/${feed}/reports`)
  for (const [by, body] of [
    [reader, { action: 'deal', remove: true }],
    [remover, { action: 'deal', remove: true, sanction: silence }],
  ] as const)
    assert.equal((await decide(by, id, body)).status, 403)
  const founding = await report(ann, `/report/users/${founder.id}`)
  const sanctioner = await roleOf('report_sanctioner', ['admin: reports', 'admin: sanctions'])
  const above = await decide(sanctioner, founding, { action: 'deal', sanction: silence })
  assert.equal(codeOf(above), 'may_do_more')
  assert.deepEqual([await statusOf(id), await statusOf(founding)], [0, 0])
  assert.equal((await as(ann, 'GET', `/feeds/${feed}`)).status, 200)
  assert.equal((await decide(remover, id, { action: 'deal', remove: true })).status, 204)
  assert.equal((await as(ann, 'GET', `/feeds/${feed}`)).status, 404)
})

test('leaves the report open when its decision is invalid (feeds-40)', async () => {
  const [author, ann] = [await person(), await person()]
  const id = await report(ann, `/report/users/${author.id}`)
  for (const [code, body] of [
    ['nothing_to_remove', { action: 'deal', remove: true }],
    ['only_when_dealt_with', { action: 'reject', remove: true }],
    ['only_when_dealt_with', { action: 'reject', sanction: silence }],
    ['validation_failed', { action: 'deal', sanction: { kind: 'silence' } }],
  ] as const) {
    const answer = await decide(founder, id, body)
    assert.deepEqual([answer.status, codeOf(answer)], [422, code])
  }
  assert.equal(await statusOf(id), 0)
  const nowhere = '/admin/reports/99999999'
  for (const answer of [await as(founder, 'GET', nowhere), await as(founder, 'PATCH', nowhere, {})])
    assert.equal(answer.status, 404)
  assert.equal((await decide(founder, id, { action: 'deal', sanction: silence })).status, 204)
})

test('removes reported comments, answers and posts of private groups (feeds-40)', async () => {
  const [author, ann] = [await person(), await person()]
  const feed = await publish(author)
  const { comment } = (await as(author, 'POST', `/feeds/${feed}/comments`, { body: 'Nasty' })).body
  const onComment = await report(ann, `/report/comments/${comment.id}`)
  assert.equal((await decide(founder, onComment, { action: 'deal', remove: true })).status, 204)
  assert.deepEqual((await as(ann, 'GET', `/feeds/${feed}/comments`)).body.comments, [])
  assert.equal((await as(ann, 'GET', `/feeds/${feed}`)).body.feed_comment_count, 0)

  const questions = questionsOf(world)
  const answer = await questions.answer(author, await questions.ask(ann))
  const onAnswer = await report(ann, `/question-answers/${answer}/reports`)
  assert.equal((await decide(founder, onAnswer, { action: 'deal', remove: true })).status, 204)
  assert.equal((await as(ann, 'GET', `/question-answers/${answer}`)).status, 404)

  await as(founder, 'PATCH', '/admin/settings', { 'group:report-handle': 'site' })
  const groups = groupMaker(world)
  const group = await groups.group(author, { mode: 'private' })
  await groups.join(group, author, ann)
  const post = await groups.post(author, group)
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject)
    values (${ann.id}, ${author.id}, 'group-posts', ${post}, 'A post')`
  const [onPost] = await sql<{ id: number }[]>`
    select id from reports where reportable_type = 'group-posts' and reportable_id = ${post}`
  assert.equal((await decide(founder, onPost!.id, { action: 'deal', remove: true })).status, 204)
  assert.equal((await as(author, 'GET', `/groups/${group}/posts/${post}`)).status, 404)

  const late = await publish(author)
  const onLate = await report(ann, `/feeds/${late}/reports`)
  assert.equal((await as(author, 'DELETE', `/feeds/${late}`)).status, 204)
  assert.equal((await decide(founder, onLate, { action: 'deal', remove: true })).status, 204)
  const log = await as(founder, 'GET', `/admin/audit-log?subject_type=reports&subject_id=${onLate}`)
  assert.equal(log.body.data[0].after.removed, false)
})

test('lists the moderation history of a user with actors, newest first (administration-18)', async () => {
  const [author, ann] = [await person(), await person()]
  const id = await report(ann, `/report/users/${author.id}`, { reason: 'rude' })
  assert.equal((await decide(founder, id, { action: 'deal', mark: 'rude', sanction: silence })).status, 204)
  assert.equal((await as(author, 'POST', '/user/appeals', { contents: 'I was not' })).status, 201)
  const [{ id: appeal }] = (await as(founder, 'GET', `/admin/appeals?user=${author.id}`)).body.data
  assert.equal((await as(founder, 'PATCH', `/admin/appeals/${appeal}`, { action: 'accept' })).status, 204)
  const ask = (by: Person, query = '') => as(by, 'GET', `/admin/users/${author.id}/history${query}`)
  const { body } = await ask(founder)
  assert.equal(body.total, body.data.length)
  const events = (body.data as { event: string; by: number }[]).map(({ event, by }) => `${event} ${by}`)
  assert.deepEqual(
    [...events].sort(),
    [
      `appeal ${author.id}`,
      `appeals.accept ${founder.id}`,
      `report ${ann.id}`,
      `report.passed ${founder.id}`,
      `sanctions.impose ${founder.id}`,
      `sanctions.lift ${founder.id}`,
    ].sort(),
  )
  assert.equal(events.at(-1), `report ${ann.id}`)
  assert.deepEqual(body.data.at(-1).details.reason, 'rude')
  const paged = await ask(founder, '?limit=2&page=3')
  assert.deepEqual(paged.body.data, body.data.slice(4))
  assert.equal((await ask(reader)).status, 403)
  assert.equal((await as(founder, 'GET', '/admin/users/99999999/history')).status, 404)
})

test('masks contact data in the history when the moderator may not read accounts (administration-18)', async () => {
  const ann = await person()
  const moderator = await person()
  await sql`
    with role as (insert into roles (name) values ('sanctions only') returning id),
    given as (insert into role_abilities (role_id, ability) select id, 'admin: sanctions' from role)
    insert into user_roles (user_id, role_id) select ${moderator.id}, id from role`
  const contacts = { email: 'secret.one@example.org', phone: '13612345678', bio: 'Hm' }
  assert.equal((await as(founder, 'PATCH', `/admin/users/${ann.id}`, contacts)).status, 204)
  const second = { email: 'secret.two@example.org', phone: null }
  assert.equal((await as(founder, 'PATCH', `/admin/users/${ann.id}`, second)).status, 204)
  const read = async (by: Person) => (await as(by, 'GET', `/admin/users/${ann.id}/history`)).body.data
  const masked = await read(moderator)
  assert.equal(masked.length, 2)
  assert.doesNotMatch(JSON.stringify(masked), /secret|13612345678/)
  assert.equal(masked[0].details.after.email, '***')
  assert.equal((await read(founder))[0].details.before.phone, '13612345678')
  assert.equal((await as(moderator, 'GET', `/admin/users/${ann.id}`)).status, 403)
})

test('includes decisions without a known actor in the history (administration-18)', async () => {
  const [author, ann, bob] = [await person(), await person(), await person()]
  const id = await report(ann, `/report/users/${author.id}`, { reason: 'rude' })
  await report(bob, `/report/users/${author.id}`)
  assert.equal((await decide(founder, id, { action: 'deal', mark: 'rude' })).status, 204)
  // Simulates an imported report that an unknown administrator decided.
  await sql`update reports set handled_by = null where id = ${id}`
  const { status, body } = await as(founder, 'GET', `/admin/users/${author.id}/history`)
  assert.equal(status, 200, JSON.stringify(body))
  const known = (body.data as { event: string; by: number | null }[]).map(({ event, by }) => [event, by])
  assert.deepEqual(
    known.sort(),
    [
      ['report', ann.id],
      ['report', bob.id],
      ['report.passed', null],
    ].sort(),
  )
})

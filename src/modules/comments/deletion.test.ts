import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentCounters, commentsRecount, deleteCommentsOf } from '#modules/comments/index.ts'
import { commentedWorld } from '#test/fixtures/comments.ts'
import { untilWaiting } from '#test/waiting.ts'

const { as, guest, person, sql, make, comment, counted, notices } = await commentedWorld()

test('keeps comment counters exact when several comments or several deletions run concurrently', async () => {
  const [owner, reader] = [await person(), await person()]
  const id = await make(owner)
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      as(reader, 'POST', `/test/things/${id}/comments`, { body: `c${n}` }),
    ),
  )
  assert.deepEqual(await counted(id, reader), { content: 12, author: 12 })
  const answers = await Promise.all(
    made.slice(0, 5).flatMap(({ body }) => {
      const remove = () => as(reader, 'DELETE', `/test/things/${id}/comments/${body.comment.id}`)
      return [remove(), remove()]
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 204).length, 5)
  assert.deepEqual(await counted(id, reader), { content: 7, author: 7 })
})

test('restricts deletion of a comment to its author and moderators (feeds-16)', async () => {
  const [owner, reader] = [await person(), await person()]
  const [id, moderated] = [await make(owner), await make(owner, 'mod')]
  const made = await comment(reader, id, 'mine')
  assert.equal((await guest('GET', `/test/things/${id}/comments/${made.id}`)).body.user.id, reader.id)
  assert.equal((await guest('GET', `/test/things/${moderated}/comments/${made.id}`)).status, 404)
  assert.equal((await as(reader, 'DELETE', `/test/things/${moderated}/comments/${made.id}`)).status, 404)
  assert.equal((await as(owner, 'DELETE', `/test/things/${id}/comments/${made.id}`)).status, 403)
  const bad = await comment(reader, moderated, 'bad')
  assert.equal((await as(owner, 'DELETE', `/test/things/${moderated}/comments/${bad.id}`)).status, 204)
  assert.deepEqual(await counted(moderated, reader), { content: 0, author: 1 })
  const [told, ...more] = await notices(reader)
  assert.deepEqual(
    [told?.type, told?.data.type, told?.data.comment, more.length],
    ['system', 'delete:feed/comment', { id: bad.id, contents: 'bad' }, 0],
  )
})

test('rejects a comment on content that is being deleted', async () => {
  const owner = await person()
  const id = await make(owner)
  let commit = () => {}
  const held = new Promise<void>((resolve) => {
    commit = resolve
  })
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const deletion = sql.begin(async (tx) => {
    await tx`update test_things set gone = true where id = ${id}`
    await deleteCommentsOf(tx, 'test-things', [id])
    locked()
    await held
  })
  await isLocked
  const late = as(owner, 'POST', `/test/things/${id}/comments`, { body: 'late' })
  await untilWaiting(sql)
  commit()
  await deletion
  assert.equal((await late).status, 404)
  assert.equal((await sql`select from comments where commentable_id = ${id}`).length, 0)
})

test("updates the authors' counters when comments are deleted with their content", async () => {
  const [owner, reader] = [await person(), await person()]
  const id = await make(owner)
  const made = [await comment(reader, id, '1'), await comment(reader, id, '2'), await comment(owner, id, '3')]
  const unread = async () => (await as(owner, 'GET', '/user/notification-statistics')).body.comment.badge
  assert.equal(await unread(), 2)
  const ids = await deleteCommentsOf(sql, 'test-things', [id])
  assert.equal(await unread(), 0)
  assert.deepEqual(
    ids.toSorted((x, y) => x - y),
    made.map((c) => c.id),
  )
  assert.equal((await counted(id, reader)).author, 0)
  assert.equal((await counted(id, owner)).author, 0)
})

test('deletes unread notifications of comments that are deleted with their content', async () => {
  const [owner, reader, replied] = [await person(), await person(), await person()]
  const id = await make(owner)
  await comment(reader, id, `first \u00AD@${replied.name}\u00AD`)
  await as(owner, 'PATCH', '/user/notifications', { type: 'comment' })
  await comment(reader, id, 'second', { reply_user: replied.id })
  await deleteCommentsOf(sql, 'test-things', [id])
  assert.deepEqual(
    (await notices(owner)).map(({ data }) => data.contents),
    [`first \u00AD@${replied.name}\u00AD`],
  )
  assert.deepEqual([...(await notices(replied))], [])
})

test('repairs wrong comment counters with a recount', async () => {
  const owner = await person()
  const id = await make(owner)
  await comment(owner, id, 'counted')
  await sql`update user_counts set comments_count = 7 where user_id = ${owner.id}`
  await sql`update test_things set comments_count = 0 where id = ${id}`
  const things = commentsRecount('test-things', { table: 'test_things', key: 'id', column: 'comments_count' })
  const [authors] = commentCounters
  assert.ok(
    (await authors!.find(sql)).some(
      (drift) => drift.key === String(owner.id) && drift.kept === 7 && drift.counted === 1,
    ),
  )
  for (const check of [things, authors!]) {
    assert.ok((await check.mend(sql)) > 0)
    assert.deepEqual(await check.find(sql), [])
  }
  assert.deepEqual(await counted(id, owner), { content: 1, author: 1 })
})

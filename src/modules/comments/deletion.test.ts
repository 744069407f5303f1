import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { commentCounters, commentsRecount, deleteCommentsOf } from '#modules/comments/index.ts'
import { commentTasks } from '#modules/comments/module.ts'
import { transaction } from '#platform/database'
import { commentedWorld } from '#test/fixtures/comments.ts'
import { untilWaiting } from '#test/waiting.ts'
import type { Person } from '#test/world.ts'

const { as, guest, person, sql, ctx, make, comment, counted, notices } = await commentedWorld()

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
  for (const by of [reader, reader, owner]) await comment(by, id, 'words')
  const unread = async () => (await as(owner, 'GET', '/user/notification-statistics')).body.comment.badge
  assert.equal(await unread(), 2)
  await deleteCommentsOf(sql, 'test-things', [id])
  assert.equal(await unread(), 0)
  assert.equal((await sql`select from comments where commentable_id = ${id}`).length, 0)
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

describe('content with many comments', () => {
  const remaining = async (id: number) =>
    (await sql<[{ n: number }]>`select count(*)::int as n from comments where commentable_id = ${id}`)[0].n
  const waiting = () => sql<{ payload: { type: string; ids: number[] } }[]>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'delete_comments'`
  async function makeMany(owner: Person, reader: Person, number: number): Promise<number> {
    const id = await make(owner)
    await sql`
      with made as (
        insert into comments (commentable_type, commentable_id, user_id, target_user, body)
        select 'test-things', ${id}, ${reader.id}, ${owner.id}, 'comment ' || n from generate_series(1, ${number}::int) n
        returning user_id
      )
      update user_counts set comments_count = comments_count + ${number} where user_id = ${reader.id}`
    return id
  }
  const end = (id: number) =>
    transaction(sql, async (tx) => {
      await tx`update test_things set gone = true where id = ${id}`
      await deleteCommentsOf(tx, 'test-things', [id])
    })

  test('deletes at most 500 comments in one transaction and continues after a kill (feeds-43)', async () => {
    const [owner, reader] = [await person(), await person()]
    const id = await makeMany(owner, reader, 1_700)
    await end(id)
    assert.equal(await remaining(id), 1_200)
    assert.equal((await counted(id, reader)).author, 1_200)
    const [job] = await waiting()
    assert.deepEqual(job?.payload, { type: 'test-things', ids: [id] })
    const remove = commentTasks(ctx).delete_comments!
    const stopped = new AbortController()
    stopped.abort()
    // The job ends after each batch, as a stopped process does, and starts again from what is left.
    for (const left of [700, 200]) {
      await assert.rejects(async () => remove(job!.payload, { abortSignal: stopped.signal } as never))
      assert.equal(await remaining(id), left)
      assert.equal((await counted(id, reader)).author, left)
    }
    await remove(job!.payload, {} as never)
    assert.equal(await remaining(id), 0)
    assert.equal((await counted(id, reader)).author, 0)
  })

  test('shows no comment that still waits for its deletion (feeds-43)', async () => {
    const [owner, reader] = [await person(), await person()]
    const id = await makeMany(owner, reader, 501)
    await end(id)
    const [left] = await sql<[{ id: number }]>`select id from comments where commentable_id = ${id}`
    assert.deepEqual((await guest('GET', `/test/comments?id=${left.id}`)).body, [])
    assert.equal((await guest('GET', `/test/things/${id}/comments`)).status, 404)
    assert.deepEqual((await guest('GET', `/test/comments?author=${reader.id}`)).body, [])
  })

  test('continues when a concurrent deletion removes comments of its batch', async () => {
    const [owner, reader] = [await person(), await person()]
    const id = await makeMany(owner, reader, 1_100)
    await end(id)
    let lock = () => {}
    const isLocked = new Promise<void>((resolve) => {
      lock = resolve
    })
    const removal = sql.begin(async (tx) => {
      await tx`delete from comments where id = (select min(id) from comments where commentable_id = ${id})`
      await tx`update user_counts set comments_count = comments_count - 1 where user_id = ${reader.id}`
      lock()
      await untilWaiting(sql)
    })
    await isLocked
    const [job] = (await waiting()).slice(-1)
    await commentTasks(ctx).delete_comments!(job!.payload, {} as never)
    await removal
    assert.equal(await remaining(id), 0)
    assert.equal((await counted(id, reader)).author, 0)
  })
})

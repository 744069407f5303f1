import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentedWorld } from '#test/fixtures/comments.ts'
import type { Person } from '#test/world.ts'
import { tidyCommentMarks } from './service.ts'

const { removed, as, person, sql, ctx, make, comment, counted, notices } = await commentedWorld()

test('returns and counts a new comment (feeds-11)', async () => {
  const [owner, reader] = [await person(), await person()]
  const id = await make(owner)
  const made = await as(reader, 'POST', `/test/things/${id}/comments`, { body: '  hello  ' })
  assert.equal(made.status, 201)
  assert.equal(made.body.message.length, 1)
  const { id: commentId, created_at, updated_at, ...rest } = made.body.comment
  assert.deepEqual(rest, {
    commentable_type: 'test-things',
    commentable_id: id,
    user_id: reader.id,
    target_user: owner.id,
    reply_user: 0,
    body: 'hello',
  })
  assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.equal(updated_at, created_at)
  assert.deepEqual(await counted(id, reader), { content: 1, author: 1 })
  const gone = await as(reader, 'DELETE', `/test/things/${id}/comments/${commentId}`)
  assert.equal(gone.status, 204)
  assert.deepEqual(await counted(id, reader), { content: 0, author: 0 })
  assert.deepEqual(removed, [commentId])
  assert.equal((await as(reader, 'DELETE', `/test/things/${id}/comments/${commentId}`)).status, 404)
})

test('limits the body of a comment to 1 to 255 Unicode characters after trimming', async () => {
  const owner = await person()
  const id = await make(owner)
  const send = async (body: unknown) => as(owner, 'POST', `/test/things/${id}/comments`, body)
  for (const body of [
    {},
    { body: '' },
    { body: '   ' },
    { body: 'x'.repeat(256) },
    { body: 5 },
    { body: null },
  ]) {
    const answer = await send(body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.ok(answer.body.errors.body)
  }
  assert.equal((await send({ body: ` ${'😀'.repeat(255)} ` })).status, 201)
})

test('accepts only an existing user or no user as reply_user (feeds-11)', async () => {
  const [owner, other] = [await person(), await person()]
  const id = await make(owner)
  const send = (reply_user: unknown) =>
    as(owner, 'POST', `/test/things/${id}/comments`, { body: 'b', reply_user })
  for (const none of [0, '0', null, '', undefined]) {
    const answer = await send(none)
    assert.equal(answer.status, 201)
    assert.equal(answer.body.comment.reply_user, 0)
  }
  assert.equal((await send(String(other.id))).body.comment.reply_user, other.id)
  const unknown = await send(999_999_999)
  assert.equal(unknown.status, 422)
  assert.ok(unknown.body.errors.reply_user)
  await sql`update users set deleted_at = now() where id = ${other.id}`
  assert.equal((await send(other.id)).status, 422)
})

test('returns 404 for unknown or hidden content before it validates the body', async () => {
  const [owner, reader] = [await person(), await person()]
  const secret = await make(owner, 'secret', true)
  const gone = await make(owner)
  await sql`update test_things set gone = true where id = ${gone}`
  for (const id of [secret, gone, 999_999]) {
    assert.equal((await as(reader, 'POST', `/test/things/${id}/comments`, {})).status, 404)
    assert.equal((await as(reader, 'GET', `/test/things/${id}/comments`)).status, 404)
    assert.equal((await as(reader, 'DELETE', `/test/things/${id}/comments/1`)).status, 404)
  }
  assert.equal((await as(owner, 'GET', `/test/things/${secret}/comments`)).status, 200)
})

test('rejects a comment that addresses a user who blocks the author (feeds-15)', async () => {
  const [owner, reader, blocker] = [await person(), await person(), await person()]
  const [id, theirs] = [await make(owner), await make(blocker)]
  await sql`insert into user_blocks (user_id, target_id) values (${blocker.id}, ${reader.id})`
  const on = (contentId: number, body: object) =>
    as(reader, 'POST', `/test/things/${contentId}/comments`, body)
  assert.equal((await on(theirs, {})).status, 403)
  assert.equal((await on(theirs, { body: 'x' })).status, 403)
  assert.equal((await on(id, { body: 'x', reply_user: blocker.id })).status, 403)
  assert.equal((await on(id, { body: `\u00AD@${blocker.name}\u00AD` })).status, 403)
  assert.deepEqual(await counted(id, reader), { content: 0, author: 0 })
})

test('notifies the owner, the replied-to user and mentioned users once (feeds-15)', async () => {
  const [owner, reader, replied, named] = [await person(), await person(), await person(), await person()]
  const id = await make(owner)
  const body = `\u00AD@${named.name.toUpperCase()}\u00AD \u00AD@%\u00AD`
  const made = await comment(reader, id, body, { reply_user: replied.id })
  assert.deepEqual(
    (await notices(owner)).map(({ type, data }) => [type, data.hasReply, data.contents, data.commentable]),
    [['comment', false, body, { type: 'test-things', id }]],
  )
  assert.deepEqual(
    (await notices(replied)).map(({ type, data }) => [type, data.hasReply]),
    [['comment', true]],
  )
  assert.deepEqual(
    (await notices(named)).map(({ type, data }) => [type, data.resource]),
    [['at', { type: 'comments', id: made.id }]],
  )
  assert.deepEqual([...(await notices(reader))], [])
  await as(reader, 'DELETE', `/test/things/${id}/comments/${made.id}`)
  for (const told of [owner, replied, named]) assert.deepEqual([...(await notices(told))], [])

  await comment(reader, id, 'to you', { reply_user: owner.id })
  assert.equal((await notices(owner)).length, 1)
  await comment(owner, id, 'to myself', { reply_user: owner.id })
  assert.equal((await notices(owner)).length, 1)
})

test('creates one comment per idempotency key, and rejects the key with another body (conventions-28)', async () => {
  const owner = await person()
  const id = await make(owner)
  const send = (body: string, key: string) =>
    as(owner, 'POST', `/test/things/${id}/comments`, { body }, { 'idempotency-key': key })
  const answers = await Promise.all(Array.from({ length: 4 }, () => send('first', 'a')))
  assert.ok(answers.every(({ status }) => status === 201 || status === 409))
  const made = answers.find(({ status }) => status === 201)!.body.comment.id
  const again = await send('first', 'a')
  assert.deepEqual([again.status, again.body.comment.id], [201, made])
  const other = await send('second', 'a')
  assert.deepEqual([other.status, other.headers['x-error-code']], [422, 'idempotency_key_reused'])
  assert.equal((await send('second', 'b')).status, 201)
  assert.deepEqual(await counted(id, owner), { content: 2, author: 2 })
})

test('creates one comment for a comment_mark repeated within three seconds (feeds-12)', async () => {
  const [owner, other] = [await person(), await person()]
  const id = await make(owner)
  const send = (who: Person, comment_mark: unknown) =>
    as(who, 'POST', `/test/things/${id}/comments`, { body: 'b', comment_mark })
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(owner, 1_700_000_000_000)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422])
  assert.ok(answers.find(({ status }) => status === 422)?.body.errors.comment_mark)
  assert.equal((await send(other, 1_700_000_000_000)).status, 201)
  assert.equal((await send(owner, 'other')).status, 201)
  assert.equal((await send(owner, 12345_1700000000000)).status, 201)
  await sql`update comment_marks set created_at = now() - interval '4 seconds'`
  assert.equal((await send(owner, '1700000000000')).status, 201)
  await sql`update comment_marks set created_at = now() - interval '2 minutes' where mark = 'other'`
  await tidyCommentMarks(ctx)
  const left = await sql`select from comment_marks where mark = 'other'`
  assert.equal(left.length, 0)
})

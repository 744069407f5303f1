import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentedWorld } from '#test/fixtures/comments.ts'

const { pins, as, guest, person, sql, make, comment, notices } = await commentedWorld()

test('lists comments newest first, without comments by authors whom the viewer blocks (feeds-14)', async () => {
  const [owner, reader, third] = [await person(), await person(), await person()]
  const id = await make(owner)
  const made = [
    await comment(reader, id, 'one'),
    await comment(third, id, 'two', { reply_user: reader.id }),
    await comment(reader, id, 'three'),
  ]
  const path = `/test/things/${id}/comments`
  const all = await guest('GET', path)
  assert.equal(all.status, 200)
  assert.deepEqual(
    all.body.comments.map((c: { body: string }) => c.body),
    ['three', 'two', 'one'],
  )
  assert.equal(all.body.comments[1].user.id, third.id)
  assert.equal(all.body.comments[1].reply.id, reader.id)
  assert.equal(all.body.comments[0].reply, null)
  const next = await guest('GET', `${path}?after=${made[2].id}&limit=1`)
  assert.deepEqual(
    next.body.comments.map((c: { id: number }) => c.id),
    [made[1].id],
  )
  await sql`insert into user_blocks (user_id, target_id) values (${owner.id}, ${third.id})`
  assert.equal((await as(owner, 'GET', path)).body.comments.length, 2)
  await sql`update users set deleted_at = now() where id = ${third.id}`
  assert.equal((await guest('GET', path)).body.comments[1].user, null)
  for (const limit of ['0', '101', 'x'])
    assert.equal((await guest('GET', `${path}?limit=${limit}`)).status, 422)
})

test('lists pinned comments on the first page only (feeds-13)', async () => {
  const owner = await person()
  const id = await make(owner)
  const [first, second, third] = [
    await comment(owner, id, '1'),
    await comment(owner, id, '2'),
    await comment(owner, id, '3'),
  ]
  pins.set(id, [first.id, third.id])
  const page = (await guest('GET', `/test/things/${id}/comments`)).body
  assert.deepEqual(
    page.pinneds.map((c: { id: number }) => c.id),
    [first.id, third.id],
  )
  assert.equal(page.comments.length, 3)
  const later = (await guest('GET', `/test/things/${id}/comments?after=${second.id}`)).body
  assert.deepEqual(later.pinneds, [])
})

test('lists music comments as an array, paged by max_id (feeds-13)', async () => {
  const [a, b] = [await person(), await person()]
  const id = await make(a)
  const path = `/test/songs/${id}/comments`
  const first = await as(a, 'POST', path, { body: `\u00AD@${b.name}\u00AD` })
  assert.equal(first.status, 200)
  assert.equal(first.body.comment.target_user, 0)
  assert.equal(first.body.comment.commentable_type, 'test-songs')
  const second = await as(b, 'POST', path, { body: '2', reply_user: a.id })
  assert.deepEqual([...(await notices(b))], [])
  assert.equal((await notices(a)).length, 1)
  const list = async () => (await as(a, 'GET', path)).body.map((c: { id: number }) => c.id)
  assert.deepEqual(await list(), [second.body.comment.id, first.body.comment.id])
  const older = (await as(a, 'GET', `${path}?max_id=${second.body.comment.id}`)).body
  assert.equal(older.length, 1)
  await sql`insert into user_blocks (user_id, target_id) values (${a.id}, ${b.id})`
  assert.deepEqual(await list(), [first.body.comment.id])
})

test('searches GET /comments by author, recipient, content or id (feeds-17)', async () => {
  const [owner, reader, third] = [await person(), await person(), await person()]
  const [one, two] = [await make(owner), await make(owner)]
  const made = [
    await comment(reader, one, 'a'),
    await comment(third, two, 'b', { reply_user: reader.id }),
    await comment(reader, two, 'c'),
  ].map((c) => c.id as number)
  const [a, b, c] = made as [number, number, number]
  const find = async (query: string) =>
    (await guest('GET', `/test/comments?${query}`)).body.map((found: { id: number }) => found.id)
  assert.deepEqual(await find(`author=${reader.id}`), [c, a])
  assert.deepEqual(await find(`author=${reader.id}&direction=asc`), [a, c])
  assert.deepEqual(await find(`author=${reader.id}&index=${c}`), [a])
  assert.deepEqual(await find(`author=${reader.id}&index=${a}&direction=asc`), [c])
  assert.deepEqual(await find(`for_user=${reader.id}`), [b])
  assert.deepEqual(await find(`for_user=${owner.id}`), [c, b, a])
  assert.deepEqual(await find(`for_user=${owner.id}&limit=2&direction=asc`), [a, b])
  assert.deepEqual(await find(`for_user=${owner.id}&for_type=reply`), [])
  assert.deepEqual(await find(`for_user=${owner.id}&for_type=target&author=${third.id}`), [b])
  assert.deepEqual(await find(`for_user=${reader.id}&author=${third.id}`), [b])
  assert.deepEqual(await find(`id=${a},${b}&author=${reader.id}&limit=1`), [b, a])
  assert.deepEqual(await find(`resourceable_type=test-things&resourceable_id=${two}`), [c, b])
  assert.deepEqual(await find(`resourceable_type=test-things&resourceable_id=${one},${two}&limit=2`), [c, b])
  assert.equal((await guest('GET', `/test/comments?resourceable_id=${two}`)).status, 422)
  const [shown] = (await guest('GET', `/test/comments?id=${b}`)).body
  assert.match(shown.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.deepEqual(
    { ...shown, created_at: '' },
    {
      id: b,
      user_id: third.id,
      target_user: owner.id,
      reply_user: reader.id,
      body: 'b',
      resourceable: { type: 'test-things', id: two },
      created_at: '',
    },
  )
})

test('fills a page of GET /comments when some comments are hidden from the viewer', async () => {
  const owner = await person()
  const [open, secret, unlisted] = [await make(owner), await make(owner, 's', true), await make(owner)]
  const first = await comment(owner, open, 'open')
  for (let n = 0; n < 6; n += 1) await comment(owner, secret, `s${n}`)
  await as(owner, 'POST', `/test/songs/${unlisted}/comments`, { body: 'unlisted kind' })
  const last = await comment(owner, open, 'open 2')
  const seen = (await guest('GET', `/test/comments?author=${owner.id}&limit=2`)).body
  assert.deepEqual(
    seen.map((c: { id: number }) => c.id),
    [last.id, first.id],
  )
  assert.equal((await as(owner, 'GET', `/test/comments?author=${owner.id}`)).body.length, 8)
})

test('lists received comments with the commented content in GET /user/comments (feeds-17)', async () => {
  const [me, other] = [await person(), await person()]
  const [mine, theirs] = [await make(me, 'my words'), await make(other)]
  const a = await comment(other, mine, 'a', { reply_user: me.id })
  const b = await comment(other, theirs, 'b', { reply_user: me.id })
  await comment(me, mine, 'own', { reply_user: me.id })
  await comment(other, theirs, 'not to me')
  const list = (await as(me, 'GET', '/test/user/comments')).body
  assert.deepEqual(
    list.map((c: { id: number }) => c.id),
    [b.id, a.id],
  )
  assert.deepEqual(list[1].commentable, { id: mine, words: 'my words' })
  assert.equal(list[1].target.id, me.id)
  assert.equal(list[1].user.id, other.id)
  await sql`update test_things set gone = true where id = ${mine}`
  const rest = (await as(me, 'GET', `/test/user/comments?after=${b.id}`)).body
  assert.equal(rest.length, 1)
  assert.equal(rest[0].commentable, null)
})

test('pages through received comments, newest first (feeds-17)', async () => {
  const [me, other] = [await person(), await person()]
  const [mine, theirs] = [await make(me), await make(other)]
  const made: number[] = []
  for (const body of ['a', 'b', 'c']) {
    made.unshift((await comment(other, mine, body)).id)
    made.unshift((await comment(other, theirs, `reply ${body}`, { reply_user: me.id })).id)
  }
  const page = async (query: string) =>
    (await as(me, 'GET', `/test/user/comments?${query}`)).body.map(({ id }: { id: number }) => id)
  assert.deepEqual(await page('limit=1'), made.slice(0, 1))
  assert.deepEqual(await page('limit=2'), made.slice(0, 2))
  assert.deepEqual(await page(`limit=2&after=${made[1]}`), made.slice(2, 4))
  assert.deepEqual(await page(`limit=2&after=${made[3]}`), made.slice(4))
})

test('limits the length of filters in GET /comments (feeds-17)', async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1).join()
  for (const [query, within, beyond] of [
    ['resourceable_type', 'x'.repeat(50), 'x'.repeat(51)],
    ['resourceable_type=x&resourceable_id', ids(100), ids(101)],
    ['id', ids(100), ids(101)],
  ] as const) {
    assert.equal((await guest('GET', `/test/comments?${query}=${within}`)).status, 200, query)
    const refused = await guest('GET', `/test/comments?${query}=${beyond}`)
    assert.deepEqual(
      [refused.status, Object.keys(refused.body.errors ?? {})],
      [422, [query.split('&').at(-1)]],
    )
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld({ RATE_LIMIT_SENSITIVE: '4' })
const admin = await person({ roles: ['founder'] })

type Part = { id: number; type: string; content: string; user_id: number; to_user_id: number }
const write = (who: Person, content: unknown, more: object = {}) =>
  as(who, 'POST', '/user/feedback', { content, ...more })
const list = async (who: Person, query = ''): Promise<Part[]> => {
  const answer = await as(who, 'GET', `/user/conversations${query}`)
  assert.equal(answer.status, 200)
  return answer.body
}
const contents = (parts: Part[]) => parts.map(({ content }) => content)
const notice = async (body: object): Promise<number> => {
  const answer = await as(admin, 'POST', '/admin/notices', body)
  assert.equal(answer.status, 201)
  return answer.body.id
}

test("stores feedback with the client's mark", async () => {
  const ann = await person()
  assert.equal((await guest('POST', '/user/feedback', { content: 'x' })).status, 401)
  const sent = await write(ann, '  The sky is blue. ', { system_mark: 1503369076000 })
  assert.equal(sent.status, 201)
  assert.deepEqual(sent.body.message, ['Thank you for your feedback.'])
  const { id, created_at, updated_at, ...data } = sent.body.data
  assert.ok(id > 0 && created_at === updated_at)
  assert.deepEqual(data, {
    type: 'feedback',
    user_id: ann.id,
    to_user_id: 0,
    content: 'The sky is blue.',
    options: null,
    system_mark: 1503369076000,
  })
  assert.deepEqual(await list(ann), [sent.body.data])
  const before = Math.floor(Date.now() / 1000) * 1000 - 60_000
  for (const [given, kept] of [
    ['101503369076000', 101503369076000],
    [1e20, undefined],
    [undefined, undefined],
  ] as const) {
    const { body } = await write(ann, 'x', given === undefined ? {} : { system_mark: given })
    if (kept === undefined) assert.ok(body.data.system_mark > before && body.data.system_mark % 1000 === 0)
    else assert.equal(body.data.system_mark, kept)
  }
})

test('rejects feedback that is invalid or exceeds the rate limit of the user', async () => {
  const [ann, bob] = [await person(), await person()]
  for (const body of [
    {},
    { content: ' ' },
    { content: 'x'.repeat(5001) },
    { content: 'x', system_mark: 'x' },
  ])
    assert.equal((await as(ann, 'POST', '/user/feedback', body)).status, 422)
  const answers: number[] = []
  // Exceeds the rate limit of two one-minute windows, because one window may end between the requests.
  for (let n = 0; n < 9; n += 1) answers.push((await write(ann, 'x')).status)
  assert.ok(answers.includes(429) && answers.slice(0, 4).every((status) => status === 201 || status === 429))
  const more = await write(bob, 'x')
  assert.equal(more.status, 201)
  assert.equal(more.headers['x-ratelimit-limit'], '4')
})

test("lists the viewer's feedback together with notices (notifications-15)", async () => {
  const [ann, bob] = [await person(), await person()]
  await write(ann, 'First')
  const toAll = await notice({ all: true, contents: 'To all' })
  await notice({ user_ids: [ann.id, bob.id], contents: 'To two' })
  const toBob = await notice({ user_ids: [bob.id], contents: 'To Bob' })
  await write(bob, 'Of Bob')
  await write(ann, 'Last')
  const all = await list(ann)
  assert.deepEqual(contents(all), ['Last', 'To two', 'To all', 'First'])
  assert.deepEqual(
    all.map(({ type, user_id, to_user_id }) => [type, user_id, to_user_id]),
    [
      ['feedback', ann.id, 0],
      ['system', 0, ann.id],
      ['system', 0, 0],
      ['feedback', ann.id, 0],
    ],
  )
  assert.equal(new Set((await list(bob)).map(({ id }) => id)).size, 4)
  assert.deepEqual(contents(await list(ann, '?limit=2')), ['Last', 'To two'])
  const cursor = all[1]?.id
  assert.deepEqual(contents(await list(ann, `?limit=2&max_id=${cursor}`)), ['To all', 'First'])
  assert.deepEqual(contents(await list(ann, `?order=1&max_id=${all[2]?.id}`)), ['Last', 'To two'])
  assert.equal((await as(ann, 'GET', '/user/conversations?limit=0')).status, 422)
  assert.deepEqual((await as(ann, 'GET', '/conversations?limit=2')).body, await list(ann, '?limit=2'))

  await as(admin, 'DELETE', `/admin/notices/${toAll}`)
  assert.deepEqual(contents(await list(ann)), ['Last', 'To two', 'First'])
  assert.equal((await as(admin, 'DELETE', `/admin/conversations/${toBob}`)).status, 204)
  assert.deepEqual(contents(await list(bob)), ['Of Bob', 'To two'])
})

test('lets only administrators search and delete the feedback of all users (administration-11)', async () => {
  const ann = await person()
  const { id } = (await write(ann, 'A 100% needle')).body.data
  await notice({ user_ids: [ann.id], contents: 'A needle of ours' })
  const withdrawn = await notice({ user_ids: [ann.id], contents: 'A needle that was taken back' })
  assert.equal((await as(admin, 'DELETE', `/admin/notices/${withdrawn}`)).status, 204)
  const find = async (query: string) => (await as(admin, 'GET', `/admin/conversations?${query}`)).body
  const found = await find('q=needle')
  assert.deepEqual([found.total, contents(found.data)], [2, ['A needle of ours', 'A 100% needle']])
  assert.deepEqual([found.data[0].to_user_ids, found.data[1].user.id], [[ann.id], ann.id])
  assert.deepEqual(contents((await find('q=needle&type=feedback')).data), ['A 100% needle'])
  assert.deepEqual(contents((await find('q=needle&type=system')).data), ['A needle of ours'])
  assert.equal((await find(`q=${encodeURIComponent('0%')}&user_id=${ann.id}`)).total, 1)
  assert.equal((await find('q=needle&limit=1&order=asc')).data[0].id, id)

  assert.equal((await as(ann, 'DELETE', `/admin/conversations/${id}`)).status, 403)
  assert.equal((await as(ann, 'GET', '/admin/conversations')).status, 403)
  const both = await Promise.all([1, 2].map(() => as(admin, 'DELETE', `/admin/conversations/${id}`)))
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404])
  assert.deepEqual(contents(await list(ann)), ['A needle of ours'])
  const log =
    await sql`select before from audit_log where subject_type = 'feedback' and subject_id = ${String(id)}`
  assert.deepEqual([...log], [{ before: { user_id: ann.id } }])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()

const rules = (who: Person, body: object) => as(who, 'PATCH', '/user/contact-rules', body)
let mark = 0
const publish = (who: Person, text: string, body: object = {}) => {
  mark += 1
  return as(who, 'POST', '/feeds', { feed_content: text, feed_from: 5, feed_mark: mark, ...body })
}
const EVERYBODY = { comments: 'everybody', mentions: 'everybody', quotes: 'everybody', messages: 'everybody' }

/** Tries each kind of contact towards `whom`, and returns the statuses. */
async function contact(who: Person, whom: Person, feed: number) {
  const chat = (await as(who, 'PUT', `/chats/people/${whom.id}`)).body.id
  const answers = {
    comments: await as(who, 'POST', `/feeds/${feed}/comments`, { body: 'hello' }),
    mentions: await publish(who, `hello @${whom.name} `),
    mentionsInComments: await as(who, 'POST', `/feeds/${(await publish(who, 'mine')).body.id}/comments`, {
      body: `see @${whom.name} `,
    }),
    quotes: await publish(who, 'see', { repostable_type: 'feeds', repostable_id: feed }),
    messages: await as(who, 'POST', `/chats/${chat}/messages`, { body: 'hello' }),
  }
  for (const answer of Object.values(answers))
    if (answer.status === 403) assert.equal(answer.headers['x-error-code'], 'contact_refused')
  return Object.values(answers).map(({ status }) => status)
}

test('enforces each rule for strangers and followed people (relations-7)', async () => {
  const [ann, bob, cid] = [await person(), await person(), await person()]
  await as(ann, 'PUT', `/user/followings/${cid.id}`)
  const feed = (await publish(ann, 'mine')).body.id
  const all = [201, 201, 201, 201, 201]
  assert.deepEqual(await contact(bob, ann, feed), all)
  for (const [kind, positions] of [
    ['comments', [0]],
    ['mentions', [1, 2]],
    ['quotes', [3]],
    ['messages', [4]],
  ] as const) {
    const expected = all.map((status, n) => ((positions as readonly number[]).includes(n) ? 403 : status))
    assert.equal((await rules(ann, { ...EVERYBODY, [kind]: 'followed' })).status, 204)
    assert.deepEqual(await contact(bob, ann, feed), expected, `${kind} by a stranger`)
    assert.deepEqual(await contact(cid, ann, feed), all, `${kind} by a followed person`)
    await rules(ann, { [kind]: 'nobody' })
    assert.deepEqual(await contact(cid, ann, feed), expected, `${kind} by nobody`)
  }
  // The rules do not bind their owner.
  await rules(ann, { comments: 'nobody', mentions: 'nobody', quotes: 'nobody' })
  assert.deepEqual((await contact(ann, ann, feed)).slice(0, 4), all.slice(0, 4))
})

test('lets a person answer in a conversation in which the other one wrote (relations-7)', async () => {
  const [ann, bob] = [await person(), await person()]
  await rules(ann, { messages: 'nobody' })
  const chat = (await as(bob, 'PUT', `/chats/people/${ann.id}`)).body.id
  const write = (who: Person) => as(who, 'POST', `/chats/${chat}/messages`, { body: 'hello' })
  assert.equal((await write(bob)).status, 403)
  assert.equal((await write(ann)).status, 201)
  assert.equal((await write(bob)).status, 201)
})

test('stores only the given rules of the caller and rejects unknown audiences', async () => {
  const [ann, bob] = [await person(), await person()]
  const read = async (who: Person) => (await as(who, 'GET', '/user/contact-rules')).body
  assert.deepEqual(await read(ann), EVERYBODY)
  await rules(ann, { quotes: 'nobody' })
  await rules(ann, { messages: 'followed' })
  assert.deepEqual(await read(ann), { ...EVERYBODY, quotes: 'nobody', messages: 'followed' })
  assert.deepEqual(await read(bob), EVERYBODY)
  assert.equal((await rules(ann, { quotes: 'friends' })).status, 422)
  assert.equal((await guest('GET', '/user/contact-rules')).status, 401)
  assert.equal((await guest('PATCH', '/user/contact-rules', {})).status, 401)
  await assert.rejects(
    async () => await sql`update contact_rules set quotes = 'friends' where user_id = ${ann.id}`,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Person } from '#test/world.ts'
import { muteTasks } from './mutes.ts'

const { as, guest, person, sql, ctx } = await createWorld()

const mute = (who: Person, word: string, body: object = {}) =>
  as(who, 'POST', '/user/muted-words', { word, ...body })
let mark = 0
const publish = async (who: Person, text: string, body: object = {}): Promise<number> => {
  mark += 1
  const given = { feed_content: text, feed_from: 5, feed_mark: mark, ...body }
  return (await as(who, 'POST', '/feeds', given)).body.id
}
const wordOf = async (who: Person | null, id: number) => {
  const read = who ? as(who, 'GET', `/feeds?id=${id}`) : guest('GET', `/feeds?id=${id}`)
  return (await read).body.feeds[0].muted_word
}

test('marks feeds with a muted word or topic for the person who mutes it (relations-6)', async () => {
  const [ann, bob] = [await person(), await person()]
  const topic = (await as(bob, 'POST', '/feed/topics', { name: 'Rain News', desc: 'x' })).body.id
  const [plain, spoiled, ofTopic] = [
    await publish(bob, 'nothing'),
    await publish(bob, 'The SPOILER of it'),
    await publish(bob, 'clouds', { topics: [topic] }),
  ]
  const marks = async (who: Person | null) => [
    await wordOf(who, plain),
    await wordOf(who, spoiled),
    await wordOf(who, ofTopic),
  ]
  assert.deepEqual(await marks(ann), [null, null, null])
  const made = await mute(ann, ' Spoiler ')
  assert.equal(made.status, 201)
  await mute(ann, '#rain news')
  assert.deepEqual(await marks(ann), [null, 'spoiler', '#rain news'])
  for (const who of [bob, null]) assert.deepEqual(await marks(who), [null, null, null])
  // The author's own feeds have no mark.
  assert.equal(await wordOf(ann, await publish(ann, 'my spoiler')), null)
  await sql`update muted_words set ends_at = now() - interval '1 second' where word_key = '#rain news'`
  assert.deepEqual(await marks(ann), [null, 'spoiler', null])
  assert.equal((await as(ann, 'DELETE', `/user/muted-words/${made.body.id}`)).status, 204)
  assert.deepEqual(await marks(ann), [null, null, null])
  await muteTasks(ctx).delete_ended_mutes?.(undefined, undefined as never)
  assert.equal((await sql`select from muted_words where user_id = ${ann.id}`).length, 0)
})

test('sends no notification of a comment or mention with a muted word (relations-6)', async () => {
  const [ann, bob] = [await person(), await person()]
  const feed = await publish(ann, 'mine')
  await mute(ann, 'spoiler')
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'a Spoiler' })
  await publish(bob, `a spoiler for @${ann.name} `)
  const types = async () =>
    (await sql<{ type: string }[]>`select type from notifications where user_id = ${ann.id}`).map(
      ({ type }) => type,
    )
  assert.deepEqual(await types(), [])
  await as(bob, 'POST', `/feeds/${feed}/comments`, { body: 'fine' })
  assert.deepEqual(await types(), ['comment'])
})

test("lists the caller's words and rejects wrong ones (relations-6)", async () => {
  const [ann, bob] = [await person(), await person()]
  const first = (await mute(ann, 'Rain', { hours: 24 })).body.id
  await mute(ann, 'Snow')
  assert.equal((await mute(ann, 'RAIN')).body.id, first)
  const { body } = await as(ann, 'GET', '/user/muted-words')
  assert.deepEqual(
    body.map((row: { word: string; ends_at: string | null }) => [row.word, row.ends_at]),
    [
      ['Snow', null],
      ['RAIN', null],
    ],
  )
  assert.deepEqual((await as(bob, 'GET', '/user/muted-words')).body, [])
  assert.equal((await as(bob, 'DELETE', `/user/muted-words/${first}`)).status, 404)
  for (const word of ['#', '\u200b']) assert.equal((await mute(ann, word)).status, 422)
  assert.equal((await mute(ann, 'x'.repeat(51))).status, 422)
  for (const [method, path] of [
    ['GET', '/user/muted-words'],
    ['POST', '/user/muted-words'],
    ['DELETE', `/user/muted-words/${first}`],
  ] as const)
    assert.equal((await guest(method, path, method === 'POST' ? { word: 'x' } : undefined)).status, 401)
})

test('mutes at most 100 words, also under concurrent requests', async () => {
  const ann = await person()
  await sql`
    insert into muted_words (user_id, word_key, word) select ${ann.id}, 'w' || g, 'w' || g from generate_series(1, 99) g`
  const answers = await Promise.all(['one', 'two', 'three'].map((word) => mute(ann, word)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
  assert.equal((await sql`select from muted_words where user_id = ${ann.id}`).length, 100)
})

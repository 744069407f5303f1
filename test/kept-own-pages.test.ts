import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptPagesWorld } from '#test/fixtures/kept-pages.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import type { Person } from '#test/world.ts'

const { world, cost, publish } = await keptPagesWorld()
const { as, guest, person, sql } = world
const { ask, answer, rich } = questionsOf(world)

test('a page with an answer that nobody signed is kept for all but its author', async () => {
  const [asker, ann, bob] = [await person(), await person(), await person()]
  const question = await ask(asker)
  await answer(ann, question, { anonymity: 1 })
  const path = `/questions/${question}/answers`
  const authorOf = async (who?: Person) => {
    const { body } = who ? await as(who, 'GET', path) : await guest('GET', path)
    return body.find((each: { anonymity: number }) => each.anonymity === 1).user_id
  }
  for (let round = 0; round < 3; round += 1)
    assert.deepEqual([await authorOf(), await authorOf(bob), await authorOf(ann)], [0, 0, ann.id])
  // One statement finds what the viewer liked and the like.
  assert.equal(await cost(() => authorOf(bob)), 1)
  assert.equal(await cost(() => authorOf(asker)), 1)
})

test('the comments of an anonymous question are kept for all but those whom they name', async () => {
  const [asker, ann, bob] = [await person(), await person(), await person()]
  const question = await ask(asker, { anonymity: 1 })
  assert.equal((await as(ann, 'POST', `/questions/${question}/comments`, { body: 'hm' })).status, 201)
  const path = `/questions/${question}/comments`
  const ownerFor = async (who: Person) => (await as(who, 'GET', path)).body[0].target_user
  for (let round = 0; round < 3; round += 1)
    assert.deepEqual([await ownerFor(bob), await ownerFor(ann), await ownerFor(asker)], [0, 0, asker.id])
  assert.equal(await cost(() => ownerFor(bob)), 1)
})

test('what only one viewer is shown is kept from the second time that they ask, until it is written', async () => {
  const [asker, ann, bob] = [await person(), await person(), await person()]
  const question = await ask(asker)
  const ids = [await answer(ann, question), await answer(bob, question)]
  const collected = async (who: Person) =>
    (await as(who, 'GET', '/user/question-answer/collections')).body.map(
      (each: { collectible_id: number }) => each.collectible_id,
    )
  const path = (id: number | undefined) => `/user/question-answer/collections/${id}`
  assert.equal((await as(bob, 'POST', path(ids[0]))).status, 201)
  const first = await cost(async () => assert.deepEqual(await collected(bob), [ids[0]]))
  assert.equal(await cost(() => collected(bob)), first)
  assert.equal(await cost(() => collected(bob)), 0)
  assert.deepEqual(await collected(ann), [])
  assert.equal((await as(bob, 'POST', path(ids[1]))).status, 201)
  assert.deepEqual(await collected(bob), [ids[1], ids[0]])
  assert.equal((await as(bob, 'DELETE', path(ids[0]))).status, 204)
  assert.deepEqual(await collected(bob), [ids[1]])
})

test('notifications are kept in each language apart, and a new one is seen at once', async () => {
  const [ann, bob] = [await person(), await person()]
  const id = await publish(ann)
  await as(bob, 'POST', `/feeds/${id}/comments`, { body: 'well' })
  const read = async (path: string, language: string) =>
    (await as(ann, 'GET', path, undefined, { 'accept-language': language })).body
  const [giver, gift] = [await rich(), { amount: 5 }]
  assert.equal((await as(giver, 'POST', `/feeds/${id}/new-rewards`, gift)).status, 201)
  const told = new Map<string, Set<string>>()
  for (let round = 0; round < 3; round += 1)
    for (const language of ['en', 'zh-CN']) {
      const text = JSON.stringify((await read('/user/notifications?type=system', language)).data[0].data)
      told.set(language, (told.get(language) ?? new Set()).add(text))
    }
  const [english, chinese] = [...told.values()].map((texts) => [...texts])
  assert.deepEqual([english?.length, chinese?.length], [1, 1])
  assert.notDeepEqual(english, chinese)
  const badge = async () => (await read('/user/notification-statistics', 'en')).comment.badge
  assert.deepEqual([await badge(), await badge(), await badge()], [1, 1, 1])
  assert.equal(await cost(badge), 0)
  await as(bob, 'POST', `/feeds/${id}/comments`, { body: 'again' })
  assert.equal(await badge(), 2)
  assert.equal((await read('/user/notifications?type=comment', 'en')).data.length, 2)
})

test('the categories that somebody subscribes to are found without a statement, and changed at once', async () => {
  const [ann, bob] = [await person(), await person()]
  const names = ['Kept one', 'Kept two']
  const made = await sql<{ id: number }[]>`
    insert into news_categories (name, name_key)
    select name, lower(name) from unnest(${names}::text[]) with ordinality as n (name, at) order by at
    returning id`
  const ids = made.map(({ id }) => id).sort((one, other) => one - other)
  const mine = async (who = ann) =>
    (await as(who, 'GET', '/news/cates')).body.my_cates.map(({ id }: { id: number }) => id)
  assert.equal((await as(bob, 'PATCH', '/news/categories/follows', { follows: ids.join() })).status, 201)
  for (const id of ids) {
    assert.equal((await as(ann, 'PATCH', '/news/categories/follows', { follows: String(id) })).status, 201)
    assert.deepEqual(await mine(), [id])
    assert.deepEqual(await mine(bob), ids)
    assert.equal(await cost(() => mine()), 0)
  }
})

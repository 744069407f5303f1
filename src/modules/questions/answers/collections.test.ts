import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { rich, ask, answer, askForLooks } = questionsOf(world)
const missing = 9_007_199_254_740_991
const LIST = '/user/question-answer/collections'

test('collects an answer once (questions-19)', async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await answer(ben, await ask(anna))
  const path = `${LIST}/${id}`
  assert.equal((await guest('POST', path)).status, 401)
  assert.equal((await as(anna, 'POST', `${LIST}/${missing}`)).status, 404)
  assert.equal((await as(anna, 'DELETE', path)).status, 422)
  const made = await Promise.all([1, 2, 3].map(() => as(anna, 'POST', path)))
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 422, 422])
  const { body } = made.find(({ status }) => status === 201)!
  assert.deepEqual(Object.keys(body), ['message'])
  assert.ok(Array.isArray(body.message))
  assert.equal((await as(ben, 'POST', path)).status, 201)
  const gone = await Promise.all([1, 2].map(() => as(anna, 'DELETE', path)))
  assert.deepEqual(gone.map(({ status }) => status).sort(), [204, 422])
  assert.equal(gone.find(({ status }) => status === 204)?.body, null)
  assert.deepEqual((await as(anna, 'GET', LIST)).body, [])
  assert.equal((await as(ben, 'GET', LIST)).body.length, 1)
})

test('pages through collections by collection id', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna)
  const first = await answer(ben, question)
  const second = await answer(ben, question)
  const third = await answer(ben, question)
  for (const id of [second, third, first]) await as(cleo, 'POST', `${LIST}/${id}`)
  const { body, status } = await as(cleo, 'GET', LIST)
  assert.equal(status, 200)
  assert.deepEqual(
    body.map((record: { collectible_id: number }) => record.collectible_id),
    [first, third, second],
  )
  const [record] = body
  assert.deepEqual(
    [record.user_id, record.collectible_type, record.collectible.id, record.collectible.user_id],
    [cleo.id, 'question-answers', first, ben.id],
  )
  assert.match(record.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.equal(record.updated_at, record.created_at)
  const { collectible } = record
  for (const field of ['question_id', 'anonymity', 'adoption', 'invited', 'comments_count', 'rewards_amount'])
    assert.equal(typeof collectible[field], 'number', field)
  for (const field of ['rewarder_count', 'likes_count'])
    assert.equal(typeof collectible[field], 'number', field)
  assert.equal(collectible.body, 'Half past ten')
  assert.equal('could' in collectible, false)
  const pages = []
  for (let after = 0; ; ) {
    const page = (await as(cleo, 'GET', `${LIST}?limit=1&after=${after}`)).body
    if (page.length === 0) break
    after = page[0].id
    pages.push(page[0].collectible_id)
  }
  assert.deepEqual(pages, [first, third, second])
  for (const query of ['?limit=0', '?limit=101', '?limit=x', '?after=-1'])
    assert.equal((await as(cleo, 'GET', LIST + query)).status, 422)
  assert.equal((await guest('GET', LIST)).status, 401)
})

test('returns twenty collections by default', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  await sql`
    with made as (
      insert into answers (question_id, user_id, body)
      select ${question}, ${ben.id}, 'Answer ' || n from generate_series(1, 25) n returning id
    )
    insert into collections (user_id, collectible_type, collectible_id)
    select ${anna.id}, 'question-answers', id from made`
  assert.equal((await as(anna, 'GET', LIST)).body.length, 20)
  assert.equal((await as(anna, 'GET', `${LIST}?limit=100`)).body.length, 25)
})

test('hides the text of a collected answer until the viewer pays for it (questions-20)', async () => {
  const [anna, ben, cleo] = [await rich(), await person(), await rich()]
  const question = await askForLooks(anna, ben)
  const paid = await answer(ben, question, { anonymity: 1 })
  const free = await answer(cleo, question)
  for (const who of [anna, ben, cleo])
    for (const id of [paid, free]) assert.equal((await as(who, 'POST', `${LIST}/${id}`)).status, 201)
  const read = async (who: typeof anna) => {
    const { body } = await as(who, 'GET', LIST)
    return body.map(({ collectible: { user_id, body: text, text_body, could, invited } }: never) => [
      user_id,
      text,
      text_body,
      could,
      invited,
    ])
  }
  const open = [cleo.id, 'Half past ten', 'Half past ten', undefined, 0]
  assert.deepEqual(await read(cleo), [open, [0, null, null, false, 1]])
  assert.deepEqual(await read(ben), [open, [ben.id, 'Half past ten', 'Half past ten', undefined, 1]])
  assert.deepEqual(await read(anna), [open, [0, 'Half past ten', 'Half past ten', undefined, 1]])
  assert.equal((await as(cleo, 'POST', `/question-answers/${paid}/onlookers`)).status, 201)
  assert.deepEqual(await read(cleo), [open, [0, 'Half past ten', 'Half past ten', undefined, 1]])
})

test('returns a full page of collections when some answers are deleted (questions-20)', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna)
  const ids = []
  for (let n = 0; n < 5; n += 1) ids.push(await answer(ben, question))
  for (const id of ids) await as(cleo, 'POST', `${LIST}/${id}`)
  const records = (await as(cleo, 'GET', LIST)).body
  await as(ben, 'DELETE', `/question-answers/${ids[3]}`)
  // Inserts a collection of a missing answer, such as a race with the answer's deletion could leave.
  await sql`insert into collections (user_id, collectible_type, collectible_id) values (${cleo.id}, 'question-answers', ${missing})`
  const seen = async (query = '') =>
    (await as(cleo, 'GET', LIST + query)).body.map(
      (record: { collectible_id: number }) => record.collectible_id,
    )
  assert.deepEqual(await seen(), [ids[4], ids[2], ids[1], ids[0]])
  assert.deepEqual(await seen('?limit=2'), [ids[4], ids[2]])
  assert.deepEqual(await seen(`?limit=2&after=${records[1].id}`), [ids[2], ids[1]])
  assert.equal((await as(cleo, 'DELETE', `${LIST}/${ids[3]}`)).status, 404)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildApp } from '#app'
import { createSignals, openDatabase } from '#platform/database'
import { createMetrics } from '#platform/observability'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, ctx, guest, person, sql } = world
const { ask, answer } = questionsOf(world)

const isRanked = async (who: Person, name = 'likes') =>
  (await guest('GET', `/question-ranks/${name}?limit=100`)).body.some((user: Person) => user.id === who.id)

/** Waits until a recomputed ranking contains the user or, with `wanted` false, omits the user. */
async function untilRanked(who: Person, wanted: boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if ((await isRanked(who)) === wanted) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the ranking never ${wanted ? 'gets' : 'loses'} the person`)
}

async function likedAnswer(author: Person): Promise<number> {
  const anna = await person()
  const id = await answer(author, await ask(anna))
  await as(anna, 'POST', `/question-answers/${id}/comments`, { body: 'Oh' })
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  return id
}

test('hides the author of a newly anonymous answer in comments and likes (questions-16)', async () => {
  const ben = await person()
  const id = await likedAnswer(ben)
  const targets = async () => [
    (await guest('GET', `/question-answers/${id}/comments`)).body[0].target_user,
    (await guest('GET', `/question-answers/${id}/likes`)).body[0].target_user,
    (await guest('GET', `/comments?for_user=${ben.id}`)).body.length,
  ]
  await untilRanked(ben, true)
  assert.deepEqual(await targets(), [ben.id, ben.id, 1])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 1 })
  assert.deepEqual([...(await targets()), await isRanked(ben)], [0, 0, 0, false])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 0 })
  assert.deepEqual(await targets(), [ben.id, ben.id, 1])
})

/** Starts another server on the same database, with an empty ranking cache. */
async function anotherNode() {
  const own = openDatabase({ connection: world.connection, poolSize: 3, statementTimeoutMs: 30_000 })
  const signals = createSignals(own)
  const node = await buildApp({ ...ctx, sql: own, signals, metrics: createMetrics(), state: new Map() })
  await signals.listen()
  node.addHook('onClose', async () => {
    await signals.close()
    await own.end()
  })
  after(() => node.close())
  return node
}

test('removes the author of a newly anonymous answer from the like ranking that each node caches (questions-24)', async () => {
  const [ben, cleo] = [await person(), await person()]
  const [id] = [await likedAnswer(ben), await likedAnswer(cleo)]
  const nodes = [await anotherNode(), await anotherNode()] as const
  const ranked = async (node: (typeof nodes)[number]): Promise<number[]> =>
    (await node.inject({ url: '/api/v2/question-ranks/likes?limit=100' }))
      .json()
      .map((user: Person) => user.id)
  // Delays the rankings by half a second, because slow results are cached for most of a minute.
  const { found } = await sql.begin(async (tx) => {
    await tx`lock table question_people`
    const waits = Promise.all(nodes.map(ranked))
    await untilWaiting(sql, 2)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return { found: waits }
  })
  for (const list of await found) assert.ok(list.includes(ben.id) && list.includes(cleo.id))
  const { statusCode } = await nodes[0].inject({
    method: 'PATCH',
    url: `/api/v2/question-answers/${id}`,
    headers: { authorization: `Bearer ${ben.token}` },
    payload: { anonymity: 1 },
  })
  assert.equal(statusCode, 201)
  assert.equal((await ranked(nodes[0])).includes(ben.id), false)
  for (let tries = 0; (await ranked(nodes[1])).includes(ben.id); tries += 1) {
    assert.ok(tries < 3000, 'the other node still names them')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for (const node of nodes) assert.ok((await ranked(node)).includes(cleo.id))
})

test('hides the sender of earlier notifications when a question or answer becomes anonymous', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna, { invitations: [ben.id] })
  const id = await answer(ben, question)
  const other = await answer(cleo, question)
  await as(anna, 'PUT', `/questions/${question}/adoptions/${other}`)
  const senders = async (who: Person) => {
    const { body } = await as(who, 'GET', '/user/notifications?type=system')
    return body.data.map(({ data }: { data: { sender: { id: number } } }) => data.sender.id)
  }
  const all = async () => [await senders(anna), await senders(ben), await senders(cleo)]
  assert.deepEqual(await all(), [[cleo.id, ben.id], [anna.id], [anna.id]])
  await as(ben, 'PATCH', `/question-answers/${id}`, { anonymity: 1 })
  assert.deepEqual(await all(), [[cleo.id, 0], [anna.id], [anna.id]])
  await as(anna, 'PATCH', `/questions/${question}`, { anonymity: 1 })
  assert.deepEqual(await all(), [[cleo.id, 0], [0], [0]])
})

test("does not reveal an anonymous author's blocks through an error response (questions-16)", async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna, { anonymity: 1 })
  await as(anna, 'POST', `/user/black/${ben.id}`)
  assert.equal((await as(ben, 'POST', `/questions/${question}/comments`, { body: 'Hi' })).status, 201)
  assert.equal((await as(ben, 'POST', `/questions/${question}/comments`, {})).status, 422)
  assert.equal((await as(anna, 'GET', '/user/notifications?type=comment')).body.data.length, 0)
  const open = await ask(anna)
  assert.equal((await as(ben, 'POST', `/questions/${open}/comments`, { body: 'Hi' })).status, 403)
})

test('reveals an invited user to other viewers only after an answer without anonymity', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const question = await ask(anna, { invitations: [ben.id, cleo.id] })
  const shown = async (who?: Person) => {
    const { body } = who
      ? await as(who, 'GET', `/questions/${question}`)
      : await guest('GET', `/questions/${question}`)
    return body.invitations.map(({ id }: Person) => id)
  }
  assert.deepEqual(await shown(), [])
  for (const who of [anna, ben, cleo]) assert.deepEqual(await shown(who), [ben.id, cleo.id])
  await answer(ben, question, { anonymity: 1 })
  await answer(cleo, question)
  assert.deepEqual(await shown(), [cleo.id])
})

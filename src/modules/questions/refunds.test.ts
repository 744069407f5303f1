import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { transaction } from '#platform/database'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { adopt } from './answers/service.ts'
import { returnBounties } from './bounties.ts'
import { questionEscrowChecks } from './counters.ts'
import { addExpert } from './topics/queries.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, topic, ask, answer } = questionsOf(world)

test("refunds only the deleted user's own unearned bounties", async () => {
  const [anna, ben] = [await rich(100), await rich(100)]
  await ask(anna, { amount: 40 })
  const kept = await ask(ben, { amount: 30 })
  await transaction(sql, (tx) => returnBounties(tx, anna.id))
  assert.deepEqual([await points(anna), await points(ben)], [100, 70])
  assert.equal((await guest('GET', `/questions/${kept}`)).body.amount, 30)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

test("does not refund a bounty when an adoption races with the deletion of the asker's account", async () => {
  const [anna, ben] = [await rich(100), await person()]
  const question = await ask(anna, { amount: 40 })
  const good = await answer(ben, question)
  let leaving: Promise<void> | undefined
  await transaction(sql, async (tx) => {
    await adopt(tx, question, good, anna.id)
    leaving = transaction(sql, (own) => returnBounties(own, anna.id))
    await untilWaiting(sql)
  })
  await leaving
  assert.deepEqual([await points(anna), await points(ben)], [60, 40])
  assert.equal((await guest('GET', `/questions/${question}`)).body.amount, 40)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

test('moves no points when the bounty stays the same (questions-5)', async () => {
  const anna = await rich(100)
  const question = await ask(anna, { amount: 40 })
  const orders = async () => (await as(anna, 'GET', '/currency/orders')).body.length
  const before = await orders()
  assert.equal((await as(anna, 'PATCH', `/questions/${question}/amount`, { amount: 40 })).status, 204)
  assert.deepEqual([await orders(), await points(anna)], [before, 60])
})

test('ranks experts by bounties in their own topics only (questions-24)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await person()]
  const [where, elsewhere] = [await topic(), await topic()]
  await addExpert(sql, where, ben.id)
  await addExpert(sql, elsewhere, cleo.id)
  for (const who of [ben, cleo]) {
    const question = await ask(anna, { topics: [where], amount: 40 })
    const good = await answer(who, question)
    assert.equal((await as(anna, 'PUT', `/questions/${question}/adoptions/${good}`)).status, 201)
  }
  const ranked = (await guest('GET', '/question-ranks/experts')).body as {
    id: number
    extra: { count: number }
  }[]
  assert.deepEqual(
    ranked.map(({ id, extra }) => [id, extra.count]),
    [
      [ben.id, 40],
      [cleo.id, 0],
    ],
  )
})

test('keeps the fee of an accepted request when the question is deleted (questions-18)', async () => {
  const founder = await person({ roles: ['founder', 'owner'] })
  const anna = await rich(300)
  const question = await ask(anna)
  assert.equal((await as(anna, 'POST', `/user/question-application/${question}`)).status, 201)
  const [request] = await sql`select id from question_applications where question_id = ${question}`
  const path = `/admin/question-applications/${request?.id}`
  assert.equal((await as(founder, 'PATCH', path, { action: 'accept' })).status, 204)
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 204)
  assert.equal(await points(anna), 100)
  const gone = await as(founder, 'GET', `/admin/questions/${question}`)
  assert.deepEqual([gone.status, gone.headers['x-error-code']], [404, 'no_such_question'])
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionEscrowChecks } from '#modules/questions/index.ts'
import { transaction } from '#platform/database.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'
import { returnBounties } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, ask } = questionsOf(world)

test('who leaves has their own bounties back that nobody earned, and those of nobody else', async () => {
  const [anna, ben] = [await rich(100), await rich(100)]
  await ask(anna, { amount: 40 })
  const kept = await ask(ben, { amount: 30 })
  await transaction(sql, (tx) => returnBounties(tx, anna.id))
  assert.deepEqual([await points(anna), await points(ben)], [100, 70])
  assert.equal((await guest('GET', `/questions/${kept}`)).body.amount, 30)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

test('the fee of a request for excellence that was accepted stays paid when the question goes (questions-18)', async () => {
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

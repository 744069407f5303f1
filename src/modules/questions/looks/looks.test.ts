import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionEscrowChecks } from '#modules/questions/index.ts'
import { transaction } from '#platform/database.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { deleteQuestion } from '../service.ts'

const world = await createWorld()
const { as, person, sql } = world
const { points, rich, answer, askForLooks } = questionsOf(world)

test('paying for a look at an answer while it is deleted waits for that, is 404 and takes nothing (questions-13)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await rich(150)]
  const question = await askForLooks(anna, ben)
  const id = await answer(ben, question)
  let asking: Promise<Answer> | undefined
  await transaction(sql, async (tx) => {
    await deleteQuestion(tx, question, { userId: anna.id, anybodys: false })
    asking = as(cleo, 'POST', `/question-answers/${id}/onlookers`)
    await untilWaiting(sql)
  })
  assert.equal((await asking)?.status, 404)
  assert.equal(await points(cleo), 150)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

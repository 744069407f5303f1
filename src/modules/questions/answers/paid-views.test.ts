import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { transaction } from '#platform/database'
import { questionsOf } from '#test/fixtures/questions.ts'
import { newPicture, upload } from '#test/fixtures/uploads.ts'
import { updateSettings } from '#test/settings.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { questionEscrowChecks } from '../counters.ts'
import { deleteQuestion } from '../service.ts'

const world = await createWorld()
const { as, ctx, guest, person, sql } = world
const { points, rich, answer, askForLooks } = questionsOf(world)

test('charges nothing for a paid view when the answer is deleted concurrently (questions-13)', async () => {
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

test('requires the payment password for a paid view when the site demands it', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await rich(150)]
  const id = await answer(ben, await askForLooks(anna, ben))
  const look = async (answerId: number) =>
    (await as(cleo, 'POST', `/question-answers/${answerId}/onlookers`)).status
  await updateSettings(ctx, sql, { 'pay-validate-user-password': true })
  try {
    assert.deepEqual([await look(id), await look(9_007_199_254_740_991)], [403, 404])
  } finally {
    await updateSettings(ctx, sql, { 'pay-validate-user-password': false })
  }
  assert.equal(await points(cleo), 150)
})

test('omits the other party from orders of a paid view when the question is anonymous (questions-16)', async () => {
  for (const anonymity of [0, 1]) {
    const [anna, ben, cleo] = [await rich(100), await person(), await rich(150)]
    const id = await answer(ben, await askForLooks(anna, ben, { anonymity }))
    assert.equal((await as(cleo, 'POST', `/question-answers/${id}/onlookers`)).status, 201)
    const partnerOf = async (who: Person) =>
      (await as(who, 'GET', '/currency/orders')).body[0].target_id as string
    const partners = [await partnerOf(cleo), await partnerOf(anna)]
    assert.deepEqual(partners, anonymity ? ['0', '0'] : [String(anna.id), String(cleo.id)])
    assert.deepEqual([await points(anna), await points(cleo)], [100, 50])
  }
})

test('serves pictures of a paid answer to the asker and to paying users, but not to strangers (questions-13)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await rich(150)]
  const picture = await upload(world, ben, await newPicture())
  const question = await askForLooks(anna, ben)
  const id = await answer(ben, question, { body: `Look @![here](${picture})` })
  assert.equal((await as(cleo, 'POST', `/question-answers/${id}/onlookers`)).status, 201)
  const seen = async (who: Person) => (await as(who, 'GET', `/files/${picture}`)).status
  assert.deepEqual([await seen(cleo), await seen(anna), await seen(await person())], [302, 302, 404])
})

test('returns 401 and not 404 when a guest pays for an unknown answer', async () => {
  const { status } = await guest('POST', '/question-answers/9007199254740991/onlookers')
  assert.equal(status, 401)
})

test('charges once when a user pays to view an answer twice (questions-13)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await rich(500)]
  const id = await answer(ben, await askForLooks(anna, ben))
  const look = async () => (await as(cleo, 'POST', `/question-answers/${id}/onlookers`)).status
  assert.deepEqual([await look(), await look()], [201, 422])
  assert.equal(await points(cleo), 400)
})

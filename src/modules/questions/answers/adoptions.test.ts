import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'
import { questionCounters, questionEscrowChecks } from '../counters.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, ask, answer, askForLooks } = questionsOf(world)
const missing = 9_007_199_254_740_991

const audit = async () => (await auditLedger(sql, questionEscrowChecks)).drift
const drift = async () => {
  const found = []
  for (const check of questionCounters) found.push(...(await check.find(sql)))
  return found
}
const told = async (who: Awaited<ReturnType<typeof person>>) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: { kind: string } }) => data.kind,
  )

test('pays the bounty once when adoptions race (questions-11)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await person()]
  const question = await ask(anna, { amount: 70 })
  const other = await ask(anna)
  const [good, better] = [await answer(ben, question), await answer(cleo, question)]
  const own = await answer(anna, question)
  const elsewhere = await answer(ben, other)
  const adopt = (by: typeof anna, q: number, a: number, how = 'adoptions') =>
    as(by, 'PUT', `/questions/${q}/${how}/${a}`)
  assert.equal((await adopt(ben, question, good)).status, 403)
  assert.equal((await adopt(anna, missing, good)).status, 404)
  assert.equal((await adopt(anna, question, missing)).status, 404)
  assert.equal((await adopt(anna, question, elsewhere)).status, 404)
  assert.equal((await adopt(anna, question, own)).status, 422)
  const races = await Promise.all([
    adopt(anna, question, good),
    adopt(anna, question, better),
    adopt(anna, question, good, 'currency-adoptions'),
    as(anna, 'PATCH', `/questions/${question}/amount`, { amount: 10 }),
  ])
  assert.equal(races.slice(0, 3).filter(({ status }) => status === 201).length, 1)
  const bounty = (await guest('GET', `/questions/${question}`)).body.amount
  assert.equal((await points(ben)) + (await points(cleo)), bounty)
  assert.equal(await points(anna), 100 - bounty)
  const winner = (await points(ben)) > 0 ? ben : cleo
  assert.ok((await told(winner)).includes('qa:answer-adoption'))
  assert.equal((await adopt(anna, question, better)).status, 422)
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 204)
  assert.equal(await points(anna), 100 - bounty)
  assert.deepEqual(await audit(), [])
})

test('pays an automatic bounty once, to the author of the invited answer (questions-9)', async () => {
  const [anna, ben, cleo] = [await rich(500), await person(), await person()]
  const question = await askForLooks(anna, ben)
  const by = await answer(cleo, question)
  assert.equal(await points(cleo), 0)
  const made = await Promise.all(
    [1, 2, 3].map(() => as(ben, 'POST', `/questions/${question}/answers`, { body: 'Here I am' })),
  )
  assert.deepEqual(made.map(({ body }) => body.answer.invited).sort(), [0, 0, 1])
  assert.equal(await points(ben), 100)
  assert.equal((await as(anna, 'PUT', `/questions/${question}/adoptions/${by}`)).status, 201)
  assert.equal(await points(cleo), 0)
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 204)
  assert.equal(await points(anna), 400)
  const unanswered = await askForLooks(anna, ben)
  const races = await Promise.all([
    as(anna, 'DELETE', `/questions/${unanswered}`),
    as(ben, 'POST', `/questions/${unanswered}/answers`, { body: 'Wait' }),
  ])
  assert.equal(races[0]?.status, 204)
  assert.equal((await points(anna)) + (await points(ben)), 500)
  assert.deepEqual(await audit(), [])
})

test('pays the whole fee of a paid view to the asker once (questions-13, questions-14)', async () => {
  const [anna, ben, cleo] = [await rich(500), await person(), await rich(150)]
  const question = await askForLooks(anna, ben)
  const id = await answer(ben, question, { text_body: 'Half' })
  const path = `/question-answers/${id}`
  const masked = (await as(cleo, 'GET', path)).body
  assert.deepEqual([masked.could, masked.body, masked.text_body], [false, null, null])
  assert.equal((await guest('GET', `/questions/${question}`)).body.invitation_answers[0].body, null)
  for (const who of [anna, ben]) {
    const { body } = await as(who, 'GET', path)
    assert.deepEqual([body.could, body.body], [true, 'Half past ten'])
    assert.equal((await as(who, 'POST', `${path}/onlookers`)).status, 422)
  }
  assert.equal((await as(cleo, 'POST', `/question-answers/${missing}/onlookers`)).status, 404)
  const ordinary = await answer(cleo, question)
  assert.equal((await as(await rich(), 'POST', `/question-answers/${ordinary}/onlookers`)).status, 422)
  const paid = await Promise.all(
    ['onlookers', 'currency-onlookers', 'onlookers'].map((how) => as(cleo, 'POST', `${path}/${how}`)),
  )
  assert.deepEqual(paid.map(({ status }) => status).sort(), [201, 422, 422])
  const shown = paid.find(({ status }) => status === 201)?.body.answer
  assert.deepEqual([shown.could, shown.body, shown.onlookers_count], [true, 'Half past ten', 1])
  assert.deepEqual([await points(cleo), await points(anna), await points(ben)], [50, 500, 100])
  assert.ok((await told(anna)).includes('qa:onlook'))
  const poor = await person()
  assert.equal((await as(poor, 'POST', `${path}/onlookers`)).status, 422)
  assert.equal((await as(poor, 'GET', path)).body.body, null)
  assert.deepEqual(await audit(), [])
  assert.deepEqual(await drift(), [])
})

test('pays rewards of an answer to its author (questions-15)', async () => {
  const [anna, ben, cleo] = [await rich(100), await person(), await rich(100)]
  const id = await answer(ben, await ask(anna))
  const path = `/question-answers/${id}`
  for (const [who, amount, how] of [
    [anna, 5, 'rewarders'],
    [cleo, 20, 'new-rewards'],
    [anna, 7, 'rewarders'],
  ] as const)
    assert.equal((await as(who, 'POST', `${path}/${how}`, { amount })).status, 201)
  for (const amount of [0, -1, 1.5, 'all', undefined])
    assert.equal((await as(anna, 'POST', `${path}/rewarders`, { amount })).status, 422)
  assert.equal((await as(ben, 'POST', `${path}/rewarders`, { amount: 1 })).status, 422)
  const poor = await as(anna, 'POST', `${path}/rewarders`, { amount: 1000 })
  assert.deepEqual([poor.status, Object.keys(poor.body.errors)], [422, ['amount']])
  assert.equal((await as(anna, 'POST', `/question-answers/${missing}/rewarders`, { amount: 1 })).status, 404)
  assert.deepEqual([await points(anna), await points(ben), await points(cleo)], [88, 32, 80])
  const { body } = await as(anna, 'GET', path)
  assert.deepEqual([body.rewards_amount, body.rewarder_count, body.rewarded], [32, 3, true])
  assert.deepEqual(
    body.rewarders.map((reward: { amount: number }) => reward.amount),
    [7, 20, 5],
  )
  const amounts = async (query: string) =>
    (await guest('GET', `${path}/rewarders${query}`)).body.map((reward: { amount: number }) => reward.amount)
  assert.deepEqual(await amounts(''), [7, 20, 5])
  assert.deepEqual(await amounts('?type=amount&limit=2'), [20, 7])
  assert.ok((await told(ben)).includes('qa:reward'))
  assert.deepEqual(await drift(), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { questionCounters, questionEscrowChecks } from '../counters.ts'
import { editAnswer } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, ask, answer, askForLooks } = questionsOf(world)
const missing = 9_007_199_254_740_991

const ids = (list: { id: number }[]) => list.map(({ id }) => id)
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

test('creates an answer and notifies the asker (questions-7)', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  for (const path of [`/questions/${question}/answers`, `/currency-questions/${question}/answers`]) {
    const made = await as(ben, 'POST', path, { body: '**Soon**' })
    assert.equal(made.status, 201)
    assert.equal(made.body.answer.body, '**Soon**')
    assert.equal(made.body.answer.text_body, 'Soon')
    assert.deepEqual(
      [made.body.answer.user_id, made.body.answer.invited, made.body.answer.adoption],
      [ben.id, 0, 0],
    )
    assert.equal('could' in made.body.answer, false)
  }
  assert.deepEqual(await told(anna), ['question:answer', 'question:answer'])
  await answer(await person(), question)
  const { body } = await as(ben, 'GET', `/questions/${question}`)
  assert.equal(body.answers_count, 3)
  assert.equal(body.my_answer.user_id, ben.id)
  assert.equal((await as(ben, 'GET', '/user')).body.extra.answers_count, 2)
  assert.equal((await as(ben, 'POST', `/questions/${missing}/answers`, {})).status, 404)
  assert.equal((await as(ben, 'POST', `/questions/${question}/answers`, {})).status, 422)
  assert.equal((await as(ben, 'POST', `/questions/${question}/answers`, { body: ' ' })).status, 422)
  assert.deepEqual(await drift(), [])
})

test('lists answers except the adopted and the invited answer (questions-8)', async () => {
  const [anna, ben, cleo] = [await rich(), await person(), await person()]
  const question = await askForLooks(anna, cleo, { look: 0 })
  const first = await answer(ben, question)
  const second = await answer(ben, question)
  const third = await answer(ben, question)
  const invited = await answer(cleo, question)
  await as(anna, 'POST', `/question-answers/${second}/likes`)
  const list = async (query = '') => ids((await guest('GET', `/questions/${question}/answers${query}`)).body)
  assert.deepEqual(await list(), [second, third, first])
  assert.deepEqual(await list('?order_type=time'), [third, second, first])
  assert.deepEqual(await list('?limit=1&offset=1'), [third])
  assert.equal((await as(anna, 'PUT', `/questions/${question}/adoptions/${third}`)).status, 201)
  assert.deepEqual(await list(), [second, first])
  const { body } = await guest('GET', `/questions/${question}`)
  assert.deepEqual(ids(body.invitation_answers), [invited])
  assert.deepEqual(ids(body.adoption_answers), [third])
  assert.equal(body.status, 1)
  for (const query of ['?limit=0', '?limit=101', '?order_type=best', '?offset=-1'])
    assert.equal((await guest('GET', `/questions/${question}/answers${query}`)).status, 422)
  assert.equal((await guest('GET', `/questions/${missing}/answers?limit=0`)).status, 404)
  assert.equal((await guest('GET', `/question-answers/${third}`)).body.question.has_adoption, true)
})

test("updates the author's like counter correctly when a like races with a change of anonymity", async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await answer(ben, await ask(anna))
  const path = `/question-answers/${id}/likes`
  assert.equal((await as(anna, 'POST', path)).status, 201)
  for (const [method, anonymity, status] of [
    ['DELETE', true, 204],
    ['POST', false, 201],
  ] as const) {
    const like = await sql.begin(async (tx) => {
      await editAnswer(tx, id, ben.id, { anonymity })
      const waits = as(anna, method, path)
      await untilWaiting(sql)
      return { waits }
    })
    assert.equal((await like.waits).status, status)
    assert.deepEqual(await drift(), [])
  }
})

test('returns an answer with its question, likes and viewer flags', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const id = await answer(ben, question)
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  await as(anna, 'POST', `/user/question-answer/collections/${id}`)
  const { body } = await as(anna, 'GET', `/question-answers/${id}`)
  assert.deepEqual([body.liked, body.collected, body.rewarded], [true, true, false])
  assert.deepEqual([body.question.id, body.question.has_adoption], [question, false])
  assert.equal(body.likes[0].user.id, anna.id)
  assert.equal(body.views_count, 1)
  assert.equal((await guest('GET', `/question-answers/${id}`)).body.views_count, 2)
  for (const path of [`/question-answers/${missing}`, `/questions/${missing}/answers`])
    assert.equal((await guest('GET', path)).status, 404)
})

test('lets only the author change an answer, and only before its adoption (questions-10)', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const id = await answer(ben, question)
  const path = `/question-answers/${id}`
  assert.equal((await as(anna, 'PATCH', path, { body: 'Mine' })).status, 403)
  assert.equal((await as(ben, 'PATCH', `/question-answers/${missing}`, { body: 'x' })).status, 404)
  assert.equal((await as(ben, 'PATCH', path, {})).status, 422)
  assert.equal((await as(ben, 'PATCH', path, { body: 'Better', anonymity: 1 })).status, 201)
  const { body } = await as(ben, 'GET', path)
  assert.deepEqual([body.body, body.text_body, body.anonymity], ['Better', 'Better', 1])
  await as(anna, 'PUT', `/questions/${question}/adoptions/${id}`)
  for (const body of ['Again', 5]) {
    const refused = await as(ben, 'PATCH', path, { body })
    assert.deepEqual([refused.status, refused.headers['x-error-code']], [422, 'answer_adopted'])
  }
  assert.equal((await as(ben, 'DELETE', path)).status, 422)
})

test('subtracts a deleted answer from all counts (questions-10)', async () => {
  const [anna, ben, cleo] = [await rich(), await person(), await person()]
  const question = await ask(anna, { invitations: [cleo.id] })
  const id = await answer(ben, question)
  const invited = await answer(cleo, question)
  await as(anna, 'POST', `/question-answers/${id}/comments`, { body: 'Well said' })
  await as(anna, 'POST', `/question-answers/${id}/likes`)
  await as(anna, 'POST', `/user/question-answer/collections/${id}`)
  assert.equal((await as(anna, 'DELETE', `/question-answers/${id}`)).status, 403)
  assert.equal((await as(cleo, 'DELETE', `/question-answers/${invited}`)).status, 422)
  const both = await Promise.all([1, 2].map(() => as(ben, 'DELETE', `/question-answers/${id}`)))
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404])
  const { extra } = (await as(ben, 'GET', '/user')).body
  assert.deepEqual([extra.answers_count, extra.likes_count], [0, 0])
  assert.equal((await guest('GET', `/questions/${question}`)).body.answers_count, 1)
  assert.deepEqual(await drift(), [])
})

test('returns 422 for a like or unlike that changes nothing (questions-19)', async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await answer(ben, await ask(anna))
  const like = `/question-answers/${id}/likes`
  assert.equal((await as(anna, 'DELETE', like)).status, 422)
  assert.equal((await as(anna, 'POST', like)).status, 201)
  assert.equal((await as(anna, 'POST', like)).status, 422)
  const { body } = await guest('GET', like)
  assert.deepEqual([body.length, body[0].target_user, body[0].user.id], [1, ben.id, anna.id])
  assert.equal((await as(anna, 'DELETE', like)).status, 204)
  assert.equal((await guest('GET', `/question-answers/${id}`)).body.likes_count, 0)
})

test('counts comments of questions and answers', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const reply = await answer(ben, question)
  for (const [path, type] of [
    [`/questions/${question}`, 'questions'],
    [`/question-answers/${reply}`, 'question-answers'],
  ] as const) {
    const made = await as(ben, 'POST', `${path}/comments`, { body: 'Hm', reply_user: anna.id })
    assert.equal(made.status, 201)
    assert.equal(made.body.comment.commentable_type, type)
    assert.equal((await as(ben, 'POST', `${path}/comments`, { body: 'x'.repeat(256) })).status, 422)
    assert.equal((await guest('GET', `${path}/comments`)).body[0].id, made.body.comment.id)
    assert.equal((await guest('GET', path)).body.comments_count, 1)
    assert.equal((await as(anna, 'DELETE', `${path}/comments/${made.body.comment.id}`)).status, 403)
    assert.equal((await as(ben, 'DELETE', `${path}/comments/${made.body.comment.id}`)).status, 204)
    assert.equal((await guest('GET', path)).body.comments_count, 0)
  }
})

test('accepts reports of questions and answers', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const reply = await answer(ben, question)
  for (const path of [`/questions/${question}/reports`, `/question-answers/${reply}/reports`]) {
    const made = await as(await person(), 'POST', path, { reason: 'Spam' })
    assert.equal(made.status, 201)
    assert.ok(Array.isArray(made.body.message))
    assert.equal((await as(anna, 'POST', path, { reason: 'x'.repeat(256) })).status, 422)
  }
  assert.equal((await as(anna, 'POST', `/questions/${missing}/reports`)).status, 404)
})

test('stores the text of a reported answer without Markdown', async () => {
  const reply = await answer(await person(), await ask(await person()), {
    body: '# A **bad** @![x](1) [word](/x)',
  })
  assert.equal((await as(await person(), 'POST', `/question-answers/${reply}/reports`)).status, 201)
  const [report] =
    await sql`select subject from reports where reportable_id = ${reply} and reportable_type = 'question-answers'`
  assert.equal(report?.subject, 'A bad word')
})

test('holds the fee of a request for excellence in escrow (questions-18)', async () => {
  const [anna, ben] = [await rich(450), await person()]
  const question = await ask(anna)
  const apply = (by: typeof anna, how = 'question-application') => as(by, 'POST', `/user/${how}/${question}`)
  assert.equal((await apply(ben)).status, 403)
  assert.equal((await as(anna, 'POST', `/user/question-application/${missing}`)).status, 404)
  const made = await Promise.all([apply(anna), apply(anna, 'currency-question-application'), apply(anna)])
  assert.deepEqual(made.map(({ status }) => status).sort(), [201, 422, 422])
  assert.equal(await points(anna), 250)
  assert.deepEqual(await audit(), [])
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 204)
  assert.equal(await points(anna), 450)
  assert.equal((await as(ben, 'POST', `/user/question-application/${await ask(ben)}`)).status, 422)
  assert.deepEqual((await guest('GET', '/question-configs')).body, {
    apply_amount: 200,
    onlookers_amount: 100,
    anonymity_rule: '',
    reward_rule: '',
  })
  assert.deepEqual(await audit(), [])
})

test('returns `rewarded` as true only to the giver of the reward', async () => {
  // Tests anonymous answers too, because lists with an anonymous answer are rendered per viewer.
  for (const anonymity of [0, 1]) {
    const [asker, author, giver] = [await person(), await person(), await rich()]
    const question = await ask(asker)
    const rewarded = await answer(author, question, { anonymity })
    const other = await answer(await person(), question, { anonymity })
    const path = `/question-answers/${rewarded}/rewarders`
    assert.equal((await as(giver, 'POST', path, { amount: 10 })).status, 201)
    for (const who of [giver, asker, author]) {
      const isGiver = who === giver
      const { body } = await as(who, 'GET', `/questions/${question}/answers`)
      const listed = (body as { id: number; rewarded: boolean }[]).map((each) => [each.id, each.rewarded])
      assert.deepEqual(Object.fromEntries(listed), { [rewarded]: isGiver, [other]: false })
      for (const [id, isRewarded] of [
        [rewarded, isGiver],
        [other, false],
      ])
        assert.equal((await as(who, 'GET', `/question-answers/${id}`)).body.rewarded, isRewarded)
    }
  }
})

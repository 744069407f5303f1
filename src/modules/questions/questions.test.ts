import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'
import { questionCounters, questionEscrowChecks } from './counters.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, topic, tryAsk, ask, answer, askForLooks } = questionsOf(world)
const missing = 9_007_199_254_740_991

const drift = async () => {
  const found = []
  for (const check of questionCounters) found.push(...(await check.find(sql)))
  return found
}

test('creates a question that its author watches (questions-3, questions-12)', async () => {
  const anna = await person()
  const where = await topic()
  for (const path of ['/questions', '/currency-questions']) {
    const made = await as(anna, 'POST', path, {
      subject: ' Why is the sky blue？ ',
      topics: [{ id: where }],
      body: 'I **really** want to know',
    })
    assert.equal(made.status, 201)
    assert.ok(Array.isArray(made.body.message))
    const { question } = made.body
    assert.equal(question.subject, 'Why is the sky blue？')
    assert.equal(question.user_id, anna.id)
    assert.equal(question.user.id, anna.id)
    assert.equal(question.text_body, 'I really want to know')
    assert.deepEqual(
      [question.anonymity, question.amount, question.automaticity, question.look, question.excellent],
      [0, 0, 0, 0, 0],
    )
    const { body } = await as(anna, 'GET', `/questions/${question.id}`)
    assert.equal(body.watched, true)
    assert.equal(body.watchers_count, 1)
    assert.deepEqual(
      body.topics.map(({ id }: { id: number }) => id),
      [where],
    )
    assert.deepEqual([body.my_answer, body.invitation_answers, body.adoption_answers], [null, [], []])
  }
  assert.equal((await guest('GET', `/question-topics/${where}`)).body.questions_count, 2)
  assert.equal((await as(anna, 'GET', '/user')).body.extra.questions_count, 2)
  assert.deepEqual(await drift(), [])
})

test('returns 422 on the invalid field of a new question (questions-2)', async () => {
  const anna = await rich(50)
  const ben = await person()
  const gone = await person()
  await sql`update users set deleted_at = now() where id = ${gone.id}`
  const where = await topic()
  const one = [{ user: ben.id }]
  const cases: [object, string, string?][] = [
    [{ subject: '' }, 'subject'],
    [{ subject: 'No mark' }, 'subject'],
    [{ subject: `${'x'.repeat(255)}?` }, 'subject'],
    [{ topics: [] }, 'topics'],
    [{ topics: [{ id: missing }] }, 'topics'],
    [{ topics: [{ id: where }, { id: missing }] }, 'topics'],
    [{ topics: [{ id: where }, { id: where }] }, 'topics', 'A topic can be given once.'],
    [{ anonymity: 2 }, 'anonymity'],
    [{ amount: -1 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: 10 ** 13 }, 'amount'],
    [{ amount: 51 }, 'amount'],
    [{ invitations: [{ user: anna.id }] }, 'invitations'],
    [{ invitations: [{ user: missing }] }, 'invitations'],
    [{ invitations: [{ user: gone.id }] }, 'invitations'],
    [{ invitations: [...one, ...one] }, 'invitations', 'A person can be invited once.'],
    [{ automaticity: 1, invitations: one }, 'automaticity'],
    [{ automaticity: 1, amount: 5 }, 'automaticity'],
    [{ automaticity: 1, amount: 5, invitations: [...one, { user: (await person()).id }] }, 'automaticity'],
    [{ look: 1 }, 'look', 'Paid looks need a bounty.'],
    [{ look: 1, amount: 5 }, 'look'],
  ]
  for (const [fields, field, said] of cases) {
    const reply = await tryAsk(anna, fields, { 'accept-language': 'en' })
    assert.equal(reply.status, 422, JSON.stringify(fields))
    assert.deepEqual(Object.keys(reply.body.errors), [field], JSON.stringify(fields))
    if (said !== undefined) assert.deepEqual(reply.body.errors[field], [said])
  }
  assert.equal((await as(anna, 'GET', '/user/questions')).body.length, 0)
  assert.equal(await points(anna), 50)
  assert.equal((await guest('POST', '/questions', {})).status, 401)
})

test('refunds an unearned bounty when the question is deleted (questions-3, questions-6)', async () => {
  const anna = await rich(100)
  const question = await ask(anna, { amount: 60 })
  assert.equal(await points(anna), 40)
  assert.equal((await tryAsk(anna, { amount: 60 })).status, 422)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
  const stranger = await person()
  assert.equal((await as(stranger, 'DELETE', `/questions/${question}`)).status, 403)
  assert.equal((await as(anna, 'DELETE', `/currency-questions/${question}`)).status, 204)
  assert.equal(await points(anna), 100)
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 404)
  assert.equal((await guest('GET', `/questions/${question}`)).status, 404)
  assert.equal(await points(anna), 100)
})

test('checks the payment password for a bounty before other errors', async () => {
  const founder = await person({ roles: ['founder', 'owner'] })
  const anna = await rich(100)
  const set = (on: boolean) => as(founder, 'PATCH', '/admin/settings', { 'pay-validate-user-password': on })
  assert.equal((await set(true)).status, 204)
  try {
    assert.equal((await tryAsk(anna, { amount: 5 })).status, 403)
    assert.equal((await tryAsk(anna, { amount: 5, subject: 'No mark' })).status, 403)
    assert.equal((await tryAsk(anna, {})).status, 201)
    const set1 = await as(founder, 'POST', '/admin/users', { name: 'payer_one', password: 'secret-one' })
    assert.equal(set1.status, 201)
    const payer = { ...(await person()), id: set1.body.id }
    await sql`update users set password = (select password from users where id = ${set1.body.id}) where id = ${anna.id}`
    assert.ok(payer.id > 0)
    assert.equal((await tryAsk(anna, { amount: 5, password: 'wrong' })).status, 403)
    const question = (await tryAsk(anna, { amount: 5, password: 'secret-one' })).body.question.id
    const path = `/questions/${question}/amount`
    assert.equal((await as(anna, 'PATCH', path, { amount: 7 })).status, 403)
    assert.equal((await as(anna, 'PATCH', path, { amount: 7, password: 'secret-one' })).status, 204)
  } finally {
    await set(false)
  }
  assert.equal(await points(anna), 93)
})

test('lets only the author change a question (questions-4)', async () => {
  const anna = await person()
  const ben = await person()
  const [from, to] = [await topic(), await topic()]
  const question = await ask(anna, { topics: [from] })
  const path = `/questions/${question}`
  assert.equal((await as(ben, 'PATCH', path, { subject: 'Mine now?' })).status, 403)
  assert.equal((await as(ben, 'PATCH', path, { amount: 'x' })).status, 403)
  assert.equal((await as(anna, 'PATCH', `/questions/${missing}`, { subject: 'What?' })).status, 404)
  assert.equal((await as(anna, 'PATCH', path, {})).status, 422)
  assert.equal((await as(anna, 'PATCH', path, { subject: 'No mark' })).status, 422)
  assert.equal((await as(anna, 'PATCH', path, { topics: [missing] })).status, 422)
  const changes = { subject: 'Which way?', body: 'Left or right', anonymity: 1, topics: [{ id: to }] }
  assert.equal((await as(anna, 'PATCH', `/currency-questions/${question}`, changes)).status, 204)
  const { body } = await as(anna, 'GET', path)
  assert.deepEqual([body.subject, body.body, body.anonymity], ['Which way?', 'Left or right', 1])
  assert.deepEqual(
    body.topics.map(({ id }: { id: number }) => id),
    [to],
  )
  assert.equal((await guest('GET', path)).body.user_id, 0)
  assert.equal((await guest('GET', `/question-topics/${from}`)).body.questions_count, 0)
  assert.equal((await guest('GET', `/question-topics/${to}`)).body.questions_count, 1)
})

test('refunds the earlier bounty when the bounty changes (questions-5)', async () => {
  const anna = await rich(100)
  const ben = await person()
  const question = await ask(anna)
  const set = (amount: unknown) => as(anna, 'PATCH', `/questions/${question}/amount`, { amount })
  assert.equal((await as(ben, 'PATCH', `/questions/${question}/amount`, { amount: 5 })).status, 403)
  for (const wrong of [0, -5, 2.5, 'many', undefined, 101]) assert.equal((await set(wrong)).status, 422)
  assert.equal((await set(30)).status, 204)
  assert.equal(await points(anna), 70)
  assert.equal((await set(90)).status, 204)
  assert.equal(await points(anna), 10)
  assert.equal((await as(anna, 'PATCH', `/currency-questions/${question}`, { amount: 20 })).status, 204)
  assert.equal(await points(anna), 80)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
  const invited = await ask(anna, { amount: 10, invitations: [ben.id] })
  assert.equal((await as(anna, 'PATCH', `/questions/${invited}/amount`, { amount: 20 })).status, 403)
  const free = await ask(anna, { invitations: [ben.id] })
  assert.equal((await as(anna, 'PATCH', `/questions/${free}/amount`, { amount: 20 })).status, 204)
  const solved = await ask(anna)
  const reply = await answer(ben, solved)
  assert.equal((await as(anna, 'PUT', `/questions/${solved}/adoptions/${reply}`)).status, 201)
  assert.equal((await as(anna, 'PATCH', `/questions/${solved}/amount`, { amount: 20 })).status, 403)
})

test('deletes a question with its answers, comments, likes, watches and collections (questions-6)', async () => {
  const anna = await rich()
  const ben = await person()
  const cleo = await person()
  const where = await topic()
  const question = await ask(anna, { topics: [where] })
  const reply = await answer(ben, question)
  await as(cleo, 'PUT', `/user/question-watches/${question}`)
  await as(cleo, 'POST', `/questions/${question}/comments`, { body: 'Well asked' })
  await as(cleo, 'POST', `/question-answers/${reply}/comments`, { body: 'Well said' })
  await as(cleo, 'POST', `/question-answers/${reply}/likes`)
  await as(cleo, 'POST', `/user/question-answer/collections/${reply}`)
  assert.equal((await as(anna, 'DELETE', `/questions/${question}`)).status, 204)
  assert.equal((await guest('GET', `/question-answers/${reply}`)).status, 404)
  assert.equal((await guest('GET', `/question-topics/${where}`)).body.questions_count, 0)
  assert.equal((await as(anna, 'GET', '/user')).body.extra.questions_count, 0)
  const { extra } = (await as(ben, 'GET', '/user')).body
  assert.deepEqual([extra.answers_count, extra.likes_count], [0, 0])
  assert.equal((await as(cleo, 'GET', '/user')).body.extra.comments_count, 0)
  assert.deepEqual((await as(cleo, 'GET', '/user/question-watches')).body, [])
  assert.deepEqual((await as(cleo, 'GET', '/user/question-answer/collections')).body, [])
  assert.deepEqual(await drift(), [])
})

test('ignores repeated watches and unwatches (questions-17)', async () => {
  const [anna, ben] = [await person(), await person()]
  const [first, second] = [await ask(anna), await ask(anna)]
  const watch = async (method: 'PUT' | 'DELETE', id: number) =>
    (await as(ben, method, `/user/question-watches/${id}`)).status
  const watched = async (query = '') =>
    (await as(ben, 'GET', `/user/question-watches${query}`)).body.map(({ id }: { id: number }) => id)
  for (const id of [second, first, second]) assert.equal(await watch('PUT', id), 204)
  assert.deepEqual(await watched(), [first, second])
  assert.deepEqual(await watched('?limit=1&offset=1'), [second])
  assert.equal((await as(ben, 'GET', `/questions/${first}`)).body.watchers_count, 2)
  for (let n = 0; n < 2; n += 1) assert.equal(await watch('DELETE', first), 204)
  assert.equal((await as(ben, 'GET', `/questions/${first}`)).body.watchers_count, 1)
  assert.deepEqual(await watched(), [second])
  for (const method of ['PUT', 'DELETE'] as const)
    assert.equal(await watch(method, 9_007_199_254_740_991), 404)
})

test('rejects the invitation of a user who blocks the asker', async () => {
  const anna = await person()
  const ben = await person()
  const question = await ask(anna, { invitations: [{ user: ben.id }] })
  const { body } = await as(ben, 'GET', '/user/notifications?type=system')
  assert.equal(body.data[0].data.type, 'qa:invitation')
  assert.equal(body.data[0].data.sender.id, anna.id)
  assert.equal(body.data[0].data.question.id, question)
  await as(ben, 'POST', `/user/black/${anna.id}`)
  assert.equal((await tryAsk(anna, { invitations: [{ user: ben.id }] })).status, 403)
})

test('creates one question and charges its bounty once per Idempotency-Key', async () => {
  const anna = await rich(100)
  const headers = { 'idempotency-key': 'ask-once' }
  const replies = await Promise.all([1, 2, 3].map(() => tryAsk(anna, { amount: 30 }, headers)))
  const again = await tryAsk(anna, { amount: 30 }, headers)
  assert.equal(again.status, 201)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  for (const { status, body } of replies)
    assert.ok(status === 409 || body.question.id === again.body.question.id)
  assert.equal(await points(anna), 70)
  assert.equal((await tryAsk(anna, { amount: 31 }, headers)).status, 422)
  assert.equal((await as(anna, 'GET', '/user/questions')).body.length, 1)
})

test('loses no points when changes of a bounty race with the deletion of its question', async () => {
  const anna = await rich(100)
  const question = await ask(anna, { amount: 40 })
  await Promise.all([
    ...[10, 20, 30].map((amount) => as(anna, 'PATCH', `/questions/${question}/amount`, { amount })),
    ...[1, 2, 3].map(() => as(anna, 'DELETE', `/questions/${question}`)),
  ])
  assert.equal(await points(anna), 100)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

test('rejects anonymous questions and answers when the site forbids anonymity (questions-16)', async () => {
  const founder = await person({ roles: ['founder', 'owner'] })
  const anna = await person()
  const question = await ask(anna)
  const reply = await answer(anna, question)
  await as(founder, 'PATCH', '/admin/settings', { 'site:anonymous': false })
  try {
    assert.equal((await tryAsk(anna, { anonymity: 1 })).status, 422)
    assert.equal((await as(anna, 'PATCH', `/questions/${question}`, { anonymity: 1 })).status, 422)
    assert.equal((await as(anna, 'PATCH', `/question-answers/${reply}`, { anonymity: 1 })).status, 422)
    const body = { body: 'x', anonymity: 1 }
    assert.equal((await as(anna, 'POST', `/questions/${question}/answers`, body)).status, 422)
  } finally {
    await as(founder, 'PATCH', '/admin/settings', { 'site:anonymous': true })
  }
  assert.ok(await askForLooks(await rich(), anna))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionCounters, questionEscrowChecks } from '#modules/questions/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { editAnswer } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, topic, ask, answer, askForLooks } = questionsOf(world)
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
    ({ data }: { data: { type: string } }) => data.type,
  )

test('answering answers 201 with the answer, counts it and tells who asked (questions-7)', async () => {
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
  const { body } = await as(ben, 'GET', `/questions/${question}`)
  assert.equal(body.answers_count, 2)
  assert.equal(body.my_answer.user_id, ben.id)
  assert.equal((await as(ben, 'GET', '/user')).body.extra.answers_count, 2)
  assert.equal((await as(ben, 'POST', `/questions/${missing}/answers`, {})).status, 404)
  assert.equal((await as(ben, 'POST', `/questions/${question}/answers`, {})).status, 422)
  assert.equal((await as(ben, 'POST', `/questions/${question}/answers`, { body: ' ' })).status, 422)
  assert.deepEqual(await drift(), [])
})

test('the list is by likes or by time, and leaves out what stands apart (questions-8)', async () => {
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

test('a like that waited for its answer counts for the author unless the answer is anonymous by then', async () => {
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

test('an answer shows its question, who liked it, and what the viewer did to it', async () => {
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
  assert.equal((await guest('GET', `/question-answers/${missing}`)).status, 404)
})

test('only its author changes an answer, and not once it is adopted (questions-10)', async () => {
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
  assert.equal((await as(ben, 'PATCH', path, { body: 'Again' })).status, 422)
  assert.equal((await as(ben, 'DELETE', path)).status, 422)
})

test('deleting an answer takes it out of all counts; the invited one stays (questions-10)', async () => {
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

test('adopting pays the bounty once, whoever races; each rule has its answer (questions-11)', async () => {
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

test('the invited answer earns an automatic bounty once, and adoption pays nothing more (questions-9)', async () => {
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

test('a look is paid once, in full to who asked, and shows the answer (questions-13, questions-14)', async () => {
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

test('rewards of an answer reach its author, add up, and are listed by time or amount (questions-15)', async () => {
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

test('liking twice and taking back no like are 422 (questions-19)', async () => {
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

test('comments of questions and answers are listed, counted, and deleted by their authors', async () => {
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

test('questions and answers can be reported', async () => {
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

test('lists of questions: unanswered, all, hot, with a bounty, excellent, watched, by topic, subject and id (questions-1)', async () => {
  const [anna, ben] = [await rich(), await person()]
  const where = await topic()
  const plain = await ask(anna, { topics: [where], subject: 'What is a Zebrafink?' })
  const answered = await ask(anna, { topics: [where] })
  const prized = await ask(anna, { topics: [where], amount: 5 })
  await answer(ben, answered)
  await as(ben, 'PUT', `/user/question-watches/${prized}`)
  await as(ben, 'PUT', `/user/question-watches/${prized}`)
  await sql`update questions set excellent = true where id = ${plain}`
  const list = async (query: string) =>
    ids((await as(ben, 'GET', `/question-topics/${where}/questions?${query}`)).body)
  assert.deepEqual(await list(''), [prized, plain])
  assert.deepEqual(await list('type=all'), [prized, answered, plain])
  assert.deepEqual(await list('type=hot'), [answered, prized, plain])
  assert.deepEqual(await list('type=reward'), [prized])
  assert.deepEqual(await list('type=excellent'), [plain])
  assert.deepEqual(await list('type=follow'), [prized])
  assert.deepEqual(await list('subject=zebraf'), [plain])
  assert.deepEqual(await list('type=all&limit=1&offset=1'), [answered])
  assert.ok(ids((await guest('GET', '/questions')).body).includes(plain))
  assert.deepEqual(ids((await guest('GET', `/questions?id=${plain},${answered}`)).body), [answered, plain])
  const [item] = (await guest('GET', `/questions?id=${answered}`)).body
  assert.equal(item.answer.user_id, ben.id)
  assert.deepEqual(ids((await as(ben, 'GET', '/user/question-watches')).body), [prized])
  assert.equal((await guest('GET', `/questions/${prized}`)).body.watchers_count, 2)
  await as(ben, 'DELETE', `/user/question-watches/${prized}`)
  assert.equal((await as(ben, 'DELETE', `/user/question-watches/${prized}`)).status, 204)
  assert.equal((await guest('GET', `/questions/${prized}`)).body.watchers_count, 1)
  assert.equal((await as(ben, 'PUT', `/user/question-watches/${missing}`)).status, 404)
  assert.equal((await guest('GET', `/question-topics/${missing}/questions`)).status, 404)
  assert.equal((await guest('GET', '/questions?type=best')).status, 422)
  assert.equal((await guest('GET', '/questions?limit=101')).status, 422)
})

test('lists of a person are by kind, and without a name or a sign-in there is nobody to list', async () => {
  const [anna, ben] = [await rich(), await person()]
  const plain = await ask(anna)
  const prized = await ask(anna, { amount: 5 })
  const inviting = await ask(anna, { invitations: [ben.id] })
  const own = await answer(ben, plain)
  const invited = await answer(ben, inviting)
  const adopted = await answer(ben, prized)
  await as(anna, 'PUT', `/questions/${prized}/adoptions/${adopted}`)
  const asked = async (query: string) =>
    ids((await guest('GET', `/user/questions?user_id=${anna.id}${query}`)).body)
  assert.deepEqual(await asked(''), [inviting, prized, plain])
  assert.deepEqual(await asked('&type=invitation'), [inviting])
  assert.deepEqual(await asked('&type=reward'), [prized])
  assert.deepEqual(await asked('&type=other'), [plain])
  assert.deepEqual(await asked(`&after=${prized}&limit=1`), [plain])
  const given = async (query: string) =>
    ids((await guest('GET', `/user/question-answer?user_id=${ben.id}${query}`)).body)
  assert.deepEqual(await given(''), [adopted, invited, own])
  assert.deepEqual(await given('&type=adoption'), [adopted])
  assert.deepEqual(await given('&type=invitation'), [invited])
  assert.deepEqual(await given('&type=other'), [own])
  assert.deepEqual(ids((await as(ben, 'GET', '/user/question-answer')).body), [adopted, invited, own])
  assert.equal((await guest('GET', '/user/questions')).status, 401)
  assert.equal((await guest('GET', '/user/question-answer')).status, 401)
  const reposted = (await guest('GET', `/qa/reposted-answers?id=${invited},${own},${missing}`)).body
  assert.deepEqual(ids(reposted), [invited, own])
  assert.equal(reposted[0].question.id, inviting)
  assert.deepEqual(ids((await guest('GET', `/qa/reposted-questions?id=${plain}`)).body), [plain])
})

test('a request for excellence costs a fee that waits in escrow, and only one waits at a time (questions-18)', async () => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld, type Person } from '#test/world.ts'
import { questionCounters, questionEscrowChecks } from '../counters.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { points, rich, topic, ask, answer, askForLooks } = questionsOf(world)
const admin = await person({ roles: ['founder', 'owner'] })
const missing = 9_007_199_254_740_991
const ids = (list: { id: number }[]) => list.map(({ id }) => id)
const told = async (who: typeof admin) =>
  (await as(who, 'GET', '/user/notifications?type=system')).body.data.map(
    ({ data }: { data: { type: string } }) => data.type,
  )
const waiting = async (queue: string) =>
  (await as(admin, 'GET', '/admin/statistics/waiting')).body.data.find(
    ({ name }: { name: string }) => name === queue,
  ).count

test('writes audit records for changes of question topics (questions-27)', async () => {
  const made = await as(admin, 'POST', '/admin/question-topics', { name: 'Astronomy', description: 'Stars' })
  assert.equal(made.status, 201)
  const { id } = made.body
  for (const name of ['ASTRONOMY', ' astronomy ', 'Ａstronomy'])
    assert.equal((await as(admin, 'POST', '/admin/question-topics', { name })).status, 422)
  assert.equal((await as(admin, 'POST', '/admin/question-topics', {})).status, 422)
  assert.equal(
    (await as(admin, 'POST', '/admin/question-topics', { name: 'x', avatar: 'public:no' })).status,
    422,
  )
  const path = `/admin/question-topics/${id}`
  assert.equal((await as(admin, 'PATCH', path, { description: null, name: 'The sky' })).status, 204)
  const { body } = await as(admin, 'GET', path)
  assert.deepEqual([body.name, body.description, body.questions_count], ['The sky', '', 0])
  const list = await as(admin, 'GET', '/admin/question-topics?q=sky&sort=questions_count')
  assert.deepEqual([ids(list.body.data), list.body.total], [[id], 1])
  const asked = await ask(await person(), { topics: [id] })
  assert.deepEqual(ids((await guest('GET', '/question-topics?name=SKY')).body), [id])
  assert.equal((await as(admin, 'DELETE', path)).status, 204)
  assert.equal((await as(admin, 'DELETE', path)).status, 404)
  assert.equal((await as(admin, 'PATCH', path, { name: 5 })).status, 404)
  assert.deepEqual((await guest('GET', `/questions/${asked}`)).body.topics, [])
  const log = (await as(admin, 'GET', `/admin/audit-log?subject_type=question-topics&subject_id=${id}`)).body
  assert.deepEqual(
    log.data.map(({ action }: { action: string }) => action),
    ['question-topics.delete', 'question-topics.update', 'question-topics.create'],
  )
})

test('includes a concurrent update in the `before` values in the audit record of a topic', async () => {
  const { id } = (await as(admin, 'POST', '/admin/question-topics', { name: 'Zoology' })).body
  let changing: Promise<Answer> | undefined
  await sql.begin(async (tx) => {
    await tx`update question_topics set description = 'Beasts' where id = ${id}`
    changing = as(admin, 'PATCH', `/admin/question-topics/${id}`, { description: 'Animals' })
    await untilWaiting(sql)
  })
  assert.equal((await changing)?.status, 204)
  const log = await as(admin, 'GET', `/admin/audit-log?subject_type=question-topics&subject_id=${id}`)
  assert.equal(log.body.data[0].before.description, 'Beasts')
})

test('counts a repeated follow of a topic once (questions-21, questions-22)', async () => {
  const { id } = (await as(admin, 'POST', '/admin/question-topics', { name: 'Botany' })).body
  const anna = await person()
  const path = `/user/question-topics/${id}`
  const made = await Promise.all([1, 2, 3].map(() => as(anna, 'PUT', path)))
  assert.ok(made.every(({ status, body }) => status === 201 && Array.isArray(body.message)))
  const shown = (await as(anna, 'GET', `/question-topics/${id}`)).body
  assert.deepEqual([shown.follows_count, shown.has_follow, shown.experts], [1, true, []])
  assert.deepEqual(ids((await as(anna, 'GET', '/user/question-topics')).body), [id])
  const [item] = (await as(anna, 'GET', '/question-topics?name=botany&follow=1')).body
  assert.equal(item.has_follow, true)
  assert.equal('has_follow' in (await guest('GET', '/question-topics?name=botany')).body[0], false)
  await Promise.all([1, 2].map(() => as(anna, 'DELETE', path)))
  assert.equal((await guest('GET', `/question-topics/${id}`)).body.follows_count, 0)
  assert.equal((await as(anna, 'PUT', `/user/question-topics/${missing}`)).status, 404)
  assert.equal((await guest('GET', `/question-topics/${missing}`)).status, 404)
  assert.equal((await guest('GET', `/question-topics/${missing}/experts?limit=0`)).status, 404)
})

test('unfollows one topic for one user without changing other follows (questions-22)', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const [one, two] = [await topic(), await topic()]
  const put = async (who: Person, id: number) => (await as(who, 'PUT', `/user/question-topics/${id}`)).status
  assert.deepEqual([await put(anna, one), await put(ben, one), await put(ben, two)], [201, 201, 201])
  const read = async (id: number) => {
    const seen = []
    for (const who of [anna, ben, cleo])
      seen.push((await as(who, 'GET', `/question-topics/${id}`)).body.has_follow)
    return seen
  }
  for (let times = 0; times < 2; times += 1)
    assert.deepEqual(
      [await read(one), await read(two)],
      [
        [true, true, false],
        [false, true, false],
      ],
    )
  const mine = async (who: Person, query = '') =>
    ids((await as(who, 'GET', `/user/question-topics${query}`)).body)
  assert.deepEqual([await mine(anna), await mine(ben)], [[one], [two, one]])
  assert.deepEqual(await mine(ben, `?after=${two}`), [one])
  assert.equal((await as(ben, 'DELETE', `/user/question-topics/${one}`)).status, 204)
  assert.deepEqual([await mine(anna), await mine(ben)], [[one], [two]])
  assert.equal((await guest('GET', `/question-topics/${one}`)).body.follows_count, 1)
  assert.equal((await as(ben, 'DELETE', `/user/question-topics/${missing}`)).status, 404)
})

test('ranks experts by income in their topics (questions-24)', async () => {
  const { id } = (await as(admin, 'POST', '/admin/question-topics', { name: 'Chemistry' })).body
  const [ben, cleo, dan] = [await person(), await person(), await person()]
  const expert = (who: typeof ben) => `/admin/question-topics/${id}/experts/${who.id}`
  for (const who of [ben, cleo]) assert.equal((await as(admin, 'PUT', expert(who))).status, 204)
  assert.equal((await as(admin, 'PUT', expert(ben))).status, 204)
  assert.equal((await as(admin, 'PUT', `/admin/question-topics/${id}/experts/${missing}`)).status, 404)
  for (const method of ['PUT', 'DELETE'] as const) {
    const nowhere = await as(admin, method, `/admin/question-topics/${missing}/experts/${ben.id}`)
    assert.deepEqual([nowhere.status, nowhere.headers['x-error-code']], [404, 'no_such_question_topic'])
  }
  assert.equal((await guest('GET', `/question-topics/${id}`)).body.experts_count, 2)
  assert.deepEqual(ids((await guest('GET', `/question-topics/${id}/experts`)).body), [cleo.id, ben.id])
  assert.deepEqual(ids((await guest('GET', `/question-topics/${id}/experts?after=${cleo.id}`)).body), [
    ben.id,
  ])
  assert.deepEqual(ids((await as(ben, 'GET', '/user/question-topics?type=expert')).body), [id])
  assert.equal((await as(admin, 'GET', `/admin/question-topics/${id}/experts`)).body.total, 2)
  const anna = await rich()
  for (const [who, amount, hidden] of [
    [cleo, 40, 0],
    [ben, 90, 0],
    [dan, 500, 0],
    [cleo, 900, 1],
  ] as const) {
    const question = await ask(anna, { topics: [id], amount })
    const given = await answer(who, question, { anonymity: hidden })
    await as(anna, 'PUT', `/questions/${question}/adoptions/${given}`)
  }
  const ranks = (await guest('GET', '/question-ranks/experts')).body
  assert.deepEqual(
    ranks.map((user: { id: number; extra: { rank: number; count: number } }) => [
      user.id,
      user.extra.rank,
      user.extra.count,
    ]),
    [
      [ben.id, 1, 90],
      [cleo.id, 2, 40],
    ],
  )
  assert.deepEqual(ids((await guest('GET', `/question-experts?topics=${id}`)).body), [ben.id, cleo.id])
  assert.deepEqual(ids((await guest('GET', `/question-experts?keyword=${cleo.name}`)).body), [cleo.id])
  const answered = (await guest('GET', '/question-ranks/answers?type=week')).body
  assert.equal(answered.find((user: { id: number }) => user.id === cleo.id).extra.count, 1)
  assert.equal((await as(admin, 'DELETE', expert(ben))).status, 204)
  assert.equal((await as(admin, 'DELETE', expert(ben))).status, 404)
  assert.deepEqual(ids((await guest('GET', `/question-experts?topics=${id}`)).body), [cleo.id])
})

test('decides a proposed topic once (questions-23, questions-27)', async () => {
  const anna = await person()
  const propose = (name: string) =>
    as(anna, 'POST', '/user/question-topics/application', { name, description: 'Why not' })
  assert.equal((await propose('Cooking')).status, 201)
  assert.equal((await propose('cooking')).status, 422)
  assert.equal((await propose('Dancing')).status, 201)
  assert.equal((await as(anna, 'POST', '/user/question-topics/application', { name: 'x' })).status, 422)
  const { data, total } = (await as(admin, 'GET', `/admin/question-topic-applications?user_id=${anna.id}`))
    .body
  assert.deepEqual([total, data[0].name, data[0].state, data[0].user.id], [2, 'Dancing', 'pending', anna.id])
  const decide = (index: number, body: object) =>
    as(admin, 'PATCH', `/admin/question-topic-applications/${data[index].id}`, body)
  assert.equal((await decide(0, { action: 'perhaps' })).status, 422)
  const named = await as(admin, 'GET', '/admin/question-topic-applications?q=DANC')
  assert.deepEqual(ids(named.body.data), [data[0].id])
  assert.equal(await waiting('question-topic-applications'), 2)
  const races = await Promise.all([
    decide(1, { action: 'accept' }),
    decide(1, { action: 'accept' }),
    decide(0, { action: 'reject', mark: 'Too noisy' }),
  ])
  assert.deepEqual(races.map(({ status }) => status).sort(), [204, 204, 422])
  assert.equal(await waiting('question-topic-applications'), 0)
  const late = await decide(0, { action: 'accept' })
  assert.deepEqual([late.status, late.headers['x-error-code']], [422, 'application_decided'])
  assert.equal((await guest('GET', '/question-topics?name=cooking')).body.length, 1)
  assert.equal((await guest('GET', '/question-topics?name=dancing')).body.length, 0)
  assert.deepEqual((await told(anna)).sort(), ['qa:question-topic:accept', 'qa:question-topic:reject'])
  assert.equal((await propose('Cooking')).status, 422)
  const nobody = `/admin/question-topic-applications/${missing}`
  assert.equal((await as(admin, 'PATCH', nobody, { action: 'x' })).status, 404)
})

test('limits the name and description of a proposed topic (questions-23)', async () => {
  const anna = await person()
  const propose = async (fields: object) => {
    const proposal = { name: 'Sailing', description: 'Why not', ...fields }
    const { status, body } = await as(anna, 'POST', '/user/question-topics/application', proposal)
    return [status, ...Object.keys(body.errors ?? {})]
  }
  assert.deepEqual(await propose({ name: 'x'.repeat(101) }), [422, 'name'])
  assert.deepEqual(await propose({ description: 'x'.repeat(501) }), [422, 'description'])
  assert.deepEqual(await propose({ name: 'x'.repeat(100), description: 'x'.repeat(500) }), [201])
})

test('pays or refunds the fee of a request for excellence once (questions-26)', async () => {
  const anna = await rich(400)
  const [good, bad] = [await ask(anna), await ask(anna)]
  for (const id of [good, bad]) await as(anna, 'POST', `/user/question-application/${id}`)
  assert.equal(await points(anna), 0)
  const { data } = (await as(admin, 'GET', `/admin/question-applications?user_id=${anna.id}&state=pending`))
    .body
  const ofBad = (await as(admin, 'GET', `/admin/question-applications?question_id=${bad}`)).body
  assert.deepEqual([ofBad.total, ofBad.data[0].question_id], [1, bad])
  assert.equal(await waiting('question-applications'), 2)
  const of = (question: number) =>
    data.find((each: { question_id: number }) => each.question_id === question).id
  const decide = (question: number, action: string) =>
    as(admin, 'PATCH', `/admin/question-applications/${of(question)}`, { action })
  const races = await Promise.all([
    decide(good, 'accept'),
    decide(good, 'reject'),
    decide(bad, 'reject'),
    decide(bad, 'reject'),
    as(anna, 'DELETE', `/questions/${bad}`),
  ])
  assert.ok(races.every(({ status }) => [204, 404, 422].includes(status)))
  assert.equal(await waiting('question-applications'), 0)
  const accepted = races[0]?.status === 204
  assert.equal(await points(anna), accepted ? 200 : 400)
  const { excellent } = (await guest('GET', `/questions/${good}`)).body
  assert.equal(excellent, accepted ? 1 : 0)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
  assert.equal((await as(admin, 'PATCH', `/admin/questions/${good}`, { excellent: true })).status, 204)
  assert.equal((await as(anna, 'POST', `/user/question-application/${good}`)).status, 422)
  for (const body of [{}, { excellent: true }])
    assert.equal((await as(admin, 'PATCH', `/admin/questions/${missing}`, body)).status, 404)
  for (const body of [{}, { action: 'accept' }])
    assert.equal((await as(admin, 'PATCH', `/admin/question-applications/${missing}`, body)).status, 404)
})

test('lets moderators delete questions, answers and comments (questions-25)', async () => {
  const [anna, ben] = [await rich(), await person()]
  const question = await askForLooks(anna, ben, { anonymity: 1, subject: 'Who am I?' })
  const given = await answer(ben, question, { anonymity: 1 })
  const record = (await as(admin, 'GET', `/admin/questions/${question}`)).body
  assert.deepEqual([record.user_id, record.user.id, record.bounty], [anna.id, anna.id, 'paid'])
  const answers = (await as(admin, 'GET', `/admin/question-answers?question_id=${question}`)).body
  assert.deepEqual(
    [answers.total, answers.data[0].user.id, answers.data[0].body],
    [1, ben.id, 'Half past ten'],
  )
  assert.equal((await as(admin, 'GET', '/admin/questions?q=who%20am')).body.total, 1)
  const comment = (await as(ben, 'POST', `/questions/${question}/comments`, { body: 'Bad word' })).body
    .comment.id
  assert.equal((await as(admin, 'DELETE', `/questions/${question}/comments/${comment}`)).status, 204)
  for (const who of [anna, await person()])
    assert.equal((await as(who, 'DELETE', `/qa/answers/${given}`)).status, 403)
  assert.equal((await as(admin, 'DELETE', `/qa/answers/${given}`)).status, 204)
  assert.equal((await as(admin, 'GET', `/admin/question-answers/${given}`)).status, 404)
  await answer(ben, question)
  assert.equal(await points(ben), 100)
  assert.equal((await as(anna, 'DELETE', `/qa/questions/${question}`)).status, 403)
  assert.equal((await as(admin, 'DELETE', `/qa/questions/${question}`)).status, 204)
  assert.equal((await as(admin, 'DELETE', `/admin/questions/${question}`)).status, 404)
  assert.equal(await points(ben), 100)
  for (const check of questionCounters) assert.deepEqual(await check.find(sql), [], check.name)
  assert.deepEqual((await auditLedger(sql, questionEscrowChecks)).drift, [])
})

test('returns 403 to a user without the ability and 401 to a guest on administration routes', async () => {
  const anna = await person()
  for (const [method, path] of [
    ['GET', '/admin/questions'],
    ['DELETE', '/admin/questions/1'],
    ['GET', '/admin/question-applications'],
    ['POST', '/admin/question-topics'],
  ] as const) {
    assert.equal((await as(anna, method, path)).status, 403)
    assert.equal((await guest(method, path)).status, 401)
  }
})

test('counts only experts with an enabled account, as the list of experts does (questions-21)', async () => {
  const { id } = (await as(admin, 'POST', '/admin/question-topics', { name: 'Geology' })).body
  const [ben, cleo] = [await person(), await person()]
  for (const who of [ben, cleo])
    assert.equal((await as(admin, 'PUT', `/admin/question-topics/${id}/experts/${who.id}`)).status, 204)
  const shown = async () => [
    (await guest('GET', `/question-topics/${id}`)).body.experts_count,
    (await guest('GET', '/question-topics?name=geology')).body[0].experts_count,
    (await guest('GET', `/question-topics/${id}/experts`)).body.length,
  ]
  const disable = async (disabled: boolean) =>
    assert.equal((await as(admin, 'PATCH', `/admin/users/${cleo.id}`, { disabled })).status, 204)
  assert.deepEqual(await shown(), [2, 2, 2])
  await disable(true)
  assert.deepEqual(await shown(), [1, 1, 1])
  await disable(false)
  assert.deepEqual(await shown(), [2, 2, 2])
})

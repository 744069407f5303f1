import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { rich, topic, ask, answer } = questionsOf(world)
const missing = 9_007_199_254_740_991

const ids = (list: { id: number }[]) => list.map(({ id }) => id)
test('filters and sorts the list of questions (questions-1)', async () => {
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
  await sql`update questions set created_at = created_at - interval '2 months' where id = ${plain}`
  assert.deepEqual(await list('type=hot'), [answered, prized])
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

test("filters a user's questions and answers by `type`", async () => {
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
  assert.deepEqual(await given(`&after=${invited}`), [own])
  assert.deepEqual(ids((await as(ben, 'GET', '/user/question-answer')).body), [adopted, invited, own])
  // Only the author's own lists contain anonymous questions and answers (questions-16).
  const hidden = await ask(anna, { anonymity: 1 })
  const masked = await answer(ben, plain, { anonymity: 1 })
  assert.deepEqual(
    [await asked(''), await given('')],
    [
      [inviting, prized, plain],
      [adopted, invited, own],
    ],
  )
  assert.equal(ids((await as(anna, 'GET', '/user/questions')).body)[0], hidden)
  assert.equal(ids((await as(ben, 'GET', '/user/question-answer')).body)[0], masked)
  assert.equal((await guest('GET', '/user/questions')).status, 401)
  assert.equal((await guest('GET', '/user/question-answer')).status, 401)
  const reposted = (await guest('GET', `/qa/reposted-answers?id=${invited},${own},${missing}`)).body
  assert.deepEqual(ids(reposted), [invited, own])
  assert.equal(reposted[0].question.id, inviting)
  assert.deepEqual(ids((await guest('GET', `/qa/reposted-questions?id=${plain}`)).body), [plain])
})

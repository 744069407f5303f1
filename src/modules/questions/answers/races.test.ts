import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { lockQuestion } from '../queries.ts'
import { deleteQuestion } from '../service.ts'
import { addExpert } from '../topics/queries.ts'
import { adopt, deleteAnswer, editAnswer } from './service.ts'

const world = await createWorld()
const { as, person, sql } = world
const { rich, topic, ask, answer } = questionsOf(world)

/** Returns the status and error code of a request that waits for a running transaction. */
async function meanwhile(
  send: () => Promise<Answer>,
  {
    before,
    after,
  }: Partial<Record<'before' | 'after', (tx: Parameters<typeof adopt>[0]) => Promise<unknown>>>,
) {
  let waits: Promise<Answer> | undefined
  await transaction(sql, async (tx) => {
    await before?.(tx)
    waits = send()
    await untilWaiting(sql)
    await after?.(tx)
  })
  const { status, headers } = (await waits)!
  return [status, headers['x-error-code']]
}

test('rejects the deletion of an answer that is adopted concurrently (questions-10)', async () => {
  const [anna, ben] = [await person(), await person()]
  const question = await ask(anna)
  const id = await answer(ben, question)
  const deleted = await meanwhile(() => as(ben, 'DELETE', `/question-answers/${id}`), {
    before: (tx) => lockQuestion(tx, question),
    after: async (tx) => {
      await tx`set local lock_timeout = '200ms'`
      await adopt(tx, question, id, anna.id)
    },
  })
  assert.deepEqual(deleted, [422, 'answer_adopted'])
})

test('does not rank the author of an answer that becomes anonymous during its adoption (questions-24)', async () => {
  const [anna, ben] = [await rich(), await person()]
  const where = await topic()
  await addExpert(sql, where, ben.id)
  const question = await ask(anna, { topics: [where], amount: 40 })
  const id = await answer(ben, question)
  const adopted = await meanwhile(() => as(anna, 'PUT', `/questions/${question}/adoptions/${id}`), {
    before: (tx) => editAnswer(tx, id, ben.id, { anonymity: true }),
  })
  assert.deepEqual(adopted, [201, undefined])
  const [{ income }] = await sql<[{ income: number }]>`
    select income from question_people where user_id = ${ben.id}`
  assert.equal(income, 0)
})

test('returns 404 for a change of an answer that is deleted concurrently', async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await answer(ben, await ask(anna))
  const changed = await meanwhile(() => as(ben, 'PATCH', `/question-answers/${id}`, { body: 'Better' }), {
    before: (tx) => deleteAnswer(tx, id, { userId: ben.id, anybodys: false }),
  })
  assert.deepEqual(changed, [404, 'no_such_answer'])
})

test('rejects a change or answer of a question that is deleted concurrently', async () => {
  const anna = await person()
  for (const [method, below] of [
    ['PATCH', ''],
    ['POST', '/answers'],
  ] as const) {
    const id = await ask(anna)
    const refused = await meanwhile(() => as(anna, method, `/questions/${id}${below}`, { body: 'Better' }), {
      before: (tx) => deleteQuestion(tx, id, { userId: anna.id, anybodys: false }),
    })
    assert.deepEqual(refused, [404, 'no_such_question'])
  }
})

test('leaves no like of an answer when its question is deleted concurrently', async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const where = await topic()
  const question = await ask(anna, { topics: [where] })
  const id = await answer(ben, question)
  const { deleting, liking } = await sql.begin(async (tx) => {
    // Locks rows that the deletion of the question locks only after it deletes the likes.
    await tx`select from question_topic_counts where topic_id = ${where} for update`
    const deleting = as(anna, 'DELETE', `/questions/${question}`)
    await untilWaiting(sql)
    const liking = as(cleo, 'POST', `/question-answers/${id}/likes`)
    await Promise.race([liking, untilWaiting(sql, 2)])
    return { deleting, liking }
  })
  assert.deepEqual([(await deleting).status, (await liking).status], [204, 404])
  assert.deepEqual(
    [...(await sql`select from likes where likeable_type = 'question-answers' and likeable_id = ${id}`)],
    [],
  )
})

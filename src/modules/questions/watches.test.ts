import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { questionsOf } from '#test/fixtures/questions.ts'
import { untilWaiting } from '#test/waiting.ts'
import { type Answer, createWorld } from '#test/world.ts'
import { deleteQuestion } from './service.ts'

const world = await createWorld()
const { as, person, sql } = world
const { ask } = questionsOf(world)

test('returns 404 for a watch or unwatch when the question is deleted concurrently (questions-17)', async () => {
  const [anna, ben] = [await person(), await person()]
  for (const method of ['PUT', 'DELETE'] as const) {
    const id = await ask(anna)
    let asking: Promise<Answer> | undefined
    await transaction(sql, async (tx) => {
      await deleteQuestion(tx, id, { userId: anna.id, anybodys: false })
      asking = as(ben, method, `/user/question-watches/${id}`)
      await untilWaiting(sql)
    })
    assert.equal((await asking)?.status, 404, method)
  }
})

test("pages through a user's watched questions when other users watch them too", async () => {
  const [anna, ben, cleo] = [await person(), await person(), await person()]
  const [first, second] = [await ask(anna), await ask(anna)]
  for (const [who, id] of [
    [cleo, second],
    [ben, second],
    [ben, first],
    [cleo, first],
  ] as const)
    await as(who, 'PUT', `/user/question-watches/${id}`)
  const watched = async (query: string) =>
    (await as(ben, 'GET', `/user/question-watches${query}`)).body.map(({ id }: { id: number }) => id)
  assert.deepEqual(await watched(''), [first, second])
  assert.deepEqual(await watched(`?after=${first}`), [second])
  assert.deepEqual(await watched(`?after=${second}`), [])
})

test("unwatches a question for one user without changing another user's watch", async () => {
  const [anna, ben] = [await person(), await person()]
  const id = await ask(anna)
  for (const each of [id, await ask(anna)]) await as(ben, 'PUT', `/user/question-watches/${each}`)
  assert.equal((await as(ben, 'DELETE', `/user/question-watches/${id}`)).status, 204)
  const { watched, watchers_count } = (await as(anna, 'GET', `/questions/${id}`)).body
  assert.deepEqual([watched, watchers_count], [true, 1])
  assert.equal((await as(ben, 'GET', `/questions/${id}`)).body.watched, false)
})

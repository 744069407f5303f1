import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  PERIODS,
  periodStart,
  periodSumsRecount,
  rankByPeriodSums,
  updatePeriodSums,
} from '#contracts/period-sums.ts'
import { withEnabledUser } from '#modules/users/index.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createWorld } from '#test/world.ts'
import { answersGiven } from './ranks.ts'

const world = await createWorld()
const { as, sql } = world
const { rich, ask, answer } = questionsOf(world)

async function assertExact() {
  await updatePeriodSums(sql, answersGiven)
  for (const period of PERIODS) {
    const places = await rankByPeriodSums(sql, answersGiven, period, {
      enabled: withEnabledUser,
      limit: 1000,
    })
    const truth = await sql<{ user_id: number; count: number }[]>`
      select a.user_id, count(*)::bigint as count from answers a join users u on u.id = a.user_id and u.deleted_at is null
      where a.created_at >= ${periodStart(sql, period)} and not a.anonymity
      group by a.user_id order by count desc, a.user_id`
    assert.deepEqual(
      places.map(({ user_id, count }) => [period, user_id, count]),
      truth.map(({ user_id, count }) => [period, user_id, count]),
    )
  }
  assert.deepEqual(await periodSumsRecount(answersGiven).find(sql), [])
}

test('ranks users by answers that are neither deleted nor anonymous', async () => {
  const [ann, ben, cleo] = [await rich(), await rich(), await rich()]
  const [first, second] = [await ask(ann), await ask(ann)]
  await assertExact()
  const kept = await answer(ben, first)
  const changed = await answer(ben, second)
  const gone = await answer(cleo, first)
  await answer(cleo, second, { anonymity: 1 })
  await assertExact()
  for (const anonymity of [1, 0, 1]) {
    assert.ok((await as(ben, 'PATCH', `/question-answers/${changed}`, { anonymity })).status < 300)
    await assertExact()
  }
  assert.ok((await as(cleo, 'DELETE', `/question-answers/${gone}`)).status < 300)
  await assertExact()
  assert.ok((await as(ann, 'DELETE', `/questions/${second}`)).status < 300)
  await assertExact()
  const total = await sql<{ total: number }[]>`
    select total from period_sums where ranking = 'answers-given' and period = 'week'`
  assert.deepEqual(
    total.map((row) => row.total),
    [1],
  )
  assert.ok((await as(ben, 'DELETE', `/question-answers/${kept}`)).status < 300)
  await assertExact()
})

test('keeps period sums exact when new answers race with updates of the sums', async () => {
  const ann = await rich()
  const others = await Promise.all(Array.from({ length: 4 }, () => rich()))
  const questions = [await ask(ann), await ask(ann)]
  await Promise.all([
    ...others.flatMap((who) => questions.map((question) => answer(who, question))),
    ...Array.from({ length: 5 }, () => updatePeriodSums(sql, answersGiven)),
  ])
  await assertExact()
})

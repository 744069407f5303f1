import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { updateSettings } from '#test/settings.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, sql, ctx, person } = world
const founder = await person({ roles: ['founder', 'owner'] })

const points = async (who: Person) => (await as(who, 'GET', '/user')).body.currency.sum as number
const rich = async (amount = 1000) => {
  const made = await person()
  if (amount) await as(founder, 'POST', `/admin/users/${made.id}/points`, { amount, reason: 'test' })
  return made
}
const { publish: feedOf } = feedsOf(world)
const { ask, answer } = questionsOf(world)
const reward = (who: Person, feed: number, body: object, headers = {}) =>
  as(who, 'POST', `/feeds/${feed}/new-rewards`, body, headers)
const audit = async () => {
  const { body } = await as(founder, 'GET', '/admin/ledger/audit')
  assert.deepEqual([body.balanced, body.drift], [true, []])
}

test('pays a reward to the author of the content (money-16)', async () => {
  const anna = await rich(0)
  const ben = await rich()
  const cleo = await rich()
  const feed = await feedOf(anna)
  assert.deepEqual((await guest('GET', `/feeds/${feed}`)).body.reward, { count: 0, amount: null })
  assert.equal((await reward(ben, feed, { amount: 30 })).status, 201)
  assert.equal((await reward(cleo, feed, { amount: 50 })).status, 201)
  assert.equal((await reward(ben, feed, { amount: 20 })).status, 201)
  assert.deepEqual([await points(anna), await points(ben), await points(cleo)], [100, 950, 950])
  assert.equal((await reward(cleo, await feedOf(anna), { amount: 40 })).status, 201)
  assert.deepEqual((await guest('GET', `/feeds/${feed}`)).body.reward, { count: 3, amount: 100 })
  const amounts = async (query = '') =>
    (await guest('GET', `/feeds/${feed}/rewards${query}`)).body.map((r: { amount: number }) => r.amount)
  assert.deepEqual(await amounts(), [20, 50, 30])
  assert.deepEqual(await amounts('?order=asc'), [30, 50, 20])
  assert.deepEqual(await amounts('?order_type=amount'), [50, 30, 20])
  assert.deepEqual(await amounts('?order_type=amount&since=50'), [30, 20])
  assert.deepEqual(await amounts('?limit=1&offset=1'), [50])
  const [last] = (await guest('GET', `/feeds/${feed}/rewards`)).body
  assert.deepEqual(await amounts(`?since=${last.id}`), [50, 30])
  assert.equal(last.user.id, ben.id)
  const [, note] = (await as(anna, 'GET', '/user/notifications?type=system')).body.data
  assert.deepEqual([note.data.type, note.data.amount, note.data.sender.id], ['reward:feeds', 20, ben.id])
  await audit()
})

test('moves no points when a reward is invalid (money-15)', async () => {
  const anna = await rich(10)
  const ben = await rich(10)
  const feed = await feedOf(anna)
  assert.equal((await guest('POST', `/feeds/${feed}/new-rewards`, { amount: 1 })).status, 401)
  assert.equal((await reward(ben, 999999, {})).status, 404)
  assert.equal((await guest('GET', '/feeds/999999/rewards')).status, 404)
  for (const body of [{ amount: 5 }, {}]) assert.equal((await reward(anna, feed, body)).status, 422)
  for (const amount of [0, -1, 1.5, 'x', 10 ** 13])
    assert.equal((await reward(ben, feed, { amount })).status, 422)
  const poor = await reward(ben, feed, { amount: 11 })
  assert.deepEqual([poor.status, poor.headers['x-error-code']], [403, 'insufficient_balance'])
  await sql`insert into user_blocks (user_id, target_id) values (${anna.id}, ${ben.id})`
  for (const body of [{ amount: 5 }, {}]) assert.equal((await reward(ben, feed, body)).status, 403)
  assert.deepEqual([await points(anna), await points(ben)], [10, 10])
})

test('rejects a reward to a disabled author', async () => {
  const [anna, ben] = [await rich(0), await rich(10)]
  const feed = await feedOf(anna)
  await as(founder, 'PATCH', `/admin/users/${anna.id}`, { disabled: true })
  const answer = await reward(ben, feed, { amount: 5 })
  assert.deepEqual([answer.status, answer.headers['x-error-code']], [422, 'owner_gone'])
  assert.equal(await points(ben), 10)
})

test('rejects rewards while the site disables rewards (money-15)', async () => {
  const anna = await rich()
  const ben = await rich()
  const feed = await feedOf(anna)
  await updateSettings(ctx, sql, { 'feed:reward': false })
  assert.equal((await reward(ben, feed, { amount: 5 })).status, 403)
  await sql`delete from settings`
  await updateSettings(ctx, sql, { 'site:reward': false })
  assert.equal((await as(ben, 'POST', `/user/${anna.id}/new-rewards`, { amount: 5 })).status, 403)
  await sql`delete from settings`
  await updateSettings(ctx, sql, {})
})

test('rewards a user through the paths `rewards` and `new-rewards` (money-15)', async () => {
  const anna = await rich(0)
  const ben = await rich()
  for (const path of ['new-rewards', 'rewards']) {
    const give = (who: Person, body: object) => as(who, 'POST', `/user/${anna.id}/${path}`, body)
    assert.equal((await give(ben, { amount: 10 })).status, 201)
    assert.equal((await give(anna, { amount: 10 })).status, 422)
    assert.equal((await give(ben, {})).status, 422)
    assert.equal((await give(ben, { amount: 5000 })).status, 403)
    assert.equal((await as(ben, 'POST', `/user/999999/${path}`, { amount: 10 })).status, 404)
  }
  assert.deepEqual([await points(anna), await points(ben)], [20, 980])
  const notes = (await as(anna, 'GET', '/user/notifications?type=system')).body.data
  assert.deepEqual(
    notes.map(({ data }: { data: { type: string } }) => data.type),
    ['reward', 'reward'],
  )
  await audit()
})

test('rejects concurrent rewards that exceed the balance', async () => {
  const anna = await rich(0)
  const ben = await rich(100)
  const feed = await feedOf(anna)
  const answers = await Promise.all(Array.from({ length: 20 }, () => reward(ben, feed, { amount: 9 })))
  assert.equal(answers.filter(({ status }) => status === 201).length, 11)
  assert.equal(answers.filter(({ status }) => status === 403).length, 9)
  assert.equal(await points(ben), 1)
  const keyed = await Promise.all(
    Array.from({ length: 10 }, () => reward(ben, feed, { amount: 1 }, { 'idempotency-key': 'one' })),
  )
  assert.ok(keyed.every(({ status }) => status === 201 || status === 409))
  assert.deepEqual([await points(anna), await points(ben)], [100, 0])
  await audit()
})

test('requires the payment password when the site demands it (money-15)', async () => {
  const [anna, ben] = [await rich(0), await rich(10)]
  const feed = await feedOf(anna)
  await updateSettings(ctx, sql, { 'pay-validate-user-password': true })
  const refused = await reward(ben, feed, { amount: 5 })
  await sql`delete from settings`
  await updateSettings(ctx, sql, {})
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [403, 'password_not_set'])
  assert.equal(await points(ben), 10)
})

test('rejects a reward when the content is deleted concurrently', async () => {
  const [anna, ben] = [await rich(0), await rich(100)]
  const feed = await feedOf(anna)
  const reply = await answer(anna, await ask(anna))
  for (const [path, remove] of [
    [`/feeds/${feed}/new-rewards`, sql`update feeds set deleted_at = now() where id = ${feed}`],
    [`/question-answers/${reply}/rewarders`, sql`delete from answers where id = ${reply}`],
  ] as const) {
    const given = await transaction(sql, async (tx) => {
      await tx`${remove}`
      const asked = as(ben, 'POST', path, { amount: 5 })
      await Promise.race([untilWaiting(sql), asked])
      return { asked }
    })
    assert.equal((await given.asked).status, 404, path)
  }
  assert.equal(await points(ben), 100)
  await audit()
})

test('limits the amount of a reward and the length of the payment password (money-15)', async () => {
  const [anna, ben] = [await rich(0), await rich(10)]
  const feed = await feedOf(anna)
  const refused = async (body: object) => {
    const { status, body: answer } = await reward(ben, feed, body)
    return [status, ...Object.keys(answer.errors ?? {})]
  }
  assert.deepEqual(await refused({ amount: 1, password: 'x'.repeat(129) }), [422, 'password'])
  assert.equal((await reward(ben, feed, { amount: 1, password: 'x'.repeat(128) })).status, 201)
  assert.deepEqual(await refused({ amount: 10 ** 12 + 1 }), [422, 'amount'])
  const poor = await reward(ben, feed, { amount: 10 ** 12 })
  assert.deepEqual([poor.status, poor.headers['x-error-code']], [403, 'insufficient_balance'])
  assert.equal(await points(ben), 9)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { allTasks } from '../../worker.ts'

const world = await createWorld()
const { as, sql, ctx, person } = world
const { give, owns, rich } = await walletsOf(world)

test('replays the first response for a repeated idempotency key', async () => {
  const anna = await rich(1000)
  const ben = await person()
  const pay = (amount: number, key: string, user = ben.id, headers = {}) =>
    as(anna, 'POST', '/plus-pay/transfer', { user, amount }, { 'idempotency-key': key, ...headers })
  const first = await pay(10, 'k1')
  assert.equal(first.headers['idempotency-replayed'], undefined)
  const second = await pay(10, 'k1', ben.id, { 'accept-language': 'zh' })
  assert.deepEqual([second.status, second.body], [201, first.body])
  assert.equal(second.headers['idempotency-replayed'], 'true')
  const other = await pay(11, 'k1')
  assert.equal(other.status, 422)
  assert.equal(other.headers['x-error-code'], 'idempotency_key_reused')
  assert.equal((await pay(10, 'k2')).headers['idempotency-replayed'], undefined)
  assert.equal((await owns(anna)).wallet, 980)
  const theirs = await as(
    ben,
    'POST',
    '/plus-pay/transfer',
    { user: anna.id, amount: 10 },
    { 'idempotency-key': 'k1' },
  )
  assert.deepEqual([theirs.status, theirs.headers['idempotency-replayed']], [201, undefined])
  const elsewhere = await as(
    anna,
    'POST',
    '/plus-pay/transform',
    { amount: 100 },
    { 'idempotency-key': 'k1' },
  )
  assert.deepEqual([elsewhere.status, elsewhere.headers['idempotency-replayed']], [201, undefined])
  for (const key of ['', 'x'.repeat(256), 'a\u0007b', 'a\u0085b'])
    assert.equal((await pay(1, key)).status, 422, JSON.stringify(key))
  const bytes = Buffer.from('ключ').toString('latin1')
  for (const key of [bytes, 'clé']) assert.equal((await pay(1, key)).status, 201, key)
  assert.equal((await pay(1, bytes)).headers['idempotency-replayed'], 'true')
})

test('replays the first response when a request is retried at an alias path (conventions-28)', async () => {
  const [anna, ben] = [await rich(1000), await person()]
  await give(anna, 'points', 1000)
  const groups = groupMaker(world)
  const groupId = await groups.group(ben)
  await groups.join(groupId, ben, anna)
  const postId = await groups.post(ben, groupId)
  const questionId = await questionsOf(world).ask(anna)
  for (const [paths, body] of [
    [[`/user/${ben.id}/new-rewards`, `/user/${ben.id}/rewards`], { amount: 5 }],
    [
      [
        `/plus-group/group-posts/${postId}/rewards`,
        `/group-posts/${postId}/new-rewards`,
        `/plus-group/group-posts/${postId}/new-rewards`,
        `/group-posts/${postId}/rewards`,
      ],
      { amount: 5 },
    ],
    [['/wallet/cashes', '/plus-pay/cashes'], { value: 100, type: 'alipay', account: 'anna' }],
    [
      [`/currency-questions/${questionId}/answers`, `/questions/${questionId}/answers`],
      { body: 'This one', anonymity: 0 },
    ],
  ] as const) {
    const [first, ...others] = paths
    const key = { 'idempotency-key': `path ${first}` }
    const paid = await as(anna, 'POST', first, body, key)
    assert.deepEqual(
      [paid.status, paid.headers['idempotency-replayed']],
      [201, undefined],
      JSON.stringify(paid),
    )
    for (const path of others) {
      const again = await as(anna, 'POST', path, body, key)
      assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true'], path)
      assert.deepEqual(again.body, paid.body)
    }
  }
})

test('replays a 422 for the same idempotency key and body (conventions-28)', async () => {
  const anna = await rich(5)
  const ben = await person()
  const pay = (key: string, amount: unknown, user = ben.id) =>
    as(anna, 'POST', '/plus-pay/transfer', { user, amount }, { 'idempotency-key': key })
  for (const [key, amount] of [
    ['poor', 10],
    ['invalid', 'many'],
  ] as const) {
    const first = await pay(key, amount)
    assert.deepEqual([first.status, first.headers['idempotency-replayed']], [422, undefined], key)
    await give(anna, 'wallet', 20)
    const second = await pay(key, amount)
    assert.deepEqual([second.status, second.body], [422, first.body])
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(second.headers['x-error-code'], first.headers['x-error-code'])
    const other = await pay(key, 3)
    assert.deepEqual([other.status, other.headers['x-error-code']], [422, 'idempotency_key_reused'])
    await sql`update idempotency_keys set created_at = now() - interval '25 hours', cleanup = cleanup - 25 where key = ${key}`
    assert.equal((await pay(key, 1)).status, 201)
  }
  assert.equal((await owns(anna)).wallet, 43)
})

test('replays a payment whose reply looks old because the clock of the database was wrong (conventions-28)', async () => {
  const [anna, ben] = [await rich(5), await person()]
  const headers = { 'idempotency-key': 'clock' }
  const pay = () => as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 2 }, headers)
  assert.equal((await pay()).status, 201)
  await sql`update idempotency_keys set created_at = now() - interval '2 days' where key = 'clock'`
  for (const isCleaned of [false, true]) {
    if (isCleaned) await allTasks(ctx).delete_old_idempotency_keys?.({}, {} as never)
    assert.equal((await pay()).headers['idempotency-replayed'], 'true')
  }
  assert.equal((await owns(anna)).wallet, 3)
})

test('stores no 403 under an idempotency key, so that a retry can succeed', async () => {
  const [anna, ben] = [await rich(5), await person()]
  const pay = () =>
    as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 2 }, { 'idempotency-key': 'later' })
  assert.equal((await as(ben, 'POST', `/user/black/${anna.id}`)).status, 201)
  assert.equal((await pay()).status, 403)
  assert.equal((await as(ben, 'DELETE', `/user/black/${anna.id}`)).status, 204)
  assert.equal((await pay()).status, 201)
  assert.equal((await pay()).headers['idempotency-replayed'], 'true')
  assert.equal((await owns(anna)).wallet, 3)
})

test('moves money once when concurrent requests share one idempotency key', async () => {
  const anna = await rich(1000)
  const ben = await person()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 7 }, { 'idempotency-key': 'race' }),
    ),
  )
  const fresh = answers.filter((a) => a.status === 201 && a.headers['idempotency-replayed'] === undefined)
  assert.equal(fresh.length, 1)
  for (const { status } of answers) assert.ok(status === 201 || status === 409, String(status))
  assert.equal((await owns(anna)).wallet, 993)
})

test('returns 409 while a request with the same idempotency key is in progress', async () => {
  const anna = await rich(100)
  const ben = await person()
  const pay = () =>
    as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 1 }, { 'idempotency-key': 'slow' })
  let running: Promise<{ status: number }> | undefined
  await sql.begin(async (tx) => {
    await tx`select from ledger_accounts where owner_id = ${anna.id} for update`
    running = pay()
    await untilWaiting(sql)
    const answer = await pay()
    assert.equal(answer.status, 409)
    assert.equal(answer.headers['x-error-code'], 'idempotency_key_running')
  })
  assert.equal((await running)?.status, 201)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours', cleanup = cleanup - 25 where key = 'slow'`
  assert.equal((await pay()).headers['idempotency-replayed'], undefined)
  assert.equal((await owns(anna)).wallet, 98)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours', cleanup = cleanup - 25 where key = 'slow'`
  await allTasks(ctx).delete_old_idempotency_keys?.({}, {} as never)
  assert.equal((await sql`select from idempotency_keys where key = 'slow'`).length, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walletsOf } from '#test/fixtures/wallets.ts'
import { untilWaiting } from '#test/waiting.ts'
import { createWorld } from '#test/world.ts'
import { tasksOn } from '../../worker.ts'

const world = await createWorld()
const { as, sql, ctx, person } = world
const { give, owns, rich } = await walletsOf(world)

test('the same Idempotency-Key, path and body answer the first answer again and move nothing', async () => {
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
  // The key of somebody else, and of another path, is another key.
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

test('a failure is not kept under its key: it may succeed later', async () => {
  const anna = await rich(5)
  const ben = await person()
  const pay = () =>
    as(anna, 'POST', '/plus-pay/transfer', { user: ben.id, amount: 10 }, { 'idempotency-key': 'later' })
  assert.equal((await pay()).status, 422)
  await give(anna, 'wallet', 20)
  assert.equal((await pay()).status, 201)
  assert.equal((await pay()).headers['idempotency-replayed'], 'true')
  assert.equal((await owns(anna)).wallet, 15)
})

test('racing requests with one key move money once: the others replay or are told to wait', async () => {
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

test('a key is 409 while its first request runs, and forgotten after 24 hours', async () => {
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
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'slow'`
  assert.equal((await pay()).headers['idempotency-replayed'], undefined)
  assert.equal((await owns(anna)).wallet, 98)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'slow'`
  await tasksOn(ctx).delete_old_idempotency_keys?.({}, {} as never)
  assert.equal((await sql`select from idempotency_keys where key = 'slow'`).length, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { createWorld } from '#test/world.ts'
import { rankMoney } from './module.ts'

const { as, guest, person, sql, ctx } = await createWorld()

const grant = (to: number, amount: number) =>
  moveFunds(sql, {
    currency: 'wallet',
    from: PLATFORM_ACCOUNTS.issuance,
    to,
    amount,
    kind: 'adjustment',
    subject: { type: 'tests', id: 1 },
  })

test('ranks users by followers, older accounts first in a tie (feeds-28)', async () => {
  const [ann, bob, cid, fan, other] = [
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
  ]
  for (const whom of [ann, bob, cid]) await as(fan, 'PUT', `/user/followings/${whom.id}`)
  await as(other, 'PUT', `/user/followings/${cid.id}`)
  const places = async (query: string) => {
    const answer = await guest('GET', `/ranks/followers?${query}`)
    assert.equal(answer.status, 200)
    return answer.body.map(({ id, extra }: { id: number; extra: { rank: number; count: number } }) => [
      id,
      extra.rank,
      extra.count,
    ])
  }
  assert.deepEqual(await places('limit=3'), [
    [cid.id, 1, 2],
    [ann.id, 2, 1],
    [bob.id, 3, 1],
  ])
  assert.deepEqual(await places('limit=1&offset=2'), [[bob.id, 3, 1]])
  assert.equal((await as(fan, 'GET', '/ranks/followers?limit=1')).body[0].follower, true)
  assert.equal((await guest('GET', '/ranks/followers?limit=0')).status, 422)
})

test('returns ten ranked users by default (feeds-27)', async () => {
  await Promise.all(Array.from({ length: 12 }, () => person()))
  assert.equal((await guest('GET', '/ranks/followers')).body.length, 10)
})

test('ranks users by balance and by income (feeds-28)', async () => {
  const [ann, bob, cid, poor] = [await person(), await person(), await person(), await person()]
  for (const [who, amount] of [
    [ann, 500],
    [bob, 700],
    [cid, 500],
  ] as const)
    await grant(who.id, amount)
  await as(bob, 'POST', '/plus-pay/transfer', { user: ann.id, amount: 50 })
  await as(bob, 'POST', '/plus-pay/transfer', { user: cid.id, amount: 50 })
  await as(ann, 'POST', '/plus-pay/transfer', { user: cid.id, amount: 50 })
  // Disabled users with the highest balance and income must not appear.
  const disabled = [await person(), await person()]
  for (const { id } of disabled) await grant(id, 9000)
  const between = await as(disabled[0]!, 'POST', '/plus-pay/transfer', {
    user: disabled[1]!.id,
    amount: 8000,
  })
  assert.equal(between.status, 201)
  await sql`update users set deleted_at = now() where id = any(${disabled.map(({ id }) => id)})`
  type Ranked = { id: number; follower: boolean; extra: { rank: number; count?: number } }
  const places = async (path: string) => {
    const answer = await as(poor, 'GET', path)
    assert.equal(answer.status, 200)
    return answer.body.map(({ id, extra }: Ranked) => [id, extra.rank, extra.count])
  }
  assert.deepEqual(await places('/ranks/balance'), [
    [bob.id, 1, undefined],
    [cid.id, 2, undefined],
    [ann.id, 3, undefined],
  ])
  assert.deepEqual(await places('/ranks/income'), [
    [cid.id, 1, 100],
    [ann.id, 2, 50],
  ])
  assert.deepEqual(await places('/ranks/income?limit=1&offset=1'), [[ann.id, 2, 50]])
  assert.equal((await guest('GET', '/ranks/balance')).body.length, 3)
  for (const name of ['balance', 'income'])
    assert.equal((await guest('GET', `/ranks/${name}?limit=0`)).status, 422)
})

test('recomputes a ranking on the next request after a failed computation', async () => {
  const asked: string[] = []
  const failing = (() => ({
    execute: () => {
      asked.push('balance')
      return asked.length === 1 ? Promise.reject(new Error('away')) : Promise.resolve([])
    },
  })) as unknown as typeof sql
  const world = { ...ctx, sql: failing, state: new Map() }
  await assert.rejects(rankMoney(world, 'balance'), /away/)
  assert.deepEqual(await rankMoney(world, 'balance'), [])
  assert.equal(asked.length, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'
import { findBalance, moveFunds } from './movements.ts'
import { PLATFORM_ACCOUNTS } from './schema.ts'

const { sql, person } = await createWorld()
const subject = { type: 'tests', id: 1 }
const grant = (to: number, amount: number) =>
  moveFunds(sql, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.issuance,
    to,
    amount,
    kind: 'adjustment',
    subject,
  })
const give = (from: number, to: number, amount: number) =>
  transaction(sql, (tx) => moveFunds(tx, { currency: 'points', from, to, amount, kind: 'transfer', subject }))

test('writes a debit posting and a credit posting for each movement', async () => {
  const anna = await person()
  const ben = await person()
  await grant(anna.id, 100)
  const posted = await give(anna.id, ben.id, 30)
  assert.deepEqual(
    posted.map(({ owner_id, amount, balance_after }) => ({ owner_id, amount, balance_after })),
    [
      { owner_id: anna.id, amount: -30, balance_after: 70 },
      { owner_id: ben.id, amount: 30, balance_after: 30 },
    ],
  )
  assert.equal(await findBalance(sql, anna.id, 'points'), 70)
  assert.equal(await findBalance(sql, ben.id, 'wallet'), 0)
})

test("rejects a payment above the payer's balance (money-2)", async () => {
  const anna = await person()
  const ben = await person()
  await assert.rejects(give(anna.id, ben.id, 1), { code: 'insufficient_balance' })
  await assert.rejects(give(ben.id, anna.id, 1), { code: 'insufficient_balance' })
  await grant(anna.id, 5)
  await assert.rejects(give(anna.id, ben.id, 6), { code: 'insufficient_balance' })
  assert.equal(await findBalance(sql, ben.id, 'points'), 0)
  const postings = await sql`select from ledger_postings where owner_id = ${ben.id}`
  assert.equal(postings.length, 0)
})

test('writes the movements of one call as one transaction of the ledger', async () => {
  const anna = await person()
  await moveFunds(sql, [
    {
      currency: 'wallet',
      from: PLATFORM_ACCOUNTS.issuance,
      to: anna.id,
      amount: 50,
      kind: 'recharge',
      subject,
    },
    {
      currency: 'wallet',
      from: anna.id,
      to: PLATFORM_ACCOUNTS.issuance,
      amount: 20,
      kind: 'transform',
      subject,
    },
    {
      currency: 'points',
      from: PLATFORM_ACCOUNTS.issuance,
      to: anna.id,
      amount: 200,
      kind: 'transform',
      subject,
    },
  ])
  const rows = await sql`
    select currency, amount, balance_after, transaction_id from ledger_postings where owner_id = ${anna.id} order by id`
  assert.deepEqual(
    rows.map((row) => [row.currency, row.amount, row.balance_after]),
    [
      ['wallet', 50, 50],
      ['wallet', -20, 30],
      ['points', 200, 200],
    ],
  )
  assert.equal(new Set(rows.map((row) => row.transaction_id)).size, 1)
})

test('completes concurrent opposite transfers without a deadlock', async () => {
  const anna = await person()
  const ben = await person()
  await grant(anna.id, 1000)
  await grant(ben.id, 1000)
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 ? give(anna.id, ben.id, 7) : give(ben.id, anna.id, 5))),
  )
  assert.equal(await findBalance(sql, anna.id, 'points'), 1000 - 30 * 7 + 30 * 5)
  assert.equal(await findBalance(sql, ben.id, 'points'), 1000 + 30 * 7 - 30 * 5)
})

test('never overdraws a balance under concurrent payments', async () => {
  const anna = await person()
  const ben = await person()
  const cleo = await person()
  await grant(anna.id, 100)
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => give(anna.id, n % 2 ? ben.id : cleo.id, 9)),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 11)
  assert.equal(await findBalance(sql, anna.id, 'points'), 1)
})

test('rejects changes of existing postings and a posting without its counterpart', async () => {
  const anna = await person()
  await grant(anna.id, 1)
  await assert.rejects(
    sql`update ledger_postings set amount = 2 where owner_id = ${anna.id}`,
    /never changed/,
  )
  await assert.rejects(sql`delete from ledger_postings where owner_id = ${anna.id}`, /never changed/)
  await assert.rejects(sql`truncate ledger_postings`, /never changed/)
  await assert.rejects(
    sql`insert into ledger_postings (owner_id, currency, transaction_id, amount, counterpart, kind, subject_type, subject_id)
      values (-1, 'points', 1, 5, -2, 'pin', 'tests', 1)`,
    { constraint: 'ledger_postings_balanced' },
  )
})

test('rejects a movement with an invalid amount, or with the same payer and recipient', async () => {
  const anna = await person()
  await assert.rejects(give(anna.id, anna.id, 1), RangeError)
  for (const amount of [0, -1, 1.5, 1e13, Number.NaN])
    await assert.rejects(give(anna.id, anna.id + 1, amount), RangeError)
})

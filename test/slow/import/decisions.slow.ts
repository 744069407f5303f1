import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accept, bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { acceptMove, closeMove } from '../../../importers/thinksns/import.ts'

describe('lists decisions about unknown values', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  let maria: MariaDb
  let source: ThinkSns
  let bring: ReturnType<typeof bringerOf>
  const GROUPS = 'groups.mode: unknown access: made private'

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'decisions')
    await source.add('users', { id: 1, name: 'person1', email: 'one@example.org' })
    await source.add('users', { id: 2, name: 'person2', email: ' one@example.org', phone: '13800000002' })
    await source.add('users', { id: 3, name: 'three@example.org', email: 'three@example.org' })
    await source.add('group_categories', { id: 1, name: 'kind', status: 1 })
    await group(1, 'odd')
    await group(2, 'public')
    bring = bringerOf(world, { database: source.address })
  })
  after(() => maria?.stop())

  const group = (id: number, mode: string) =>
    source.add('groups', { id, name: `group ${id}`, user_id: 1, category_id: 1, audit: 1, mode })

  test('counts the rows of each decision, with examples and advice', async () => {
    const { decisions, printed } = await bring()
    const found = decisions.find(({ id }) => id === GROUPS)
    assert.equal(found?.rows, 1)
    assert.deepEqual(found?.examples, [{ row: '1', old: 'odd', new: 'private' }])
    assert.match(found?.advice ?? '', /only members/)
    assert.deepEqual(
      decisions.map(({ id }) => id),
      [
        GROUPS,
        'users.email: another user has the same email: left empty',
        'users.name: name looks like an id, phone or e-mail: prefixed with an underscore',
      ],
    )
    assert.ok(printed.includes(`  ${GROUPS}: 1 rows, such as 1`))
  })

  test('rejects the end of the import until each decision is confirmed', async () => {
    await assert.rejects(closeMove(world.ctx), /^Error: 3 decisions are not confirmed, such as "groups.mode/)
    const { decisions } = await bring()
    const [first, ...others] = decisions
    assert.deepEqual(await accept(world, [first ?? {}]), [
      '1 of 3 decisions are confirmed.',
      ...others.map(({ id }) => `not confirmed: ${id} (1 rows)`),
    ])
    await assert.rejects(closeMove(world.ctx), /2 decisions are not confirmed/)
    assert.deepEqual(await accept(world, others), ['3 of 3 decisions are confirmed.'])
  })

  test('asks again when a later run decides about other rows, unless any rows are confirmed', async () => {
    await group(3, 'strange')
    const { decisions } = await bring()
    await assert.rejects(closeMove(world.ctx), /1 decisions are not confirmed, such as "groups.mode/)
    const any = decisions.map((decision) => ({ ...decision, rows: 'any' }))
    assert.deepEqual(await accept(world, any), ['3 of 3 decisions are confirmed.'])
    await group(4, 'stranger')
    const { printed } = await bring()
    assert.ok(printed.includes('3 of 3 decisions are confirmed already.'))
    assert.ok(!printed.some((line) => line.includes(GROUPS)))
    assert.equal(await closeMove(world.ctx, { unverified: true }), 0)
  })

  test('rejects a file that is no report', async () => {
    await assert.rejects(acceptMove(world.ctx, import.meta.filename), /line 1 of .* is not JSON/)
  })
})

describe('makes decisions of amounts and states that Kith does not have', { skip: skipMariaDb }, async () => {
  const world = await createWorld()
  let maria: MariaDb

  before(async () => {
    maria = await startMariaDb()
  })
  after(() => maria?.stop())

  test('skips balances above the greatest exact number, and names replaced states of reports', async () => {
    const source = await createThinkSns(maria, 'beyond')
    for (const id of [1, 2])
      await source.add('users', { id, name: `person${id}`, email: `${id}@example.org` })
    await source.add('wallet', { owner_id: 1, balance: '9007199254740993' })
    await source.add('wallet', { owner_id: 2, balance: '9007199254740991' })
    const amount = '18446744073709551615'
    await source.add('news_pinneds', { id: 1, channel: 'news', target: 1, user_id: 1, amount, day: 1 })
    const report = { user_id: 1, target_user: 2, reportable_type: 'users', reportable_id: 2, reason: 'why' }
    await source.add('reports', { id: 1, ...report, status: 9 })
    const { decisions } = await bringerOf(world, { database: source.address })()
    assert.deepEqual(
      decisions.map(({ id }) => id),
      [
        'news_pinneds.amount: amount above 9,007,199,254,740,991',
        'reports.status: value not supported: replaced',
        'wallet.balance: amount above 9,007,199,254,740,991',
      ],
    )
    const balances = await world.ctx.sql<{ owner_id: number; balance: number }[]>`
      select owner_id, balance from ledger_accounts where owner_id > 0 and balance > 0`
    assert.deepEqual([...balances], [{ owner_id: 2, balance: 9007199254740991 }])
    const reports = await world.ctx.sql<{ status: number }[]>`select status from reports`
    assert.deepEqual([...reports], [{ status: 0 }])
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { auditLedger } from '#modules/ledger/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { bringerOf, faultsOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { addOldMoney, clock } from '#test/fixtures/old-money.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld, type World } from '#test/world.ts'
import { verify } from '../../../importers/thinksns/verify/verify.ts'
import { SITE } from '../../../src/site.ts'

describe('imports balances and payments', { skip: skipMariaDb }, async () => {
  let maria: MariaDb
  let source: ThinkSns
  const kept = await createWorld()
  const given = await createWorld()
  const owned = async ({ sql }: World, currency: 'points' | 'wallet') =>
    Object.fromEntries(
      (
        await sql<{ owner_id: number; balance: number }[]>`
          select owner_id, balance from ledger_accounts where currency = ${currency} and balance > 0 order by owner_id`
      ).map(({ owner_id, balance }) => [owner_id, balance]),
    )
  const audit = ({ sql }: World) => auditLedger(sql, SITE.paymentChecks)

  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'money')
    await addOldMoney(source)
  })
  after(() => maria?.stop())

  test('imports exact balances', async () => {
    const done = await bringerOf(kept, { database: source.address, oldWallets: true })()
    assert.deepEqual(await owned(kept, 'points'), { 1: 1000 + 11 + 21, 2: 70 })
    assert.deepEqual(await owned(kept, 'wallet'), { 1: 5000, 2: 400 })
    const { balanced, drift, totals } = await audit(kept)
    assert.deepEqual(drift, [])
    assert.ok(balanced)
    // The source has six pending payments for pins, a bounty, a request, a contribution and a withdrawal.
    assert.equal(totals.points.escrow, 10 + 16 + 30 + 20 + 50 + 200)
    assert.equal(totals.wallet.escrow, 900)
    assert.deepEqual(await faultsOf(kept), [])
    assert.match(done.reasons('currencies', '3/1').join(), /negative balance/)
    const sums = done.printed.find((line) => line.startsWith('points '))
    assert.match(sums ?? '', /^points +\S+ +\S+ +1,070 +32 +1,102 +326$/)
    assert.equal(done.code, 0)
    assert.equal(done.of('wallets')?.imported, 1)
    assert.equal(done.of('wallets')?.merged, 2)
  })

  test('accounts for the money of each person, with what was skipped and why', async () => {
    const done = await bringerOf(kept, { database: source.address, oldWallets: true })()
    const of = (person: number, currency: string) =>
      done.statements.find((each) => each.person === person && each.currency === currency)
    assert.deepEqual(of(2, 'wallet'), {
      person: 2,
      currency: 'wallet',
      opening: [
        { source: 'wallet', amount: 0 },
        { source: 'wallets', amount: 400 },
      ],
      escrow: 0,
      refunded: 0,
      skipped: [],
      balance: 400,
    })
    assert.deepEqual(of(1, 'wallet')?.skipped, [
      { source: 'wallets', amount: 9999, reason: 'superseded by the current wallet of the user' },
    ])
    assert.deepEqual(of(1, 'wallet')?.escrow, 900)
    assert.deepEqual(of(3, 'points')?.skipped, [
      { source: 'currencies', amount: -5, reason: 'negative balance of points: set to zero' },
    ])
    assert.equal(of(99, 'points')?.skipped[0]?.amount, 8)
  })

  test('books each imported balance as one opening entry in the ledger', async () => {
    const rows = await kept.sql<{ owner_id: number; currency: string; kinds: string[] }[]>`
      select owner_id, currency, array_agg(kind order by id) as kinds from ledger_postings where owner_id > 0
      group by 1, 2 order by 1, 2`
    for (const { kinds } of rows) assert.equal(kinds.filter((kind) => kind === 'opening').length, 1)
    assert.deepEqual(
      rows.map(({ owner_id, currency }) => `${owner_id} ${currency}`),
      ['1 points', '1 wallet', '2 points', '2 wallet'],
    )
  })

  test('imports each order with the numbers of its payment, as members and administrators see it (money-27)', async () => {
    const { access_token: token } = await issueToken(kept.sql, 1)
    const { body } = await kept.as({ id: 1, name: '', token }, 'GET', '/wallet/earlier-orders?limit=50')
    type Seen = { title: string; type: number; amount: number; refunded: boolean } & Record<string, string>
    assert.deepEqual(
      body
        .map(({ title, type, amount, refunded, number, provider_number }: Seen) =>
          [title, type * amount, refunded, number, provider_number].join(' '),
        )
        .sort(),
      ['refund 5 true  ', 's 5 false charge 1 transaction 1', 's 7 false n trade 1'],
    )
    const found =
      await kept.sql`select provider, source from earlier_orders where provider_number = 'trade 1'`
    assert.deepEqual({ ...found[0] }, { provider: 'AlipayOrder', source: 'native_pay_orders' })
  })

  test('derives the state of an imported pin', async () => {
    const pins = await kept.sql<
      { amount: number; state: string; channel: string; thing_id: number; target_id: number }[]
    >`
      select amount, state, channel, thing_id, target_id from pins order by amount`
    assert.deepEqual(
      pins.map(({ amount, state }) => [amount, state]),
      [
        [10, 'pending'],
        [11, 'cancelled'],
        [12, 'active'],
        [13, 'rejected'],
        [14, 'expired'],
        [15, 'cancelled'],
        [16, 'pending'],
        [17, 'cancelled'],
      ],
    )
    // News pins store the comment in a different column of the source than other pins.
    assert.deepEqual(
      { ...pins[6] },
      { amount: 16, state: 'pending', channel: 'news:comment', thing_id: 1, target_id: 6 },
    )
  })

  test('imports the 2.x price of a feed that also has a 1.x price', async () => {
    const nodes = await kept.sql`select id, amount, free from paid_nodes order by id`
    assert.deepEqual(
      [...nodes],
      [
        { id: 2, amount: 61, free: false },
        { id: 3, amount: 62, free: true },
      ],
    )
    assert.deepEqual(
      [...(await kept.sql`select user_id, node_id from purchases order by user_id`)],
      [
        { user_id: 2, node_id: 2 },
        { user_id: 3, node_id: 2 },
      ],
    )
    const read = async (id: number) => {
      const { access_token } = await issueToken(kept.sql, id)
      const { body } = await kept.as({ id, name: '', token: access_token }, 'GET', '/feeds/2')
      return String(body.feed_content).includes('hidden')
    }
    assert.equal(await read(3), true)
    assert.equal(await read(4), false)
    const [search] = await kept.sql`select content_key from feed_search where feed_id = 2`
    assert.ok(!search?.content_key.includes('hidden'))
  })

  test('refunds a rejected withdrawal that was pending in the source', async () => {
    const [withdrawal] = await kept.sql<
      { id: number }[]
    >`select id from withdrawals where state = 'pending' and currency = 'wallet'`
    const founder = await kept.person({ roles: ['founder', 'owner'] })
    const answer = await kept.as(founder, 'PATCH', `/admin/withdrawals/${withdrawal?.id}`, {
      action: 'reject',
      remark: 'no',
    })
    assert.ok([200, 204].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`)
    assert.equal((await owned(kept, 'wallet'))[1], 5900)
    assert.ok((await audit(kept)).balanced)
  })

  test('refunds all pending amounts with --waiting=refund', async () => {
    await bringerOf(given, { database: source.address, waiting: 'refund' })()
    assert.deepEqual(await owned(given, 'points'), {
      1: 1000 + 10 + 11 + 30 + 20 + 21,
      2: 70 + 16 + 50 + 200,
    })
    assert.deepEqual(await owned(given, 'wallet'), { 1: 5900 })
    const { balanced, totals } = await audit(given)
    assert.ok(balanced)
    assert.equal(totals.points.escrow, 0)
    assert.equal((await given.sql`select from pins where state = 'pending'`).count, 0)
    assert.deepEqual(await faultsOf(given), [])
  })

  test('refunds pending payments of a source without points into the wallet', async () => {
    const old = await createThinkSns(maria, 'fen')
    await addOldMoney(old)
    for (const table of ['currencies', 'currency_orders']) await old.run(`drop table ${table}`)
    const world = await createWorld()
    const bring = bringerOf(world, { database: old.address })
    for (const { code, printed } of [await bring(), await bring({ again: true })]) {
      assert.equal(code, 0)
      assert.ok(printed.some((line) => line.startsWith('The old site has no points')))
      assert.deepEqual(await owned(world, 'points'), {})
      assert.deepEqual(await owned(world, 'wallet'), { 1: 5900 + 10 + 11 + 30 + 20 + 21, 2: 16 + 50 })
      const { balanced, totals } = await audit(world)
      assert.ok(balanced)
      assert.equal(totals.points.escrow, 0)
      assert.deepEqual(await faultsOf(world), [])
    }
  })

  test('returns a payment once whose row the source removed, and keeps it nowhere', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await source.add('feed_pinneds', { id: 50, channel: 'feed', target: 2, user_id: 2, amount: 21, day: 2 })
    await bring()
    const before = await owned(later, 'points')
    const escrow = (await audit(later)).totals.points.escrow
    // The original deletes the row of a refused pin and returns the points.
    await source.run('delete from feed_pinneds where id = 50')
    await source.run('update currencies set `sum` = `sum` + 21 where owner_id = 2')
    await bring()
    assert.deepEqual(await owned(later, 'points'), { ...before, 2: (before[2] ?? 0) + 21 })
    const { balanced, totals } = await audit(later)
    assert.ok(balanced)
    assert.equal(totals.points.escrow, escrow - 21)
    assert.equal((await later.sql`select from pins where amount = 21`).count, 0)
    assert.deepEqual(await faultsOf(later), [])
    await source.run('update currencies set `sum` = `sum` - 21 where owner_id = 2')
  })

  for (const waiting of ['keep', 'refund'] as const)
    test(`returns a withdrawal and a pin once that the source ended between runs with --waiting ${waiting}`, async () => {
      const later = await createWorld()
      const bring = bringerOf(later, { database: source.address, waiting })
      const money = async () => ({
        points: await owned(later, 'points'),
        wallet: await owned(later, 'wallet'),
      })
      await source.add('feed_pinneds', { id: 52, channel: 'feed', target: 2, user_id: 2, amount: 24, day: 2 })
      await bring()
      const before = await money()
      const { totals: held } = await audit(later)
      // The original soft-deletes the row of a withdrawal, and deletes that of a pin.
      await source.run("update wallet_cashes set deleted_at = '2024-01-01' where value = 900")
      await source.run('update wallet set balance = balance + 900 where owner_id = 1')
      await source.run('delete from feed_pinneds where id = 52')
      await source.run('update currencies set `sum` = `sum` + 24 where owner_id = 2 and type = 1')
      const isHeld = waiting === 'keep'
      for (const _ of [1, 2]) {
        await bring()
        assert.deepEqual(await money(), {
          points: { ...before.points, 2: (before.points[2] ?? 0) + (isHeld ? 24 : 0) },
          wallet: { ...before.wallet, 1: (before.wallet[1] ?? 0) + (isHeld ? 900 : 0) },
        })
        const { balanced, totals } = await audit(later)
        assert.ok(balanced)
        assert.deepEqual(
          [held.points.escrow - totals.points.escrow, held.wallet.escrow - totals.wallet.escrow],
          isHeld ? [24, 900] : [0, 0],
        )
        assert.equal((await later.sql`select from withdrawals where amount = 900`).count, 0)
        assert.equal((await later.sql`select from pins where amount = 24`).count, 0)
        assert.deepEqual(await faultsOf(later), [])
      }
      await source.run('update wallet_cashes set deleted_at = null where value = 900')
      await source.run('update wallet set balance = balance - 900 where owner_id = 1')
      await source.run('update currencies set `sum` = `sum` - 24 where owner_id = 2 and type = 1')
    })

  test('holds a payment of the user who pays it in the source by now', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await source.add('feed_pinneds', { id: 51, channel: 'feed', target: 2, user_id: 2, amount: 23, day: 2 })
    await bring()
    const before = await owned(later, 'points')
    const { escrow } = (await audit(later)).totals.points
    for (const [user, amount] of [
      [1, 23],
      [2, 25],
    ] as const) {
      await source.run(`update feed_pinneds set user_id = ${user}, amount = ${amount} where id = 51`)
      await bring()
      assert.deepEqual(await owned(later, 'points'), before)
      assert.equal((await audit(later)).totals.points.escrow, escrow + amount - 23)
      assert.deepEqual(await faultsOf(later), [])
    }
    await source.run('delete from feed_pinneds where id = 51')
  })

  test('books one of several balances of a user, and reports the others as decisions', async () => {
    const later = await createWorld()
    const double = await createThinkSns(maria, 'double')
    await addOldMoney(double)
    const clean = await createWorld()
    await bringerOf(clean, { database: double.address, oldWallets: true })()
    const before = { points: await owned(clean, 'points'), wallet: await owned(clean, 'wallet') }
    for (const table of ['currencies', 'wallet']) await double.run(`alter table ${table} drop primary key`)
    await double.add('currencies', { owner_id: 1, type: 1, sum: 1500 }, { owner_id: 2, type: 1, sum: 70 })
    await double.add('wallet', { owner_id: 1, balance: 6000 })
    await double.add('wallets', { user_id: 2, balance: 100 }, { user_id: 2, balance: 0 })
    const bring = bringerOf(later, { database: double.address, oldWallets: true })
    for (const { decisions, statements, code } of [await bring(), await bring()]) {
      assert.equal(code, 0)
      assert.deepEqual({ points: await owned(later, 'points'), wallet: await owned(later, 'wallet') }, before)
      const second = decisions.filter(({ id }) => id.endsWith(': second balance of the same user'))
      assert.deepEqual(
        second.map(({ id, rows, examples }) => [id.split(':')[0], rows, examples.map(({ old }) => old)]),
        [
          ['currencies.sum', 2, [1500, 70]],
          ['wallet.balance', 1, [6000]],
          ['wallets.balance', 1, [100]],
        ],
      )
      const skipped = statements.flatMap(({ person, skipped }) =>
        skipped.flatMap((each) =>
          each.reason.startsWith('second') ? [[person, each.source, each.amount]] : [],
        ),
      )
      assert.deepEqual(skipped.sort(), [
        [1, 'currencies', 1500],
        [1, 'wallet', 6000],
        [2, 'currencies', 70],
        [2, 'wallets', 100],
      ])
    }
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    assert.equal(await verify(later.sql, { database: double.address }, { print }), 0, lines.join('\n'))
  })

  test('keeps the balance of an older wallet when only the current wallets are read again', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address, oldWallets: true })
    await bring()
    const before = await owned(later, 'wallet')
    await source.run('update wallet set balance = balance + 1 where owner_id = 1')
    await bring()
    assert.deepEqual(await owned(later, 'wallet'), { ...before, 1: (before[1] ?? 0) + 1 })
    await source.run('update wallet set balance = balance - 1 where owner_id = 1')
  })

  test('converts withdrawals of points at the ratio of the last run, which reads none of them again', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await bring()
    const before = await later.sql<{ amount: number; payout: number }[]>`
      select amount, payout from withdrawals where currency = 'points' order by id`
    assert.ok(before.length > 0)
    await source.run("delete from settings where namespace = 'currency' and name = 'settings'")
    await source.add('settings', {
      namespace: 'currency',
      name: 'settings',
      contents: 'a:1:{s:14:"recharge-ratio";i:50;}',
    })
    await bring()
    assert.deepEqual(
      [...(await later.sql`select amount, payout from withdrawals where currency = 'points' order by id`)],
      before.map(({ amount }) => ({ amount, payout: Math.max(1, Math.floor(amount / 50)) })),
    )
    await source.run("delete from settings where namespace = 'currency' and name = 'settings'")
  })

  test('undoes what users paid and earned here since the last run, with lines in the report', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await bring()
    await later.sql`
      insert into role_abilities (role_id, ability) select id, 'feed-post' from roles where name = 'owner'
      on conflict do nothing`
    await later.sql`
      insert into user_roles (user_id, role_id) select u, r.id from unnest(array[1, 2]) u, roles r where r.name = 'owner'`
    const before = { points: await owned(later, 'points'), wallet: await owned(later, 'wallet') }
    const { totals: held } = await audit(later)
    const act = async (id: number, method: 'POST' | 'PUT', path: string, body?: object) => {
      const { access_token: token } = await issueToken(later.sql, id)
      const answer = await later.as({ id, name: '', token }, method, path, body)
      assert.ok(answer.status < 300, `${path} ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const { id: feed } = await act(1, 'POST', '/feeds', {
      ...{ feed_content: 'for sale '.repeat(20), feed_from: 1, feed_mark: 999_999_999, amount: 7 },
    })
    const [node] = await later.sql<
      { id: number }[]
    >`select id from paid_nodes where raw = ${feed} and channel = 'feed'`
    await act(2, 'POST', `/currency/purchases/${node?.id}`)
    await act(1, 'POST', `/feeds/${feed}/currency-pinneds`, { amount: 3, day: 1 })
    await act(1, 'POST', '/user/2/new-rewards', { amount: 4 })
    await act(1, 'POST', '/plus-pay/transfer', { user: 2, amount: 50 })
    await act(1, 'POST', '/plus-pay/cashes', { value: 100, type: 'alipay', account: 'a' })
    await act(2, 'PUT', '/user/checkin/currency')
    await later.sql`
      update withdrawals set state = 'passed', decided_by = 1, decided_at = now() where id = 1`
    const done = await bring()
    assert.match(done.printed[0] ?? '', /^Users paid or earned here since the last run/)
    assert.deepEqual({ points: await owned(later, 'points'), wallet: await owned(later, 'wallet') }, before)
    assert.deepEqual(await faultsOf(later), [])
    const { balanced, totals } = await audit(later)
    assert.ok(balanced)
    assert.deepEqual([totals.points.escrow, totals.wallet.escrow], [held.points.escrow, held.wallet.escrow])
    const told = done.notes.filter(({ reason }) => reason.includes('here since the last run'))
    assert.deepEqual(
      told.map(({ row, column, old, reason }) => `${row}: ${column} ${old} ${reason}`).sort(),
      [
        'pin 9 of user 1: amount 3 made here since the last run: removed',
        'user 1: points 0 paid or earned here since the last run: undone',
        'user 1: wallet -150 paid or earned here since the last run: undone',
        'user 2: points 7 paid or earned here since the last run: undone',
        'user 2: wallet 50 paid or earned here since the last run: undone',
        'withdrawal 1 of user 2: state passed decided here since the last run: has the state of the source again',
        'withdrawal 4 of user 1: amount 100 made here since the last run: removed',
      ],
    )
    const last = await bring()
    assert.ok(!last.printed.some((line) => line.includes('paid or earned')))
    assert.deepEqual(await faultsOf(later), [])
  })

  test('holds withdrawals whose state is unknown, with decisions', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await source.run("update currency_orders set state = 7 where target_type = 'cash'")
    await source.run('update wallet_cashes set status = 7 where value = 900')
    const { reasons, decisions } = await bring()
    const states = await later.sql<{ state: string }[]>`
      select concat(currency, ' ', amount, ' ', state) as state from withdrawals order by 1`
    assert.deepEqual(
      states.map(({ state }) => state),
      ['points 200 pending', 'wallet 100 passed', 'wallet 900 pending'],
    )
    const { totals } = await audit(later)
    assert.deepEqual([totals.points.escrow, totals.wallet.escrow], [10 + 16 + 30 + 20 + 50 + 200, 900])
    assert.ok(reasons('currency_orders', 2).includes('value not supported: pending'))
    for (const column of ['currency_orders.state', 'wallet_cashes.status'])
      assert.ok(decisions.some(({ id }) => id === `${column}: value not supported: pending`))
    await source.run("update currency_orders set state = 0 where target_type = 'cash'")
    await source.run('update wallet_cashes set status = 0 where value = 900')
  })

  test('books only balance differences when the import is repeated', async () => {
    const later = await createWorld()
    const bring = bringerOf(later, { database: source.address })
    await bring()
    // A request decided on this site must not block a pending request of the source.
    await later.sql`
      insert into question_applications (id, question_id, user_id, amount, state, decided_at)
      values (90, 2, 1, 5, 'rejected', now())`
    await source.add('question_application', { id: 3, user_id: 1, question_id: 2, amount: 22, status: 0 })
    await source.run('update currencies set `sum` = 1500 where owner_id = 1')
    await source.run('update currencies set `sum` = 20 where owner_id = 2')
    await source.run(`update feed_pinneds set expires_at = '${clock(3)}' where id = 1`)
    await source.run('update wallet_cashes set status = 2 where status = 0')
    await bring()
    assert.deepEqual(await owned(later, 'points'), { 1: 1500 + 11 + 21, 2: 20 })
    const { balanced, totals } = await audit(later)
    assert.ok(balanced)
    assert.equal(totals.wallet.escrow, 0)
    const [request] = await later.sql`select state from question_applications where id = 3`
    assert.equal(request?.state, 'pending')
    assert.deepEqual(await faultsOf(later), [])
  })
})

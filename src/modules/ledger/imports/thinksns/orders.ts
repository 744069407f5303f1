import type { Tx } from '#platform/database.ts'
import { type Batch, defineTable } from '#platform/database-import/table.ts'
import { assignIds, upsert } from '#platform/database-import/write.ts'
import { setHolds } from './balances.ts'

const EPOCH = new Date(0).toISOString()

type Order = {
  owner_id: number
  currency: 'points' | 'wallet'
  source: string
  source_id: number
  title: string
  body: string | null
  amount: number
  target_type: string
  target_id: string
  state: number
  created_at: string | null
}

async function writeOrders(tx: Tx, orders: { row: object; order: Order }[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    orders.map(({ order }) => order.owner_id),
  )
  const given = orders.flatMap(({ row, order }) => {
    if (people.has(order.owner_id)) return [order]
    batch.leaveOut(row, 'the person is gone')
    return []
  })
  const columns = {
    owner_id: 'bigint',
    currency: 'text',
    source: 'text',
    source_id: 'bigint',
    title: 'text',
    body: 'text',
    amount: 'bigint',
    target_type: 'text',
    target_id: 'text',
    state: 'smallint',
    created_at: 'timestamptz',
  }
  await upsert(tx, 'import_orders', columns, given, { key: ['owner_id', 'currency', 'source', 'source_id'] })
}

const stateOf = (state: number | null) => (state === 1 ? 1 : state === 0 || state === null ? 0 : -1)
/** Of a charge or a payment: 2 is failed. */
const statusOf = (status: number | null) => (status === 1 ? 1 : status === 2 ? -1 : 0)

type Waiting = { ownerId: number; currency: 'points' | 'wallet'; amount: number }

const NUMBERS = 'withdrawals of'

/** Puts what waits into escrow, or gives it back. */
async function holdWithdrawals(
  tx: Tx,
  ids: number[],
  waiting: (Waiting & { id: number })[],
  givenBack: boolean,
) {
  await setHolds(
    tx,
    'withdrawals',
    ids,
    waiting.map(({ id, ownerId, currency, amount }) => ({
      subjectId: id,
      ownerId,
      currency,
      amount,
      kind: 'withdrawal',
      refundKind: 'withdrawal:rejected',
      givenBack,
    })),
  )
}

const WITHDRAWAL_COLUMNS = {
  id: 'bigint',
  owner_id: 'bigint',
  currency: 'text',
  amount: 'bigint',
  payout: 'bigint',
  type: 'text',
  account: 'text',
  state: 'text',
  remark: 'text',
  decided_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
}
const GIVEN_BACK = 'given back when the site moved'

const cashes = defineTable({
  table: 'wallet_cashes',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    user_id: 'int',
    value: 'int',
    type: 'text',
    account: 'text',
    status: 'int',
    remark: 'text',
    deleted_at: 'time',
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const kept = rows.filter((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if ((row.value ?? 0) < 1) batch.leaveOut(row, 'a withdrawal of nothing')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else return true
      return false
    })
    const ids = await assignIds(
      tx,
      `${NUMBERS} wallet`,
      'withdrawals',
      kept.map((row) => row.id),
    )
    const refund = batch.options.waiting === 'refund'
    const waiting: (Waiting & { id: number })[] = []
    const given = kept.map((row) => {
      const id = ids.get(row.id ?? 0) ?? 0
      const open = row.status !== 1 && row.status !== 2
      const [ownerId, amount] = [row.user_id ?? 0, row.value ?? 0]
      if (open) waiting.push({ id, ownerId, currency: 'wallet', amount })
      if (open && refund) batch.mend(row, GIVEN_BACK)
      const updated = row.updated_at ?? row.created_at ?? EPOCH
      return {
        id,
        owner_id: ownerId,
        currency: 'wallet',
        amount,
        payout: amount,
        type: row.type ?? '',
        account: row.account ?? '',
        state: row.status === 1 ? 'passed' : open && !refund ? 'pending' : 'rejected',
        remark: open && refund ? GIVEN_BACK : row.remark,
        decided_at: open && !refund ? null : updated,
        created_at: row.created_at ?? EPOCH,
        updated_at: updated,
      }
    })
    await upsert(tx, 'withdrawals', WITHDRAWAL_COLUMNS, given)
    await holdWithdrawals(
      tx,
      given.map(({ id }) => id),
      waiting,
      refund,
    )
  },
})

const pointOrders = defineTable({
  table: 'currency_orders',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    owner_id: 'int',
    title: 'text',
    body: 'text',
    type: 'int',
    target_type: 'text',
    target_id: 'text',
    amount: 'int',
    state: 'int',
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    await writeOrders(
      tx,
      rows.map((row) => ({
        row,
        order: {
          owner_id: row.owner_id ?? 0,
          currency: 'points',
          source: 'currency_orders',
          source_id: row.id ?? 0,
          title: row.title ?? '',
          body: row.body,
          amount: (row.amount ?? 0) * (row.type === -1 ? -1 : 1),
          target_type: row.target_type ?? 'default',
          target_id: row.target_id ?? '0',
          state: stateOf(row.state),
          created_at: row.created_at,
        },
      })),
      batch,
    )
    await withdrawPoints(tx, rows, batch)
  },
})

type PointOrder = {
  id: number | null
  owner_id: number | null
  target_type: string | null
  amount: number | null
  state: number | null
  created_at: string | null
  updated_at: string | null
}

/** A request to turn points into money is an order there, and a withdrawal here. */
async function withdrawPoints(tx: Tx, rows: PointOrder[], batch: Batch): Promise<void> {
  const cash = rows.filter((row) => row.target_type === 'cash' && (row.amount ?? 0) > 0)
  if (cash.length === 0) return
  const people = await batch.find(
    'users',
    cash.map((row) => row.owner_id),
  )
  const kept = cash.filter((row) => people.has(row.owner_id ?? 0))
  const ids = await assignIds(
    tx,
    `${NUMBERS} points`,
    'withdrawals',
    kept.map((row) => row.id),
  )
  const [settings] = await tx<{ ratio: number }[]>`
    select value::text::bigint as ratio from settings where name = 'currency:recharge-ratio'`
  const refund = batch.options.waiting === 'refund'
  const waiting: (Waiting & { id: number })[] = []
  const given = kept.map((row) => {
    const id = ids.get(row.id ?? 0) ?? 0
    const [ownerId, amount] = [row.owner_id ?? 0, row.amount ?? 0]
    const open = row.state === 0
    if (open) waiting.push({ id, ownerId, currency: 'points', amount })
    if (open && refund) batch.mend(row, GIVEN_BACK)
    const updated = row.updated_at ?? row.created_at ?? EPOCH
    return {
      id,
      owner_id: ownerId,
      currency: 'points',
      amount,
      payout: Math.max(1, Math.floor(amount / (settings?.ratio ?? 1))),
      type: null,
      account: null,
      state: row.state === 1 ? 'passed' : open && !refund ? 'pending' : 'rejected',
      remark: open && refund ? GIVEN_BACK : null,
      decided_at: open && !refund ? null : updated,
      created_at: row.created_at ?? EPOCH,
      updated_at: updated,
    }
  })
  await upsert(tx, 'withdrawals', WITHDRAWAL_COLUMNS, given)
  await holdWithdrawals(
    tx,
    given.map(({ id }) => id),
    waiting,
    refund,
  )
}

const walletOrders = defineTable({
  table: 'wallet_orders',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    owner_id: 'int',
    target_type: 'text',
    target_id: 'text',
    title: 'text',
    body: 'text',
    type: 'int',
    amount: 'int',
    state: 'int',
    created_at: 'time',
  },
  write: (tx, rows, batch) =>
    writeOrders(
      tx,
      rows.map((row) => ({
        row,
        order: {
          owner_id: row.owner_id ?? 0,
          currency: 'wallet',
          source: 'wallet_orders',
          source_id: row.id ?? 0,
          title: row.title ?? '',
          body: row.body,
          amount: (row.amount ?? 0) * (row.type === -1 ? -1 : 1),
          target_type: row.target_type ?? 'default',
          target_id: row.target_id ?? '0',
          state: stateOf(row.state),
          created_at: row.created_at,
        },
      })),
      batch,
    ),
})

const charges = defineTable({
  table: 'wallet_charges',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    user_id: 'int',
    channel: 'text',
    account: 'text',
    action: 'int',
    amount: 'int',
    subject: 'text',
    body: 'text',
    status: 'int',
    deleted_at: 'time',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const kept = rows.filter((row) => {
      if (row.deleted_at === null) return true
      batch.leaveOut(row, 'deleted')
      return false
    })
    await writeOrders(
      tx,
      kept.map((row) => ({
        row,
        order: {
          owner_id: row.user_id ?? 0,
          currency: 'wallet',
          source: 'wallet_charges',
          source_id: row.id ?? 0,
          title: row.subject ?? '',
          body: row.body,
          amount: (row.amount ?? 0) * (row.action === 0 ? -1 : 1),
          target_type: row.channel === 'user' ? 'user' : 'recharge_ping_p_p',
          target_id: row.account ?? '0',
          state: statusOf(row.status),
          created_at: row.created_at,
        },
      })),
      batch,
    )
  },
})

const payments = defineTable({
  table: 'native_pay_orders',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    user_id: 'int',
    out_trade_no: 'text',
    status: 'int',
    amount: 'int',
    subject: 'text',
    content: 'text',
    created_at: 'time',
  },
  write: (tx, rows, batch) =>
    writeOrders(
      tx,
      rows.map((row) => ({
        row,
        order: {
          owner_id: row.user_id ?? 0,
          currency: 'wallet',
          source: 'native_pay_orders',
          source_id: row.id ?? 0,
          title: row.subject ?? '',
          body: row.content,
          amount: row.amount ?? 0,
          target_type: 'recharge_ping_p_p',
          target_id: row.out_trade_no ?? '0',
          state: statusOf(row.status),
          created_at: row.created_at,
        },
      })),
      batch,
    ),
})

/** Movements of before, and requests for money that wait. */
export const orderTables = [pointOrders, walletOrders, charges, payments, cashes]

import type { Db, Tx } from '#platform/database'
import { type Batch, defineTable, type SourceRow } from '../../database/table.ts'
import { TIMES } from '../../database/times.ts'
import { all, forgotten, released, removed, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { cashes, withdrawPoints } from './withdrawals.ts'

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

const rowsOf = (source: string, owner: string) => ({
  table: 'import_orders',
  by: 'source_id',
  key: { source_id: 'id', owner_id: owner },
  only: (sql: Db) => sql`t.source = ${source}`,
})

async function writeOrders(tx: Tx, orders: { row: object; order: Order }[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    orders.map(({ order }) => order.owner_id),
  )
  const given = orders.flatMap(({ row, order }) => {
    if (people.has(order.owner_id)) return [order]
    batch.leaveOut(row, 'the user no longer exists')
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
const statusOf = (status: number | null) => (status === 1 ? 1 : status === 2 ? -1 : 0)

type OldOrder = {
  id: number | null
  owner_id: number | null
  title: string | null
  body: string | null
  type: number | null
  target_type: string | null
  target_id: string | null
  amount: number | null
  state: number | null
  created_at: string | null
}

const orderOf = (row: OldOrder, currency: Order['currency'], source: string): Order => ({
  owner_id: row.owner_id ?? 0,
  currency,
  source,
  source_id: row.id ?? 0,
  title: row.title ?? '',
  body: row.body,
  amount: (row.amount ?? 0) * (row.type === -1 ? -1 : 1),
  target_type: row.target_type ?? 'default',
  target_id: row.target_id ?? '0',
  state: stateOf(row.state),
  created_at: row.created_at,
})

const signed = {
  as: (amount: string | number | null, row: SourceRow) =>
    Number(row.type) === -1 ? -Number(amount) : amount,
}

const pointOrders = defineTable({
  table: 'currency_orders',
  by: 'id',
  into: [
    {
      table: 'import_orders',
      key: {
        owner_id: 'owner_id',
        currency: () => 'points',
        source: () => 'currency_orders',
        source_id: 'id',
      },
      columns: { id: null, currency: null, type: null, amount: signed, updated_at: null },
    },
  ],
  key: ['id'],
  gone: all(
    released('withdrawals', 'withdrawals of points'),
    replaced({ table: 'withdrawals', through: 'withdrawals of points' }),
    removed(rowsOf('currency_orders', 'owner_id')),
    forgotten('withdrawals of points'),
  ),
  reads: { users: ['owner_id'] },
  columns: {
    id: 'int',
    owner_id: 'int',
    currency: 'int',
    title: 'text',
    body: 'text',
    type: 'int',
    target_type: 'text',
    target_id: 'text',
    amount: 'int',
    state: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    // Versions before several currencies have no such column, or 0 in it.
    const points = rows.filter((row) => {
      if ((row.currency ?? 0) === 0 || row.currency === 1) return true
      batch.leaveOut(row, 'unsupported currency')
      return false
    })
    await writeOrders(
      tx,
      points.map((row) => ({ row, order: orderOf(row, 'points', 'currency_orders') })),
      batch,
    )
    await withdrawPoints(tx, points, batch)
  },
})

const walletOrders = defineTable({
  table: 'wallet_orders',
  by: 'id',
  into: [
    {
      table: 'import_orders',
      key: { owner_id: 'owner_id', currency: () => 'wallet', source: () => 'wallet_orders', source_id: 'id' },
      columns: { id: null, type: null, amount: signed },
    },
  ],
  key: ['id'],
  gone: removed(rowsOf('wallet_orders', 'owner_id')),
  reads: { users: ['owner_id'] },
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
      rows.map((row) => ({ row, order: orderOf(row, 'wallet', 'wallet_orders') })),
      batch,
    ),
})

const charges = defineTable({
  table: 'wallet_charges',
  by: 'id',
  into: [
    {
      table: 'import_orders',
      key: { owner_id: 'user_id', currency: () => 'wallet', source: () => 'wallet_charges', source_id: 'id' },
      columns: {
        id: null,
        user_id: 'owner_id',
        channel: null,
        account: { column: 'target_id', as: (account) => account ?? '0' },
        action: null,
        amount: { as: (amount, row) => (Number(row.action) === 0 ? -Number(amount) : amount) },
        subject: 'title',
        status: { column: 'state', as: (status) => (status === 2 ? -1 : status) },
        deleted_at: null,
      },
    },
  ],
  key: ['id'],
  gone: removed(rowsOf('wallet_charges', 'user_id')),
  reads: { users: ['user_id'] },
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
  into: [
    {
      table: 'import_orders',
      key: {
        owner_id: 'user_id',
        currency: () => 'wallet',
        source: () => 'native_pay_orders',
        source_id: 'id',
      },
      columns: {
        id: null,
        user_id: 'owner_id',
        out_trade_no: 'target_id',
        subject: 'title',
        content: 'body',
        status: { column: 'state', as: (status) => (status === 2 ? -1 : status) },
      },
    },
  ],
  key: ['id'],
  gone: removed(rowsOf('native_pay_orders', 'user_id')),
  reads: { users: ['user_id'] },
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

export const orderTables = [pointOrders, walletOrders, charges, payments, cashes]

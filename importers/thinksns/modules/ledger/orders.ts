import type { Db, Tx } from '#platform/database'
import { textOrNone } from '../../database/changes.ts'
import { type Batch, defineTable, type SourceRow } from '../../database/table.ts'
import { EPOCH, TIMES } from '../../database/times.ts'
import { all, forgotten, released, removed, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { cashes, withdrawPoints } from './withdrawals.ts'

const SOURCES = ['currency_orders', 'wallet_orders', 'wallet_charges', 'native_pay_orders'] as const

type Order = {
  owner_id: number
  currency: 'points' | 'wallet'
  source: (typeof SOURCES)[number]
  source_id: number
  title: string
  body: string | null
  amount: number
  target_type: string
  target_id: string
  state: number
  provider?: string | null
  number?: string | null
  provider_number?: string | null
  refunded?: boolean
  created_at: string | null
}

/** Gives each order the same id in every run. Ids of several tables of the source overlap. */
const idOf = (source: Order['source'], id: unknown) => Number(id) * SOURCES.length + SOURCES.indexOf(source)

const rowsOf = (source: string, owner: string) => ({
  table: 'earlier_orders',
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
    if (people.has(order.owner_id))
      return [
        {
          ...order,
          id: idOf(order.source, order.source_id),
          provider: order.provider || null,
          number: order.number || null,
          provider_number: order.provider_number || null,
          refunded: order.refunded ?? false,
          created_at: order.created_at ?? EPOCH,
        },
      ]
    batch.leaveOut(row, 'the user no longer exists')
    return []
  })
  const columns = {
    id: 'bigint',
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
    provider: 'text',
    number: 'text',
    provider_number: 'text',
    refunded: 'boolean',
    created_at: 'timestamptz',
  }
  await upsert(tx, 'earlier_orders', columns, given)
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

const orderOf = (row: OldOrder, currency: Order['currency'], source: Order['source']): Order => ({
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
      table: 'earlier_orders',
      key: { id: ({ id }) => idOf('currency_orders', id) },
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
      const isPending = row.target_type === 'cash' && row.state !== 1 && row.state !== -1
      batch.leaveOut(
        row,
        isPending ? 'pending order in an unknown currency: nothing is held' : 'unsupported currency',
        'amount',
      )
      return false
    })
    await writeOrders(
      tx,
      points.map((row) => ({
        row,
        order: {
          ...orderOf(row, 'points', 'currency_orders'),
          ...(row.target_type === 'recharge' ? { provider_number: row.target_id } : {}),
          // The source wrote refunds of pins with state 0, although it had paid them.
          refunded: row.type === 1 && row.state === 0 && row.target_type === 'user',
        },
      })),
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
      table: 'earlier_orders',
      key: { id: ({ id }) => idOf('wallet_orders', id) },
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
      rows.map((row) => ({
        row,
        order: {
          ...orderOf(row, 'wallet', 'wallet_orders'),
          ...(row.target_type === 'recharge_ping_p_p' ? { provider_number: row.target_id } : {}),
        },
      })),
      batch,
    ),
})

const charges = defineTable({
  table: 'wallet_charges',
  by: 'id',
  into: [
    {
      table: 'earlier_orders',
      key: { id: ({ id }) => idOf('wallet_charges', id) },
      columns: {
        id: null,
        user_id: 'owner_id',
        channel: { column: 'provider', ...textOrNone },
        charge_id: { column: 'number', ...textOrNone },
        transaction_no: { column: 'provider_number', ...textOrNone },
        currency: null,
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
    charge_id: 'text',
    transaction_no: 'text',
    currency: 'text',
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
      if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else if (!['', 'cny'].includes(row.currency?.toLowerCase() ?? ''))
        batch.leaveOut(row, 'unsupported currency', 'amount')
      else return true
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
          provider: row.channel,
          number: row.charge_id,
          provider_number: row.transaction_no,
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
      table: 'earlier_orders',
      key: { id: ({ id }) => idOf('native_pay_orders', id) },
      columns: {
        id: null,
        user_id: 'owner_id',
        type: { column: 'provider', ...textOrNone },
        out_trade_no: 'target_id',
        trade_no: { column: 'provider_number', ...textOrNone },
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
    type: 'text',
    out_trade_no: 'text',
    trade_no: 'text',
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
          provider: row.type,
          number: row.out_trade_no,
          provider_number: row.trade_no,
          created_at: row.created_at,
        },
      })),
      batch,
    ),
})

export const orderTables = [pointOrders, walletOrders, charges, payments, cashes]

import type { Tx } from '#platform/database.ts'
import { type Batch, defineTable } from '#platform/database-import/table.ts'
import { assignIds, upsert } from '#platform/database-import/write.ts'
import { setHolds } from './balances.ts'

const EPOCH = new Date(0).toISOString()

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

/** Requests to take money out of the wallet. */
export const cashes = defineTable({
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
export async function withdrawPoints(tx: Tx, rows: PointOrder[], batch: Batch): Promise<void> {
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

import type { Tx } from '#platform/database'
import { type Batch, defineTable, type ImportStep } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES } from '../../database/times.ts'
import { all, forgotten, released, replaced } from '../../database/vanishing.ts'
import { assignIds, targetIds, upsert } from '../../database/write.ts'
import { noteImportedHolds } from './balances.ts'

type Waiting = { ownerId: number; currency: 'points' | 'wallet'; amount: number }

const NUMBERS = 'withdrawals of'

async function holdWithdrawals(
  tx: Tx,
  ids: number[],
  waiting: (Waiting & { id: number })[],
  givenBack: boolean,
) {
  await noteImportedHolds(
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
  ...TIME_COLUMNS,
}
const GIVEN_BACK = 'refunded by the import'

type OldWithdrawal = {
  id: number
  ownerId: number
  currency: Waiting['currency']
  amount: number
  payout: number
  type: string | null
  account: string | null
  remark: string | null
  created_at: string | null
  updated_at: string | null
  isOpen: boolean
  isPassed: boolean
}

async function writeWithdrawals(
  tx: Tx,
  old: { row: object; of: OldWithdrawal }[],
  batch: Batch,
): Promise<void> {
  const refund = batch.options.waiting === 'refund'
  for (const { row, of } of old) if (of.isOpen && refund) batch.mend(row, GIVEN_BACK)
  await upsert(
    tx,
    'withdrawals',
    WITHDRAWAL_COLUMNS,
    old.map(({ of }) => {
      const waits = of.isOpen && !refund
      const updated = of.updated_at ?? of.created_at ?? EPOCH
      return {
        id: of.id,
        owner_id: of.ownerId,
        currency: of.currency,
        amount: of.amount,
        payout: of.payout,
        type: of.type,
        account: of.account,
        state: of.isPassed ? 'passed' : waits ? 'pending' : 'rejected',
        remark: of.isOpen && refund ? GIVEN_BACK : of.remark,
        decided_at: waits ? null : updated,
        created_at: of.created_at ?? EPOCH,
        updated_at: updated,
      }
    }),
  )
  await holdWithdrawals(
    tx,
    old.map(({ of }) => of.id),
    old.flatMap(({ of }) => (of.isOpen ? [of] : [])),
    refund,
  )
}

export const cashes = defineTable({
  table: 'wallet_cashes',
  by: 'id',
  into: [
    {
      table: 'withdrawals',
      through: `${NUMBERS} wallet`,
      columns: { id: null, user_id: 'owner_id', value: 'amount', status: null, deleted_at: null },
    },
  ],
  key: ['id'],
  gone: all(
    released('withdrawals', `${NUMBERS} wallet`),
    replaced({ table: 'withdrawals', through: `${NUMBERS} wallet` }),
    forgotten(`${NUMBERS} wallet`),
  ),
  reread: 'always',
  columns: {
    id: 'int',
    user_id: 'int',
    value: 'int',
    type: 'text',
    account: 'text',
    status: 'int',
    remark: 'text',
    deleted_at: 'time',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const kept = rows.filter((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if ((row.value ?? 0) < 1) batch.leaveOut(row, 'the amount is zero')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else return true
      return false
    })
    for (const row of kept)
      if (![null, 0, 1, 2].includes(row.status))
        batch.mend(row, 'value not supported: pending', { column: 'status', new: 'pending' })
    const ids = await assignIds(
      tx,
      `${NUMBERS} wallet`,
      'withdrawals',
      kept.map((row) => row.id),
    )
    await writeWithdrawals(
      tx,
      kept.map((row) => ({
        row,
        of: {
          id: ids.get(row.id ?? 0) ?? 0,
          ownerId: row.user_id ?? 0,
          currency: 'wallet',
          amount: row.value ?? 0,
          payout: row.value ?? 0,
          type: row.type ?? '',
          account: row.account ?? '',
          remark: row.remark,
          created_at: row.created_at,
          updated_at: row.updated_at,
          isOpen: row.status !== 1 && row.status !== 2,
          isPassed: row.status === 1,
        },
      })),
      batch,
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

export async function withdrawPoints(tx: Tx, rows: PointOrder[], batch: Batch): Promise<void> {
  const cash = rows.filter((row) => row.target_type === 'cash' && (row.amount ?? 0) > 0)
  if (cash.length === 0) return
  const people = await batch.find(
    'users',
    cash.map((row) => row.owner_id),
  )
  const kept = cash.filter((row) => people.has(row.owner_id ?? 0))
  for (const row of kept)
    if (![null, 0, 1, -1].includes(row.state))
      batch.mend(row, 'value not supported: pending', { column: 'state', new: 'pending' })
  const ids = await assignIds(
    tx,
    `${NUMBERS} points`,
    'withdrawals',
    kept.map((row) => row.id),
  )
  await writeWithdrawals(
    tx,
    kept.map((row) => ({
      row,
      of: {
        id: ids.get(row.id ?? 0) ?? 0,
        ownerId: row.owner_id ?? 0,
        currency: 'points',
        amount: row.amount ?? 0,
        payout: row.amount ?? 0,
        type: null,
        account: null,
        remark: null,
        created_at: row.created_at,
        updated_at: row.updated_at,
        isOpen: row.state !== 1 && row.state !== -1,
        isPassed: row.state === 1,
      },
    })),
    batch,
  )
}

/** Removes withdrawals that users asked for here since the last run, because this run returns their amounts. */
export const dropOwnWithdrawals: ImportStep = {
  name: 'withdrawals made here',
  run: ({ transaction, note }) =>
    transaction(async (tx) => {
      const made = await tx<{ id: number; owner_id: number; amount: number }[]>`
        delete from withdrawals where not id in (${targetIds(tx, `${NUMBERS} wallet`)})
          and not id in (${targetIds(tx, `${NUMBERS} points`)})
        returning id, owner_id, amount`
      const decided = await tx<{ id: number; owner_id: number; state: string }[]>`
        select id, owner_id, state from withdrawals where decided_by is not null`
      for (const { id, owner_id, state } of decided)
        await note(
          `withdrawal ${id} of user ${owner_id}`,
          'decided here since the last run: has the state of the source again',
          { column: 'state', old: state, new: null },
        )
      for (const { id, owner_id, amount } of made)
        await note(`withdrawal ${id} of user ${owner_id}`, 'made here since the last run: removed', {
          column: 'amount',
          old: amount,
          new: null,
        })
    }),
}

/** Converts withdrawals of points at the ratio of this run, also those of ranges that it does not read again. */
export const convertPayouts: ImportStep = {
  name: 'payouts of points',
  run: ({ transaction }) =>
    transaction(
      (tx) => tx`
        with rate as (
          select coalesce(
            (select value::text::bigint from settings where name = 'currency:recharge-ratio'), 1) as ratio
        )
        update withdrawals w set payout = greatest(w.amount / ratio, 1) from rate
        where w.payout <> greatest(w.amount / ratio, 1) and w.id in (${targetIds(tx, `${NUMBERS} points`)})`,
    ),
}

import type { Db } from '#platform/database.ts'
import type { Currency } from '../schema.ts'

export type WithdrawalRow = {
  id: number
  owner_id: number
  currency: Currency
  amount: number
  payout: number
  type: string | null
  account: string | null
  state: 'pending' | 'passed' | 'rejected'
  remark: string | null
  decided_by: number | null
  decided_at: string | null
  created_at: string
  updated_at: string
}

export type NewWithdrawal = Pick<
  WithdrawalRow,
  'owner_id' | 'currency' | 'amount' | 'payout' | 'type' | 'account'
>

export async function insertWithdrawal(sql: Db, asked: NewWithdrawal): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into withdrawals (owner_id, currency, amount, payout, type, account)
    values (${asked.owner_id}, ${asked.currency}, ${asked.amount}, ${asked.payout}, ${asked.type}, ${asked.account})
    returning id`
  return row.id
}

/** Decides a waiting withdrawal, once. Undefined when it is not waiting. */
export async function closeWithdrawal(
  sql: Db,
  id: number,
  to: { state: 'passed' | 'rejected'; remark: string | null; by: number },
): Promise<WithdrawalRow | undefined> {
  const [row] = await sql<WithdrawalRow[]>`
    update withdrawals set state = ${to.state}, remark = ${to.remark}, decided_by = ${to.by}, decided_at = now(),
      updated_at = now()
    where id = ${id} and state = 'pending'
    returning *`
  return row
}

export async function findWithdrawal(sql: Db, id: number): Promise<WithdrawalRow | undefined> {
  const [row] = await sql<WithdrawalRow[]>`select * from withdrawals where id = ${id}`
  return row
}

/** My withdrawals of wallet money, newest first. */
export const listWithdrawals = (sql: Db, ownerId: number, after: number, limit: number) => sql<
  WithdrawalRow[]
>`
  select * from withdrawals
  where owner_id = ${ownerId} and currency = 'wallet' ${after > 0 ? sql`and id < ${after}` : sql``}
  order by id desc limit ${limit}`

import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'
import type { Currency } from '../schema.ts'

export type WithdrawalRow = Row<
  'withdrawals',
  | 'id'
  | 'owner_id'
  | 'currency'
  | 'amount'
  | 'payout'
  | 'type'
  | 'account'
  | 'state'
  | 'remark'
  | 'decided_by'
  | 'decided_at'
  | 'created_at'
  | 'updated_at'
> & {
  currency: Currency
  state: 'pending' | 'passed' | 'rejected'
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

import type { Db } from '#platform/database.ts'
import { when } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { Currency } from '../schema.ts'

/** A request to take money or points out. */
export type WithdrawalRow = Tables['withdrawals'] & {
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
  where owner_id = ${ownerId} and currency = 'wallet' ${when(sql, after > 0, () => sql`and id < ${after}`)}
  order by id desc limit ${limit}`

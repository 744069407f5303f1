import { escapeLike } from '#lib/text.ts'
import type { Currency } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { LedgerQuery, Posting, Recharge, RechargeQuery, Withdrawal, WithdrawalQuery } from './schema.ts'

/** Whether there is such an account, disabled or not. */
export async function isUser(sql: Db, id: number): Promise<boolean> {
  return (await sql`select from users where id = ${id}`).length > 0
}

/** A page of the postings of one account of a person. */
export function listPostings(sql: Db, ownerId: number, currency: Currency, query: LedgerQuery) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, kind } = query
  const where = sql`
    where owner_id = ${ownerId} and currency = ${currency}
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${q === undefined ? sql`` : sql`and (title ilike ${`%${escapeLike(q)}%`} or body ilike ${`%${escapeLike(q)}%`})`}`
  const by = { id: sql`id`, amount: sql`amount` }[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<Posting>(
    sql`select id, transaction_id, amount, balance_after, counterpart, kind, subject_type, subject_id, title, body,
        created_at
      from ledger_postings ${where} order by ${by} ${direction}, id ${direction} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from ledger_postings ${where}`,
  )
}

const requested = (sql: Db, query: WithdrawalQuery | RechargeQuery) => {
  const { state, currency, user, q } = query
  return sql`
    where true
      ${state === undefined ? sql`` : sql`and r.state = ${state}`}
      ${currency === undefined ? sql`` : sql`and r.currency = ${currency}`}
      ${user === undefined ? sql`` : sql`and r.owner_id = ${user}`}
      ${q === undefined ? sql`` : sql`and u.name ilike ${`%${escapeLike(q)}%`}`}`
}

const ordered = (sql: Db, { page = 1, limit = 15, sort = 'id', order = 'desc' }: WithdrawalQuery) => {
  const by = { id: sql`r.id`, amount: sql`r.amount`, updated_at: sql`r.updated_at` }[sort]
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return sql`order by ${by} ${direction}, r.id ${direction} limit ${limit} offset ${(page - 1) * limit}`
}

const who = (sql: Db) => sql`json_build_object('id', u.id, 'name', u.name) as user`

export function listAllWithdrawals(sql: Db, query: WithdrawalQuery) {
  const from = sql`from withdrawals r join users u on u.id = r.owner_id ${requested(sql, query)}`
  return pageOf<Withdrawal>(
    sql`select r.*, ${who(sql)} ${from} ${ordered(sql, query)}`,
    sql`select count(*)::int as total ${from}`,
  )
}

export async function findOneWithdrawal(sql: Db, id: number): Promise<Withdrawal | undefined> {
  const [row] = await sql<Withdrawal[]>`
    select r.*, ${who(sql)} from withdrawals r join users u on u.id = r.owner_id where r.id = ${id}`
  return row
}

export function listAllRecharges(sql: Db, query: RechargeQuery) {
  const { state, ...rest } = query
  const filter = { ...rest, ...(state === undefined ? {} : { state }) } as RechargeQuery
  const from = sql`from recharges r join users u on u.id = r.owner_id ${requested(sql, filter)}`
  return pageOf<Recharge>(
    sql`select r.*, ${who(sql)} ${from} ${ordered(sql, rest)}`,
    sql`select count(*)::int as total ${from}`,
  )
}

export async function findOneRecharge(sql: Db, id: number): Promise<Recharge | undefined> {
  const [row] = await sql<Recharge[]>`
    select r.*, ${who(sql)} from recharges r join users u on u.id = r.owner_id where r.id = ${id}`
  return row
}

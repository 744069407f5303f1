import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { Currency } from '../../schema.ts'
import type { Posting, PostingQuery } from './schema.ts'

/** Whether there is such an account, disabled or not. */
export async function isAccount(sql: Db, id: number): Promise<boolean> {
  return (await sql`select from users where id = ${id}`).length > 0
}

/** A page of the postings of one account of a person. */
export function listPostings(sql: Db, ownerId: number, currency: Currency, query: PostingQuery) {
  const { sort = 'id', q, kind } = query
  const contains = (part: string) => {
    const like = `%${escapeLike(part)}%`
    return sql`and (title ilike ${like} or body ilike ${like})`
  }
  const where = sql`
    where owner_id = ${ownerId} and currency = ${currency}
      ${ifGiven(sql, kind, (value) => sql`and kind = ${value}`)} ${ifGiven(sql, q, contains)}`
  const by = sort === 'amount' ? sql`amount` : undefined
  return pageOf<Posting>(
    sql,
    sql`select id, transaction_id, amount, balance_after, counterpart, kind, subject_type, subject_id, title, body,
        created_at
      from ledger_postings ${where} ${listingAt(sql, query, { id: sql`id`, by, from: sql`ledger_postings` })}`,
    sql`select count(*)::int as total from ledger_postings ${where}`,
  )
}

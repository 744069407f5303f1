import type { Db } from '#platform/database'

export type Ranked = { user_id: number; count: number }

/** Maximum length of a ranking. Pages are served from the cache. */
const RANKED = 1000

/**
 * Ranks users by wallet balance, without an index, because one in this order would be written by every
 * payment.
 */
export const rankByBalance = (sql: Db) => sql<Ranked[]>`
  select a.owner_id as user_id, a.balance as count
  from ledger_accounts a join users u on u.id = a.owner_id and u.deleted_at is null
  where a.currency = 'wallet' order by a.balance desc, a.owner_id limit ${RANKED}`

/** Ranks users by wallet money received from other users. Payments by the site do not count. */
export const rankByIncome = (sql: Db) => sql<Ranked[]>`
  select p.owner_id as user_id, p.total::bigint as count
  from (
    select owner_id, sum(amount) as total from ledger_postings
    where currency = 'wallet' and amount > 0 and owner_id > 0 and counterpart > 0 group by owner_id
  ) p join users u on u.id = p.owner_id and u.deleted_at is null
  order by p.total desc, p.owner_id limit ${RANKED}`

import type { Db } from '#platform/database.ts'

export type Ranked = { user_id: number; count: number }

/** How far rankings go; their pages come from memory. */
const RANKED = 1000

/** Who owns most wallet money. An index in this order would make every payment write it too. */
export const rankByBalance = (sql: Db) => sql<Ranked[]>`
  select a.owner_id as user_id, a.balance as count
  from ledger_accounts a join users u on u.id = a.owner_id and u.deleted_at is null
  where a.currency = 'wallet' order by a.balance desc, a.owner_id limit ${RANKED}`

/** Who was paid most wallet money by other people; what comes from the site is no income. */
export const rankByIncome = (sql: Db) => sql<Ranked[]>`
  select p.owner_id as user_id, p.total::bigint as count
  from (
    select owner_id, sum(amount) as total from ledger_postings
    where currency = 'wallet' and amount > 0 and owner_id > 0 and counterpart > 0 group by owner_id
  ) p join users u on u.id = p.owner_id and u.deleted_at is null
  order by p.total desc, p.owner_id limit ${RANKED}`

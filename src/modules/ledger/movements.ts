import type { RankedRow } from '#contracts/period-sums.ts'
import { isAmount } from '#lib/money.ts'
import { type Db, type Fragment, onConstraint, type Row } from '#platform/database'
import { type Currency, type Movement, notEnough } from './schema.ts'

/**
 * Executes the movements in a preceding CTE `moves` as one ledger transaction, in the order of its column
 * `n`. Locks accounts by ascending user id, so that opposite movements do not deadlock.
 */
export const movementsClause = (sql: Db): Fragment => sql`
  sides as materialized (
    select n * 2 as n, from_id as owner_id, to_id as counterpart, -amount as change, currency, kind, subject_type,
      subject_id, title, body
    from moves
    union all
    select n * 2 + 1, to_id, from_id, amount, currency, kind, subject_type, subject_id, title, body from moves
  ),
  kept as (
    insert into ledger_accounts as a (owner_id, currency, balance, income, expenses)
    select owner_id, currency, greatest(sum(change), 0), coalesce(sum(change) filter (where change > 0), 0),
      coalesce(-sum(change) filter (where change < 0), 0)
    from sides where owner_id > 0 group by owner_id, currency order by owner_id, currency
    on conflict (owner_id, currency) do update set balance = a.balance + excluded.income - excluded.expenses,
      income = a.income + excluded.income, expenses = a.expenses + excluded.expenses
    -- Returns a null balance if the movements overdraw a new account. The constraint ledger_postings_funded then fails.
    returning owner_id, currency, case when balance = income - expenses then balance end as balance
  ),
  number as materialized (select nextval('ledger_transaction_ids') as id where exists (select from moves)),
  posted as (
    insert into ledger_postings (owner_id, currency, transaction_id, amount, balance_after, counterpart, kind,
      subject_type, subject_id, title, body)
    select s.owner_id, s.currency, t.id, s.change,
      k.balance - coalesce(sum(s.change) over (
        partition by s.owner_id, s.currency order by s.n desc rows between unbounded preceding and 1 preceding
      ), 0),
      s.counterpart, s.kind, s.subject_type, s.subject_id, s.title, s.body
    from number t cross join sides s left join kept k on k.owner_id = s.owner_id and k.currency = s.currency
    order by s.n
    returning owner_id, currency, id, amount, balance_after
  )`

type Posted = {
  owner_id: number
  currency: string
  id: number
  amount: number
  balance_after: number | null
}

const insertMovements = (sql: Db, movements: Movement[]) => {
  const column = <K extends keyof Movement>(name: K) => movements.map((movement) => movement[name])
  return sql<Posted[]>`
    with moves as materialized (
      select * from unnest(
        ${movements.map((_, index) => index)}::int[], ${column('currency')}::text[], ${column('from')}::bigint[],
        ${column('to')}::bigint[], ${column('amount')}::bigint[], ${column('kind')}::text[],
        ${movements.map(({ subject }) => subject.type)}::text[], ${movements.map(({ subject }) => subject.id)}::bigint[],
        ${movements.map(({ title }) => title ?? null)}::text[], ${movements.map(({ body }) => body ?? null)}::text[]
      ) as m (n, currency, from_id, to_id, amount, kind, subject_type, subject_id, title, body)
    ),
    ${movementsClause(sql)}
    select * from posted order by id`
}

type BalanceRow = Row<'ledger_accounts', 'currency' | 'balance' | 'income' | 'expenses'>

const findBalances = (sql: Db, ownerId: number) => sql<BalanceRow[]>`
  select currency, balance, income, expenses from ledger_accounts where owner_id = ${ownerId}`

export const mapNotEnough = <T>(query: PromiseLike<T>, error: () => Error = notEnough): Promise<T> =>
  onConstraint(query, { ledger_accounts_not_negative: error, ledger_postings_funded: error })

/**
 * Call `moveFunds` only once per transaction. Each call locks its accounts in order, but two calls in one
 * transaction could deadlock with another transaction.
 */
export async function moveFunds(
  tx: Db,
  movements: Movement | Movement[],
  insufficient: () => Error = notEnough,
): Promise<Posted[]> {
  const list = [movements].flat()
  if (list.length === 0) return []
  for (const { amount, from, to } of list) {
    if (!isAmount(amount)) throw new RangeError(`${amount} is not an amount`)
    if (from === to) throw new RangeError('a movement needs two accounts')
  }
  return mapNotEnough(insertMovements(tx, list), insufficient)
}

export async function findBalance(sql: Db, ownerId: number, currency: Currency): Promise<number> {
  const rows = await findBalances(sql, ownerId)
  return rows.find((row) => row.currency === currency)?.balance ?? 0
}

export async function balancesOf(
  sql: Db,
  ownerId: number,
): Promise<{ points: number; wallet: number; income: number; expenses: number }> {
  const rows = await findBalances(sql, ownerId)
  const of = (currency: Currency) => rows.find((row) => row.currency === currency)
  const wallet = of('wallet')
  return {
    points: of('points')?.balance ?? 0,
    wallet: wallet?.balance ?? 0,
    income: wallet?.income ?? 0,
    expenses: wallet?.expenses ?? 0,
  }
}

/** Maximum number of users in a cached ranking. */
const RANKED = 1000

/** Ranks users by wallet balance, without an index, because every payment would have to update that index. */
export const rankByBalance = (sql: Db) => sql<RankedRow[]>`
  select a.owner_id as user_id, a.balance as count
  from ledger_accounts a join users u on u.id = a.owner_id and u.deleted_at is null
  where a.currency = 'wallet' order by a.balance desc, a.owner_id limit ${RANKED}`

/** Ranks users by wallet money received from other users. Payments by the site do not count. */
export const rankByIncome = (sql: Db) => sql<RankedRow[]>`
  select p.owner_id as user_id, p.total::bigint as count
  from (
    select owner_id, sum(amount) as total from ledger_postings
    where currency = 'wallet' and amount > 0 and owner_id > 0 and counterpart > 0 group by owner_id
  ) p join users u on u.id = p.owner_id and u.deleted_at is null
  order by p.total desc, p.owner_id limit ${RANKED}`

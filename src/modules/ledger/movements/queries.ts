import type { Db, Fragment } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'
import type { Movement } from '../schema.ts'

/**
 * Common tables that carry out the rows of a preceding common table
 * `moves (n, currency, from_id, to_id, amount, kind, subject_type, subject_id, title, body)`, `n` being their order:
 * one transaction, in the statement that writes what it pays for. `posted` holds what was written; without moves there
 * is none. Accounts of people are locked in ascending (owner_id, currency) order, so that opposite movements cannot
 * deadlock; map the failures with `withFunds`.
 */
export const carryOut = (sql: Db): Fragment => sql`
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
    -- A row opened by a charge has a balance that does not add up. The null fails ledger_postings_funded.
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

export type Posted = {
  owner_id: number
  currency: string
  id: number
  amount: number
  balance_after: number | null
}

/** Carries out movements as one transaction, in their order; answers its postings. */
export const insertMovements = (sql: Db, movements: Movement[]) => {
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
    ${carryOut(sql)}
    select * from posted order by id`
}

export type BalanceRow = Row<'ledger_accounts', 'currency' | 'balance' | 'income' | 'expenses'>

/** What a person owns; without movements there is no row. */
export const findBalances = (sql: Db, ownerId: number) => sql<BalanceRow[]>`
  select currency, balance, income, expenses from ledger_accounts where owner_id = ${ownerId}`

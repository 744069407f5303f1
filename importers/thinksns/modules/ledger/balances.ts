import {
  type Currency,
  type MovementKind,
  movementsClause,
  PLATFORM_ACCOUNTS,
} from '#modules/ledger/index.ts'
import type { Db, Tx } from '#platform/database'
import { markBooked } from '../../database/state.ts'
import { type Batch, defineTable, type ImportStep, type StepContext } from '../../database/table.ts'
import { replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'

const BALANCE_COLUMNS = { owner_id: 'bigint', currency: 'text', source: 'text', amount: 'bigint' }
const BALANCE_KEY = { key: ['owner_id', 'currency', 'source'] }

export const TOO_LARGE = 'amount above 9,007,199,254,740,991'
export const isTooLarge = (amount: number | null) => (amount ?? 0) > Number.MAX_SAFE_INTEGER

/** Each wallet of the source has its own row, so that one that is read again does not overwrite another. */
const balancesOf = (source: string) =>
  replaced({ table: 'import_balances', by: 'owner_id', only: (sql) => sql`t.source = ${source}` })

const SECOND = 'second balance of the same user'

/** Returns whether an earlier row, in the order of `by`, has the same key. Dumps made by hand may lack unique keys. */
function isSecond({ memory }: Batch, key: string): boolean {
  const repeats = memory.get('last balance') === key
  memory.set('last balance', key)
  return repeats
}

const points = defineTable({
  table: 'currencies',
  by: 'owner_id',
  width: 5000,
  into: [
    {
      table: 'import_balances',
      key: { owner_id: 'owner_id', currency: () => 'points', source: () => 'currencies' },
      columns: { type: null, sum: 'amount' },
    },
  ],
  key: ['owner_id', 'type'],
  // Books the smallest of several balances.
  order: ['owner_id', 'type', 'sum'],
  gone: balancesOf('currencies'),
  reads: { users: ['owner_id'] },
  columns: { owner_id: 'int', type: 'int', sum: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'owner_id')
    const given = rows.flatMap((row) => {
      if (row.type !== 1) batch.leaveOut(row, 'unsupported currency', 'sum')
      else if (!people.has(row.owner_id ?? 0)) batch.leaveOut(row, 'the user no longer exists', 'sum')
      else if (isSecond(batch, `${row.owner_id}`)) batch.leaveOut(row, SECOND, 'sum')
      else {
        if ((row.sum ?? 0) < 0) batch.mend(row, 'negative balance of points: set to zero', 'sum')
        return [
          {
            owner_id: row.owner_id,
            currency: 'points',
            source: 'currencies',
            amount: Math.max(row.sum ?? 0, 0),
          },
        ]
      }
      return []
    })
    await upsert(tx, 'import_balances', BALANCE_COLUMNS, given, BALANCE_KEY)
  },
})

const wallets = defineTable({
  table: 'wallet',
  by: 'owner_id',
  width: 5000,
  into: [
    {
      table: 'import_balances',
      key: { owner_id: 'owner_id', currency: () => 'wallet', source: () => 'wallet' },
      columns: { balance: 'amount' },
    },
  ],
  key: ['owner_id'],
  order: ['owner_id', 'balance'],
  gone: balancesOf('wallet'),
  reads: { users: ['owner_id'] },
  columns: { owner_id: 'int', balance: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'owner_id')
    const given = rows.flatMap((row) => {
      if (!people.has(row.owner_id ?? 0)) batch.leaveOut(row, 'the user no longer exists', 'balance')
      else if (isTooLarge(row.balance)) batch.leaveOut(row, TOO_LARGE, 'balance')
      else if (isSecond(batch, `${row.owner_id}`)) batch.leaveOut(row, SECOND, 'balance')
      else
        return [
          {
            owner_id: row.owner_id,
            currency: 'wallet',
            source: 'wallet',
            amount: Math.max(row.balance ?? 0, 0),
          },
        ]
      return []
    })
    await upsert(tx, 'import_balances', BALANCE_COLUMNS, given, BALANCE_KEY)
  },
})

/**
 * Wallets of ThinkSNS+ before version 1.8. The import counts them only on the operator's request, because the
 * balances may have been paid out.
 */
const oldWallets = defineTable({
  table: 'wallets',
  by: 'user_id',
  width: 5000,
  into: [
    {
      table: 'import_balances',
      key: { owner_id: 'user_id', currency: () => 'wallet', source: () => 'wallets' },
      columns: { id: null, user_id: 'owner_id', balance: 'amount', deleted_at: null },
    },
  ],
  key: ['user_id'],
  // The original shows the first of several wallets of a user.
  order: ['user_id', 'id'],
  // Depends on the current wallet and on the orders of its user.
  gone: balancesOf('wallets'),
  reread: 'always',
  columns: { id: 'int', user_id: 'int', balance: 'int', deleted_at: 'time' },
  async write(tx, rows, batch) {
    const ids = rows.map(({ user_id }) => user_id ?? 0)
    const people = await batch.find('users', ids)
    const used = await tx<{ id: number }[]>`
      select owner_id as id from import_balances where owner_id = any(${ids}) and source = 'wallet' and amount > 0
      union select owner_id from earlier_orders where owner_id = any(${ids}) and source = 'wallet_orders'`
    const newer = new Set(used.map(({ id }) => id))
    const given = rows.flatMap((row) => {
      const balance = row.balance ?? 0
      const isAnother = row.deleted_at === null && isSecond(batch, `${row.user_id}`)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists', 'balance')
      else if (balance === 0) batch.merge(row, 'empty wallet of an older version', 'balance')
      else if (isTooLarge(balance)) batch.leaveOut(row, TOO_LARGE, 'balance')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted wallet of an older version', 'balance')
      else if (newer.has(row.user_id ?? 0))
        batch.merge(row, 'superseded by the current wallet of the user', 'balance')
      else if (!batch.options.oldWallets)
        batch.leaveOut(
          row,
          'balance only in the wallet of an older version: import it with --old-wallets',
          'balance',
        )
      else if (isAnother) batch.leaveOut(row, SECOND, 'balance')
      else return [{ owner_id: row.user_id, currency: 'wallet', source: 'wallets', amount: balance }]
      return []
    })
    await upsert(tx, 'import_balances', BALANCE_COLUMNS, given, BALANCE_KEY)
  },
})

export type Hold = {
  subjectId: number
  ownerId: number
  currency: Currency
  amount: number
  kind: MovementKind
  refundKind: MovementKind
  givenBack: boolean
}

export async function noteImportedHolds(
  sql: Db,
  subjectType: string,
  ids: number[],
  holds: Hold[],
): Promise<void> {
  await sql`
    delete from import_holds where subject_type = ${subjectType} and subject_id = any(${ids})
      and not subject_id = any(${holds.map(({ subjectId }) => subjectId)})`
  const rows = holds.map(({ subjectId, ownerId, currency, amount, kind, refundKind, givenBack }) => ({
    subject_type: subjectType,
    subject_id: subjectId,
    owner_id: ownerId,
    currency,
    amount,
    kind,
    refund_kind: refundKind,
    given_back: givenBack,
  }))
  const columns = {
    subject_type: 'text',
    subject_id: 'bigint',
    owner_id: 'bigint',
    currency: 'text',
    amount: 'bigint',
    kind: 'text',
    refund_kind: 'text',
    given_back: 'boolean',
  }
  await upsert(sql, 'import_holds', columns, rows, { key: ['subject_type', 'subject_id'] })
}

/** Lists payments that the import returned instead of holding them. */
export const listReturned = (sql: Db, subjectType: string) => sql<{ id: number; amount: number }[]>`
  select subject_id as id, amount from import_holds where subject_type = ${subjectType} and given_back`

const PEOPLE_AT_ONCE = 1000

/** Postings since the last run, which only users of this site make. */
const isMadeHere = (sql: Db) => sql`p.id > (select booked_up_to from imports)`
/** Money from outside, which no run can return. */
const FROM_OUTSIDE = ['recharges', 'payments']

/** Returns whether users paid or earned anything here since the last run. */
export async function hasPaymentsHere(sql: Db): Promise<boolean> {
  const { count } = await sql`select from ledger_postings p where ${isMadeHere(sql)} limit 1`
  return count > 0
}

/** Books payments that users made here since the last run in reverse, so that the checks of the ledger find no payment without a cause. */
async function undoPayments(tx: Tx, note: StepContext['note']): Promise<void> {
  const made = await tx<{ owner_id: number; currency: Currency; outside: boolean; amount: number }[]>`
    select owner_id, currency, subject_type = any(${FROM_OUTSIDE}) as outside, sum(amount)::bigint as amount
    from ledger_postings p where ${isMadeHere(tx)} and owner_id > 0 group by 1, 2, 3 order by 1, 2, 3`
  for (const { owner_id, currency, outside, amount } of made)
    await note(
      `user ${owner_id}`,
      outside
        ? 'recharged here since the last run: not part of the balance'
        : 'paid or earned here since the last run: undone',
      { column: currency, old: amount, new: 0 },
    )
  await tx`
    with moves as materialized (
      select (row_number() over (order by p.id desc, s.step))::int as n, currency, s.from_id, s.to_id,
        -amount as amount, kind, subject_type, subject_id, title, body
      from ledger_postings p, lateral (
        -- A payment between users returns by the site. Otherwise it would look like income of the payer.
        select 1 as step, counterpart as from_id,
          case when owner_id > 0 and counterpart > 0 then ${PLATFORM_ACCOUNTS.issuance} else owner_id end as to_id
        union all
        select 2, ${PLATFORM_ACCOUNTS.issuance}, owner_id where owner_id > 0 and counterpart > 0
      ) s
      where ${isMadeHere(tx)} and amount < 0 and not subject_type = any(${FROM_OUTSIDE})
    ),
    ${movementsClause(tx)}
    select count(*) from posted`
}

export const bookBalances: ImportStep = {
  name: 'balances',
  async run({ transaction, options, note, progress }) {
    await transaction(async (tx) => {
      if (options.inFen) await tx`update import_holds set currency = 'wallet' where currency = 'points'`
      await undoPayments(tx, note)
      await findDue(tx)
      let [last, done] = [0, 0]
      for (;;) {
        const [row] = await tx<[{ last: number | null; n: number }]>`
          with people as (
            select distinct owner_id from import_due where owner_id > ${last} order by owner_id limit ${PEOPLE_AT_ONCE}
          )
          select max(owner_id) as last, count(*) as n from people`
        if (row.last === null) break
        await book(tx, last, row.last)
        last = row.last
        done += row.n
        progress(`${done} people`)
      }
      await tx`drop table import_due`
      await markBooked(tx)
    })
  },
}

async function findDue(tx: Tx): Promise<void> {
  await tx`
    create temp table import_due (
      owner_id bigint, currency text, part int, amount bigint, kind text, subject_type text, subject_id bigint
    )`
  await tx`
    create temp table import_escrow as
    with wanted as (
      select subject_type, subject_id, owner_id, currency, amount, kind, refund_kind from import_holds where not given_back
    ),
    held as (
      select subject_type, subject_id, currency, sum(amount) as amount, (array_agg(counterpart order by id desc) filter (where amount > 0))[1] as owner_id,
        min(kind) filter (where amount > 0) as kind
      from ledger_postings
      where owner_id = ${PLATFORM_ACCOUNTS.escrow} and subject_type = any(${HELD}) group by 1, 2, 3
    ),
    pairs as (
      select currency, subject_type, subject_id, coalesce(w.kind, h.kind) as kind,
        coalesce(w.refund_kind, h.kind || ':refunded') as refund_kind, w.owner_id as payer, h.owner_id as holder,
        coalesce(w.amount, 0) as wanted, coalesce(h.amount, 0)::bigint as held,
        w.amount > 0 and h.amount > 0 and w.owner_id <> h.owner_id as moved
      from wanted w full join held h using (subject_type, subject_id, currency)
    )
    select coalesce(payer, holder) as owner_id, currency, subject_type, subject_id, kind, refund_kind, wanted, held
    from pairs where wanted <> held and moved is not true
    -- A payment that another user made since the last run returns to the former.
    union all select holder, currency, subject_type, subject_id, kind, refund_kind, 0, held from pairs where moved
    union all select payer, currency, subject_type, subject_id, kind, refund_kind, wanted, 0 from pairs where moved`
  await tx`
    insert into import_due
    select owner_id, currency, 0, held - wanted, replace(refund_kind, 'withdrawal:refunded', 'withdrawal:rejected'),
      subject_type, subject_id
    from import_escrow where held > wanted
    union all
    select owner_id, currency, 2, wanted - held, kind, subject_type, subject_id from import_escrow where wanted > held`
  await tx`
    insert into import_due
    select owner_id, currency, 1, change, 'opening', 'users', owner_id from (
      select b.owner_id, b.currency,
        b.amount + coalesce(r.amount, 0) - coalesce(a.balance, 0) + coalesce(e.change, 0)::bigint as change
      from (
        select owner_id, currency, sum(amount)::bigint as amount from (
          select owner_id, currency, amount from import_balances
          union all select owner_id, currency, 0 from import_holds
          union all select owner_id, currency, 0 from import_escrow
          union all select owner_id, currency, 0 from ledger_accounts where owner_id > 0
        ) every group by 1, 2
      ) b
      left join ledger_accounts a on a.owner_id = b.owner_id and a.currency = b.currency
      left join (
        select owner_id, currency, sum(amount)::bigint as amount from import_holds where given_back group by 1, 2
      ) r on r.owner_id = b.owner_id and r.currency = b.currency
      left join (
        select owner_id, currency, sum(wanted - held) as change from import_escrow group by 1, 2
      ) e on e.owner_id = b.owner_id and e.currency = b.currency
    ) d where change <> 0`
  await tx`drop table import_escrow`
  await tx`create index on import_due (owner_id)`
}

const HELD = ['pins', 'withdrawals', 'questions', 'question-applications', 'news']

const book = (tx: Tx, after: number, last: number) => tx`
  with moves as materialized (
    select (row_number() over (order by owner_id, currency, part, subject_type, subject_id))::int as n, currency,
      case part when 0 then ${PLATFORM_ACCOUNTS.escrow}::bigint
        when 1 then case when amount > 0 then ${PLATFORM_ACCOUNTS.issuance}::bigint else owner_id end
        else owner_id end as from_id,
      case part when 2 then ${PLATFORM_ACCOUNTS.escrow}::bigint
        when 1 then case when amount > 0 then owner_id else ${PLATFORM_ACCOUNTS.issuance}::bigint end
        else owner_id end as to_id,
      abs(amount) as amount, kind, subject_type, subject_id, null::text as title, null::text as body
    from import_due where owner_id > ${after} and owner_id <= ${last}
  ),
  ${movementsClause(tx)}
  select count(*) from posted`

export type ImportedBalance = {
  currency: Currency
  counted: number
  given_back: number
  waiting: number
  owned: number
}

/** Sums balances by currency. In a correct import `owned` equals `counted` plus `given_back`. */
export const sumBalances = (sql: Db) => sql<ImportedBalance[]>`
  select currency, (select coalesce(sum(amount), 0)::bigint from import_balances b where b.currency = c.currency) as counted,
    (select coalesce(sum(amount) filter (where given_back), 0)::bigint from import_holds h where h.currency = c.currency)
      as given_back,
    (select coalesce(sum(amount) filter (where not given_back), 0)::bigint from import_holds h
      where h.currency = c.currency) as waiting,
    (select coalesce(sum(balance), 0)::bigint from ledger_accounts a where a.currency = c.currency and a.owner_id > 0) as owned
  from unnest(array['points', 'wallet']) c(currency)`

export const balanceTables = [points, wallets]
/** Runs after the import of orders, which show whether a wallet is still in use. */
export const oldWalletTables = [oldWallets]

export type Statement = {
  person: number
  currency: Currency
  /** Amounts that the wallets of the source add to the balance. */
  opening: { source: string; amount: number }[]
  escrow: number
  refunded: number
  /** Amounts of the source that Kith does not have, with the reason. */
  skipped: { source: string; amount: number; reason: string }[]
  balance: number
}
const STATEMENTS_AT_ONCE = 500

/** Accounts for the money of each person of the source, in order of their ids, by one query. */
export async function* listStatements(tx: Tx): AsyncGenerator<Statement[]> {
  await tx`
    declare import_statements no scroll cursor for
      with opened as (select owner_id, currency, source, amount from import_balances),
      lost as (
        select split_part(row_key, '/', 1)::bigint as owner_id,
          case source_table when 'currencies' then 'points' else 'wallet' end as currency, source_table as source,
          coalesce(nullif(trim('"' from was), 'null')::numeric, 0) - case outcome when 'mended' then greatest(coalesce(nullif(trim('"' from became), 'null')::numeric, 0), 0) else 0 end
            as amount,
          reason
        from import_notes
        where source_table in ('currencies', 'wallet', 'wallets') and source_column in ('sum', 'balance') and row_key ~ '^\\d+'
      ),
      held as (
        select owner_id, currency, sum(amount) filter (where not given_back) as escrow,
          sum(amount) filter (where given_back) as refunded
        from import_holds group by 1, 2
      ),
      parts as (
        select owner_id, currency, jsonb_agg(jsonb_build_object('source', source, 'amount', amount) order by source) as opening,
          null::jsonb as skipped, 0 as escrow, 0 as refunded
        from opened group by 1, 2
        union all
        select owner_id, currency, null,
          jsonb_agg(jsonb_build_object('source', source, 'amount', amount, 'reason', reason) order by source, reason)
            filter (where amount <> 0), 0, 0
        from lost group by 1, 2
        union all
        select owner_id, currency, null, null, escrow, refunded from held
      ),
      people as (
        select owner_id, currency, max(opening::text)::jsonb as opening, max(skipped::text)::jsonb as skipped,
          sum(escrow) as escrow, sum(refunded) as refunded
        from parts group by 1, 2
      )
      select p.owner_id as person, p.currency, coalesce(p.opening, '[]') as opening,
        coalesce(p.escrow, 0)::bigint as escrow, coalesce(p.refunded, 0)::bigint as refunded,
        coalesce(p.skipped, '[]') as skipped, coalesce(a.balance, 0)::bigint as balance
      from people p left join ledger_accounts a on a.owner_id = p.owner_id and a.currency = p.currency
      order by 1, 2`
  for (;;) {
    const rows = await tx<Statement[]>`fetch ${tx.unsafe(String(STATEMENTS_AT_ONCE))} from import_statements`
    if (rows.length === 0) break
    yield [...rows]
  }
  await tx`close import_statements`
}

import type { Db, Sql, Tx } from '#platform/database'

export type Keyed = { name: string; key: string[] }

/** Schema that records which rows the demo created. Only the demo creates and drops the schema. */
export const JOURNAL = 'kith_demo'

/** Tables that the journal ignores, because their rows expire, are recomputed or describe the database. */
const NOT_JOURNALED = [
  ...['migrations', 'secret_checks', 'statistic_series', 'daily_statistics', 'ledger_checkpoints'],
  ...['period_sum_windows', 'period_sums'],
]

export const keyedTables = (sql: Db) => sql<Keyed[]>`
  select c.relname::text as name,
    array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) as key
  from pg_index i join pg_class c on c.oid = i.indrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::int2[])
  where i.indisprimary and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    and c.relname <> all(${NOT_JOURNALED})
  group by c.relname order by c.relname`

const names = (key: string[]) => key.map((column) => `"${column}"`).join(', ')

export async function hasDemo(sql: Db): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select to_regclass(${`${JOURNAL}.run`}) is not null as found`
  return row.found
}

/** Runs a transaction without a statement timeout, because a large demo has millions of rows. */
const withoutTimeout = (sql: Sql, work: (tx: Tx) => Promise<void>) =>
  sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await work(tx)
  })

export async function openJournal(sql: Sql, seed: number, scale: string): Promise<void> {
  await withoutTimeout(sql, async (tx) => {
    await tx.unsafe(`drop schema if exists ${JOURNAL} cascade; create schema ${JOURNAL}`)
    for (const { name, key } of await keyedTables(tx))
      await tx.unsafe(`create table ${JOURNAL}."before_${name}" as select ${names(key)} from "${name}"`)
    await tx.unsafe(`create table ${JOURNAL}.run (seed bigint, scale text, at timestamptz default now())`)
    await tx`insert into kith_demo.run (seed, scale) values (${seed}, ${scale})`
  })
}

export async function closeJournal(sql: Sql): Promise<void> {
  await withoutTimeout(sql, async (tx) => {
    for (const { name, key } of await keyedTables(tx))
      await tx.unsafe(
        `create table ${JOURNAL}."made_${name}" as
           select ${names(key)} from "${name}" except all select ${names(key)} from ${JOURNAL}."before_${name}";
         drop table ${JOURNAL}."before_${name}"`,
      )
  })
}

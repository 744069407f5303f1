import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import { discardDayCounts } from '#modules/statistics/index.ts'
import type { Sql } from '#platform/database'

/** Maps the real time of a write to its time in the demo. Both are Unix times in milliseconds. */
export type Mark = { written: number; happened: number }

const LEFT_ALONE = [
  'tokens',
  'token_families',
  'verification_codes',
  'idempotency_keys',
  'migrations',
  'secret_checks',
  'webhook_deliveries',
  'webhook_endpoints',
]

type Column = { table_name: string; columns: string[] }

/**
 * Moves timestamps of written rows to their times in the demo, in the same order. Timestamps outside the time
 * of the writes, such as the future end of a pin, stay unchanged.
 */
export async function spreadInTime(sql: Sql, marks: Mark[]): Promise<void> {
  const columns = await sql<Column[]>`
    select table_name, array_agg(column_name order by ordinal_position)::text[] as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and t.table_type = 'BASE TABLE' and data_type = 'timestamp with time zone'
      and is_generated = 'NEVER' and table_name <> all(${LEFT_ALONE})
    group by table_name order by table_name`
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      create temporary table demo_marks (
        written timestamptz primary key, happened timestamptz not null, pace float8 not null
      ) on commit drop`
    // Compresses the timestamps of a step whose writes took longer than the step lasts in the demo, so that
    // steps do not overlap.
    await tx`
      insert into demo_marks
      select written, happened, least(1, coalesce(
        extract(epoch from lead(happened) over marks - happened) / extract(epoch from lead(written) over marks - written), 1))
      from (
        select distinct on (written) to_timestamp(written / 1000) as written, to_timestamp(happened / 1000) as happened
        from unnest(${marks.map(({ written }) => written)}::float8[], ${marks.map(({ happened }) => happened)}::float8[])
          as mark (written, happened)
        order by written, happened
      ) as mark
      window marks as (order by written)`
    await tx`analyze demo_marks`
    // Disables all user triggers of these tables, because those of the ledger and the audit log forbid changes. Here
    // their rows may change, because no reader has seen them yet.
    const guarded = await tx<{ name: string }[]>`
      select distinct tgrelid::regclass::text as name from pg_trigger
      where not tgisinternal and tgrelid::regclass::text = any(${columns.map(({ table_name }) => table_name)})`
    for (const { name } of guarded) await tx.unsafe(`alter table ${name} disable trigger user`)
    const [{ first, last, since }] = await tx<[{ first: string; last: string; since: string }]>`
      select min(written)::text as first, max(written)::text as last, min(happened)::date::text as since from demo_marks`
    for (const { table_name, columns: names } of columns) {
      const moved = (name: string) => `(select m.happened + (t.${name} - m.written) * m.pace from demo_marks m
        where m.written <= t.${name} order by m.written desc limit 1)`
      const during = (name: string) => `t.${name} between '${first}' and '${last}'`
      const changes = names.map(
        (name) => `"${name}" = case when ${during(name)} then ${moved(name)} else t.${name} end`,
      )
      await tx.unsafe(
        `update "${table_name}" t set ${changes.join(', ')} where ${names.map(during).join(' or ')}`,
      )
    }
    for (const { name } of guarded) await tx.unsafe(`alter table ${name} enable trigger user`)
    // Discards daily counts, because activity moved into days that the server had already counted.
    await discardDayCounts(tx, since)
    await invalidatePeriodSums(tx)
  })
}

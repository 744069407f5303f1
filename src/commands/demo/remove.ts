import { forgetDays } from '#modules/statistics/index.ts'
import type { Sql, Tx } from '#platform/database.ts'
import { forgetSums } from '#platform/period-sums.ts'
import { JOURNAL, type Keyed, keyedTables } from './journal.ts'

/** Columns that say whose a row is. */
const OWNERS = ['user_id', 'owner_id', 'creator_user_id', 'sender_id']

/** Where what is named on the wire lies. */
const KINDS: Record<string, string> = {
  feeds: 'feeds',
  news: 'news',
  musics: 'music_songs',
  music_specials: 'music_specials',
  questions: 'questions',
  'question-answers': 'answers',
  groups: 'groups',
  'group-posts': 'group_posts',
  comments: 'comments',
  users: 'users',
  'feed-topics': 'feed_topics',
}
const ATTACHED = ['commentable', 'likeable', 'collectible', 'reportable', 'rewardable']
/** Their bytes are deleted by the job that deletes what nobody took. */
const WITH_BYTES = ['files', 'file_uses', 'storage_nodes']

type Reference = {
  child: string
  columns: string[]
  parent: string
  parent_columns: string[]
  cascades: boolean
}

const doomed = (table: string) => `pg_temp."doomed_${table}"`
const same = (a: string, b: string, columns: string[], others = columns) =>
  columns.map((column, n) => `${a}."${column}" = ${b}."${others[n]}"`).join(' and ')
const keys = (alias: string, key: string[]) => key.map((column) => `${alias}."${column}"`).join(', ')

/** Money moved between people of the demo and others: it cannot be undone for one side alone. */
export class DealtWithOthers extends Error {}

/**
 * Takes away what the demo made, what its people did since, and what hangs on either. What others made stays, and with it
 * what they cannot do without (the category of somebody's group). Answers how many rows went.
 */
export async function removeRows(sql: Sql): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    const tables = await keyedTables(tx)
    await doom(tx, tables)
    await refuseDealings(tx)
    await tx.unsafe(`insert into ${doomed('ledger_postings')}
      select p.owner_id, p.currency, p.id from ledger_postings p
      where p.transaction_id in (select l.transaction_id from ledger_postings l
        join ${doomed('ledger_postings')} d on ${same('d', 'l', ['owner_id', 'currency', 'id'])})
      on conflict do nothing`)
    const [{ since }] = await tx<[{ since: string }]>`
      select coalesce(min(created_at), now())::date::text as since from users where id in (select id from doomed_users)`
    const references = await findReferences(tx)
    let rows = 0
    for (const table of childrenFirst(tables, references)) rows += await removeFrom(tx, table)
    // Sums of what is no longer there; a job makes them anew.
    await tx`delete from ledger_checkpoints`
    await forgetDays(tx, since)
    await forgetSums(tx)
    await tx.unsafe(`drop schema ${JOURNAL} cascade`)
    return rows
  }) as Promise<number>
}

async function doom(tx: Tx, tables: Keyed[]): Promise<void> {
  for (const { name, key } of tables) {
    await tx.unsafe(`create temporary table "doomed_${name}" (like "${name}") on commit drop`)
    const [{ columns }] = await tx<[{ columns: string[] }]>`
      select array_agg(attname::text) as columns from pg_attribute
      where attrelid = ${`"${name}"`}::regclass and attnum > 0 and not attisdropped`
    for (const column of columns.filter((each) => !key.includes(each)))
      await tx.unsafe(`alter table "doomed_${name}" drop column "${column}"`)
    await tx.unsafe(
      `alter table "doomed_${name}" add primary key (${keys(`"doomed_${name}"`, key).replaceAll(`"doomed_${name}".`, '')})`,
    )
    await tx.unsafe(`insert into ${doomed(name)} select ${keys('m', key)} from ${JOURNAL}."made_${name}" m`)
  }
  for (const { name } of tables) await tx.unsafe(`analyze ${doomed(name)}`)
  for (const { name, key } of tables) {
    const own = await tx<{ column: string }[]>`
      select column_name::text as column from information_schema.columns
      where table_schema = 'public' and table_name = ${name} and column_name = any(${OWNERS}) and data_type = 'bigint'`
    for (const { column } of own)
      await tx.unsafe(`insert into ${doomed(name)} select ${keys('t', key)} from "${name}" t
        where t."${column}" in (select id from ${doomed('users')}) on conflict do nothing`)
  }
  for (const { name, key } of tables)
    for (const what of ATTACHED) {
      const [{ count }] = await tx<[{ count: number }]>`
        select count(*)::int from information_schema.columns
        where table_schema = 'public' and table_name = ${name} and column_name = any(${[`${what}_type`, `${what}_id`]})`
      if (count < 2) continue
      for (const [kind, table] of Object.entries(KINDS))
        await tx.unsafe(`insert into ${doomed(name)} select ${keys('t', key)} from "${name}" t
          where t.${what}_type = '${kind}' and t.${what}_id in (select id from ${doomed(table)}) on conflict do nothing`)
    }
  const references = await findReferences(tx)
  const keyOf = new Map(tables.map(({ name, key }) => [name, key]))
  const follow = (link: (reference: Reference, key: string[]) => string | null) =>
    settle(async () => {
      let changed = 0
      for (const reference of references) {
        const key = keyOf.get(reference.child)
        const statement = key && keyOf.has(reference.parent) ? link(reference, key) : null
        if (statement) changed += (await tx.unsafe(statement)).count
      }
      return changed
    })
  await follow((reference, key) =>
    goesAlong(reference, key)
      ? `insert into ${doomed(reference.child)} select ${keys('t', key)} from "${reference.child}" t
           join "${reference.parent}" p on ${same('t', 'p', reference.columns, reference.parent_columns)}
           join ${doomed(reference.parent)} d on ${same('d', 'p', keyOf.get(reference.parent)!)}
         on conflict do nothing`
      : null,
  )
  await follow((reference, key) =>
    goesAlong(reference, key)
      ? null
      : `delete from ${doomed(reference.parent)} d using "${reference.parent}" p, "${reference.child}" t
         where ${same('d', 'p', keyOf.get(reference.parent)!)} and ${same('t', 'p', reference.columns, reference.parent_columns)}
           and not exists (select from ${doomed(reference.child)} c where ${same('c', 't', key)})`,
  )
}

/** A row that links, or belongs to, what goes away goes with it; a thing of its own stays. */
const goesAlong = ({ cascades, columns }: Reference, key: string[]) =>
  cascades || key.length > 1 || key.every((column) => columns.includes(column))

async function settle(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}

const findReferences = (tx: Tx) => tx<Reference[]>`
  select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent, c.confdeltype = 'c' as cascades,
    (select array_agg(a.attname::text order by n) from unnest(c.conkey) with ordinality k (num, n)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.num) as columns,
    (select array_agg(a.attname::text order by n) from unnest(c.confkey) with ordinality k (num, n)
      join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.num) as parent_columns
  from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`

async function refuseDealings(tx: Tx): Promise<void> {
  const [{ count }] = await tx.unsafe<[{ count: number }]>(`
    select count(*)::int from ledger_postings p
    where p.owner_id in (select id from ${doomed('users')}) and p.counterpart > 0
      and p.counterpart not in (select id from ${doomed('users')})`)
  if (count > 0)
    throw new DealtWithOthers(
      `People of the demo and others have paid each other ${count} times. The ledger forgets nothing of anybody, so the demo stays.`,
    )
}

/** Tables in an order in which what refers to a row goes before it. */
function childrenFirst(tables: Keyed[], references: Reference[]): Keyed[] {
  const order: Keyed[] = []
  const visit = (table: Keyed, above: string[]) => {
    if (order.includes(table) || above.includes(table.name)) return
    for (const { child } of references.filter(({ parent }) => parent === table.name)) {
      const below = tables.find(({ name }) => name === child)
      if (below) visit(below, [...above, table.name])
    }
    order.push(table)
  }
  for (const table of tables) visit(table, [])
  return order
}

async function removeFrom(tx: Tx, { name, key }: Keyed): Promise<number> {
  const where = `from ${doomed(name)} d where ${same('t', 'd', key)}`
  if (name === 'file_uses')
    await tx.unsafe(
      `update file_uses t set channel = null, raw = null, attached_at = null, created_at = now() - interval '3 days' ${where}`,
    )
  if (name === 'storage_nodes')
    await tx.unsafe(
      `update storage_nodes t set used_at = null, created_at = now() - interval '3 days' ${where}`,
    )
  if (name === 'files') await tx.unsafe(`update files t set uploaded_at = now() - interval '3 days' ${where}`)
  if (WITH_BYTES.includes(name)) return 0
  await tx.unsafe(`alter table "${name}" disable trigger user`)
  const { count } = await tx.unsafe(
    `delete from "${name}" t using ${doomed(name)} d where ${same('t', 'd', key)}`,
  )
  await tx.unsafe(`alter table "${name}" enable trigger user`)
  return count
}

import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import { discardDayCounts } from '#modules/statistics/index.ts'
import type { Sql, Tx } from '#platform/database'
import { JOURNAL, type Keyed, keyedTables } from './journal.ts'

const OWNERS = ['user_id', 'owner_id', 'creator_user_id', 'sender_id']

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
const WITH_BYTES = ['files', 'file_uses', 'storage_nodes']

type Reference = {
  child: string
  columns: string[]
  parent: string
  parent_columns: string[]
  cascades: boolean
}

const MANY = 10_000

const doomed = (table: string) => `${JOURNAL}."made_${table}"`
const same = (a: string, b: string, columns: string[], others = columns) =>
  columns.map((column, n) => `${a}."${column}" = ${b}."${others[n]}"`).join(' and ')
const keys = (alias: string, key: string[]) => key.map((column) => `${alias}."${column}"`).join(', ')
const names = (key: string[]) => key.map((column) => `"${column}"`).join(', ')

/** Thrown when demo users and other users paid each other, because the ledger cannot lose one side of a payment. */
export class DealtWithOthers extends Error {}

/**
 * Deletes demo rows, rows that demo users created afterwards, and dependent rows. Keeps rows that data of
 * other users references, such as the category of a group.
 */
export async function removeRows(sql: Sql, { many = MANY } = {}): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    // Avoids sorting on disk, because the joins read millions of rows.
    await tx`set local work_mem = '128MB'`
    const tables = await keyedTables(tx)
    const references = await findReferences(tx)
    await doom(tx, tables, references)
    await refuseDealings(tx)
    const postings = tables.find(({ name }) => name === 'ledger_postings')!
    await doomRows(
      tx,
      postings,
      `t.transaction_id in (select l.transaction_id from ledger_postings l
         join ${doomed('ledger_postings')} d on ${same('d', 'l', postings.key)})`,
    )
    const [{ since }] = await tx.unsafe<[{ since: string }]>(
      `select coalesce(min(created_at), now())::date::text as since from users where id in (select id from ${doomed('users')})`,
    )
    const ordered = childrenFirst(tables, references)
    let rows = await emptyWhole(tx, ordered, references, many)
    for (const table of ordered) rows += await removeFrom(tx, table)
    // Deletes the checkpoints, because they include deleted postings. A job recomputes the checkpoints.
    await tx`delete from ledger_checkpoints`
    await discardDayCounts(tx, since)
    await invalidatePeriodSums(tx)
    await tx.unsafe(`drop schema ${JOURNAL} cascade`)
    return rows
  }) as Promise<number>
}

const doomRows = (tx: Tx, { name, key }: Keyed, condition: string) =>
  tx.unsafe(`insert into ${doomed(name)} (${names(key)}) select ${keys('t', key)} from "${name}" t
    where (${condition}) and not exists (select from ${doomed(name)} d where ${same('d', 't', key)})`)

async function doom(tx: Tx, tables: Keyed[], references: Reference[]): Promise<void> {
  for (const { name, key } of tables) {
    // Creates the missing list of rows to delete for a table that a migration added after the demo was
    // created.
    await tx.unsafe(
      `create table if not exists ${doomed(name)} as select ${keys('t', key)} from "${name}" t where false`,
    )
    await tx.unsafe(`analyze ${doomed(name)}`)
  }
  const columns = Map.groupBy(
    await tx<{ table: string; name: string; type: string }[]>`
      select table_name::text as table, column_name::text as name, data_type::text as type
      from information_schema.columns where table_schema = 'public'`,
    ({ table }) => table,
  )
  for (const table of tables) {
    const own = (columns.get(table.name) ?? []).filter(
      ({ name, type }) => OWNERS.includes(name) && type === 'bigint',
    )
    const owned = own.map(({ name }) => `t."${name}" in (select id from ${doomed('users')})`)
    if (owned.length > 0) await doomRows(tx, table, owned.join(' or '))
  }
  for (const table of tables) {
    const known = new Set((columns.get(table.name) ?? []).map(({ name }) => name))
    const attached = ATTACHED.filter((what) => known.has(`${what}_type`) && known.has(`${what}_id`)).flatMap(
      (what) =>
        Object.entries(KINDS).map(
          ([kind, of]) => `(t.${what}_type = '${kind}' and t.${what}_id in (select id from ${doomed(of)}))`,
        ),
    )
    if (attached.length > 0) await doomRows(tx, table, attached.join(' or '))
  }
  const tableOf = new Map(tables.map((table) => [table.name, table]))
  const between = references.filter(({ child, parent }) => tableOf.has(child) && tableOf.has(parent))
  const [along, alone] = [true, false].map((goes) =>
    between.filter((reference) => goesAlong(reference, tableOf.get(reference.child)!.key) === goes),
  ) as [Reference[], Reference[]]
  await settle(along, 'parent', 'child', ({ child, parent, columns: refers, parent_columns }) =>
    doomRows(
      tx,
      tableOf.get(child)!,
      `(${keys('t', refers)}) in (select ${keys('p', parent_columns)} from "${parent}" p
         join ${doomed(parent)} d on ${same('d', 'p', tableOf.get(parent)!.key)})`,
    ),
  )
  await settle(alone, 'child', 'parent', ({ child, parent, columns: refers, parent_columns }) =>
    tx.unsafe(
      `delete from ${doomed(parent)} d using "${parent}" p, "${child}" t
       where ${same('d', 'p', tableOf.get(parent)!.key)} and ${same('t', 'p', refers, parent_columns)}
         and not exists (select from ${doomed(child)} c where ${same('c', 't', tableOf.get(child)!.key)})`,
    ),
  )
}

const goesAlong = ({ cascades, columns }: Reference, key: string[]) =>
  cascades || key.length > 1 || key.every((column) => columns.includes(column))

async function settle(
  references: Reference[],
  from: 'parent' | 'child',
  to: 'parent' | 'child',
  follow: (reference: Reference) => PromiseLike<{ count: number }>,
): Promise<void> {
  for (let due = references; due.length > 0; ) {
    const changed = new Set<string>()
    for (const reference of due) if ((await follow(reference)).count > 0) changed.add(reference[to])
    due = references.filter((reference) => changed.has(reference[from]))
  }
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
      `Demo users and other users have paid each other ${count} times. The ledger keeps every payment, so the demo data cannot be deleted.`,
    )
}

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

/**
 * Truncates large tables that keep no rows, together with the tables that reference them. Deleting single rows would
 * search every referencing table. Returns the number of deleted rows.
 */
async function emptyWhole(tx: Tx, ordered: Keyed[], references: Reference[], many: number): Promise<number> {
  const wholes = new Set<string>()
  const large: string[] = []
  let rows = 0
  const childrenOf = (table: string) =>
    references.flatMap(({ child, parent }) => (parent === table && child !== table ? [child] : []))
  for (const { name, key } of ordered) {
    if (WITH_BYTES.includes(name) || !childrenOf(name).every((child) => wholes.has(child))) continue
    const [{ stays, count }] = await tx.unsafe<[{ stays: boolean; count: number }]>(`
      select exists (select from "${name}" t where not exists (select from ${doomed(name)} d where ${same('d', 't', key)})) as stays,
        (select count(*)::int from "${name}") as count`)
    if (stays) continue
    wholes.add(name)
    if (count >= many) large.push(name)
  }
  const emptied = new Set<string>()
  const add = (table: string) => {
    if (emptied.has(table)) return
    emptied.add(table)
    for (const child of childrenOf(table)) add(child)
  }
  for (const table of large) add(table)
  if (emptied.size === 0) return 0
  for (const table of emptied) {
    await tx.unsafe(`alter table "${table}" disable trigger user`)
    const [{ count }] = await tx.unsafe<[{ count: number }]>(`select count(*)::int from "${table}"`)
    rows += count
  }
  await tx.unsafe(`truncate ${[...emptied].map((table) => `"${table}"`).join(', ')}`)
  for (const table of emptied) await tx.unsafe(`alter table "${table}" enable trigger user`)
  return rows
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

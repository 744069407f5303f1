import type { Db } from '#platform/database.ts'

/** What of a database's catalogue tells which tables a statement reads and writes. */
export type Catalogue = {
  /** Tables, and views with the text of their queries. */
  relations: ReadonlyMap<string, { view: string | null }>
  /** The tables whose rows go, or lose what they point at, when rows of a table are deleted. */
  cascades: ReadonlyMap<string, readonly string[]>
  /** The tables whose rows change when a key of a table is given another value. */
  follows: ReadonlyMap<string, readonly string[]>
  /** The bodies of what triggers of a table run. */
  triggers: ReadonlyMap<string, readonly string[]>
  /** The bodies of the functions that are no part of PostgreSQL; null for one that cannot be read. */
  functions: ReadonlyMap<string, string | null>
}

const OURS = "n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'"

/** Reads the catalogue of the database, which changes with migrations only. */
export async function readCatalogue(sql: Db): Promise<Catalogue> {
  const relations = await sql.unsafe<{ name: string; view: string | null }[]>(`
    select c.relname as name, case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end as view
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'f')`)
  const links = await sql.unsafe<{ name: string; target: string; deletes: boolean; updates: boolean }[]>(`
    select r.relname as name, t.relname as target, k.confdeltype in ('c', 'n', 'd') as deletes,
      k.confupdtype in ('c', 'n', 'd') as updates
    from pg_constraint k
    join pg_class r on r.oid = k.confrelid join pg_class t on t.oid = k.conrelid where k.contype = 'f'`)
  const triggers = await sql.unsafe<{ name: string; body: string }[]>(`
    select c.relname as name, p.prosrc as body from pg_trigger g
    join pg_class c on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid where not g.tgisinternal`)
  const functions = await sql.unsafe<{ name: string; body: string | null }[]>(`
    select p.proname as name, case when l.lanname in ('sql', 'plpgsql') then coalesce(p.prosrc, '') end as body
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where ${OURS} and p.prokind <> 'a'`)
  const gather = <T extends { name: string }, V>(rows: readonly T[], value: (row: T) => V) =>
    new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, found]) => [name, found.map(value)]))
  return {
    relations: new Map(relations.map(({ name, view }) => [name, { view }])),
    cascades: gather(
      links.filter(({ deletes }) => deletes),
      ({ target }) => target,
    ),
    follows: gather(
      links.filter(({ updates }) => updates),
      ({ target }) => target,
    ),
    triggers: gather(triggers, ({ body }) => body),
    functions: new Map(functions.map(({ name, body }) => [name, body])),
  }
}

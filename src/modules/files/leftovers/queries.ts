import type { Db } from '#platform/database.ts'

/** Those of the keys that no row names: no upload, no variant, no node, and no picture that an import is to write. */
export const listUnnamed = (sql: Db, keys: string[]) => sql<{ key: string }[]>`
  select key from unnest(${keys}::text[], ${keys.map((key) => key.replace('/', ':'))}::text[]) as t (key, node)
  where not exists (select from files f where f.storage_key = t.key)
    and not exists (select from file_variants v where v.storage_key = t.key)
    and not exists (select from storage_nodes n where n.node = t.node)
    and not exists (select from import_pictures p where p.node = t.node)`

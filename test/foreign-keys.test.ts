import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const READ_WHOLE: Record<string, string> = {
  'groups.category_id': 'categories are few and rarely deleted, so a scan of the groups suffices',
  'role_abilities.ability': 'abilities are never deleted, and the table is small',
}

type Reference = { name: string; is_indexed: boolean }

test('indexes the columns of every foreign key except those in READ_WHOLE', async () => {
  const { sql } = await createWorld()
  const references = await sql<Reference[]>`
    select c.conrelid::regclass::text || '.' || array_to_string(n.columns, ',') as name,
      exists (
        select from pg_index i
        where i.indrelid = c.conrelid and i.indisvalid
          and array(select unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) order by 1)
            = array(select unnest(c.conkey) order by 1)
          -- A partial index on non-null values suffices, because deletions never look up null.
          and (i.indpred is null
            or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', n.columns[1]))
      ) as is_indexed
    from pg_constraint c, lateral (
      select array(
        select a.attname::text from unnest(c.conkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number order by place
      ) as columns
    ) n
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace`
  assert.ok(references.length > 80, `saw only ${references.length} references`)
  const without = references.filter(({ is_indexed }) => !is_indexed).map(({ name }) => name)
  assert.deepEqual(without.sort(), Object.keys(READ_WHOLE))
})

import { nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database'
import { kindOf } from '../classes.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { all, detached, forgotten, freedNames, replaced, targeted } from '../database/vanishing.ts'
import { findTargets, relation, saveTargets, upsert } from '../database/write.ts'

function firstOfName<R extends { id: number | null; name: string | null }>(rows: R[]) {
  const first = new Map<string, R>()
  const targets = new Map<number, number>()
  for (const row of rows) {
    const key = nameKey(row.name ?? '') || `${row.id}`
    const kept = first.get(key) ?? row
    first.set(key, kept)
    targets.set(row.id ?? 0, kept.id ?? 0)
  }
  return { kept: [...first].map(([key, row]) => ({ key, row })), targets }
}

const categories = defineTable({
  table: 'tag_categories',
  by: null,
  into: [{ table: 'tag_categories' }],
  key: ['id'],
  gone: all(
    freedNames('tag_categories'),
    detached('tag_categories', async (tx, ids) => {
      const other = await otherCategory(tx, ids)
      await tx`update tags set tag_category_id = ${other} where tag_category_id = any(${ids})`
      return other
    }),
    forgotten('tag_categories'),
  ),
  reread: 'always',
  columns: { id: 'int', name: 'text', weight: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const { kept, targets } = firstOfName(rows)
    for (const row of rows)
      if (targets.get(row.id ?? 0) !== row.id) batch.merge(row, 'another category has this name')
    const given = kept.map(({ key, row }) => ({
      id: row.id,
      name: row.name?.trim() || `category ${row.id}`,
      name_key: key,
      weight: row.weight ?? 0,
      created_at: row.created_at ?? EPOCH,
    }))
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      weight: 'int',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'tag_categories', columns, given)
    await saveTargets(tx, 'tag_categories', targets)
  },
})

const tags = defineTable({
  table: 'tags',
  // Imports all tags in one batch, because names must be unique across categories.
  by: null,
  into: [{ table: 'tags' }],
  key: ['id'],
  gone: all(
    freedNames('tags'),
    detached('tags', async (tx, ids) => {
      for (const table of ['user_tags', 'news_tags', 'group_tags'])
        await tx`delete from ${tx(table)} where tag_id = any(${ids})`
    }),
    forgotten('tags'),
  ),
  reread: 'always',
  states: targeted('tags'),
  batch: 100_000,
  columns: { id: 'int', name: 'text', tag_category_id: 'int', weight: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const { kept, targets } = firstOfName(rows)
    const found = await findTargets(
      tx,
      'tag_categories',
      rows.map((row) => row.tag_category_id),
    )
    for (const row of rows)
      if (targets.get(row.id ?? 0) !== row.id) batch.merge(row, 'another tag has this name')
    const orphans = kept.filter(({ row }) => !found.has(row.tag_category_id ?? 0))
    const other = orphans.length > 0 ? await otherCategory(tx) : 0
    for (const { row } of orphans)
      batch.mend(row, 'its category no longer exists: moved to another', 'tag_category_id')
    const given = kept.map(({ key, row }) => ({
      id: row.id,
      tag_category_id: Number(found.get(row.tag_category_id ?? 0) ?? other),
      name: row.name?.trim() || `tag ${row.id}`,
      name_key: key,
      weight: row.weight ?? 0,
      created_at: row.created_at ?? EPOCH,
    }))
    const columns = {
      id: 'bigint',
      tag_category_id: 'bigint',
      name: 'text',
      name_key: 'text',
      weight: 'int',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'tags', columns, given)
    await saveTargets(tx, 'tags', targets)
  },
})

async function otherCategory(sql: Db, gone: number[] = []): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with first as (select id from tag_categories where not id = any(${gone}::bigint[]) order by id limit 1),
    made as (
      insert into tag_categories (id, name, name_key) select 1, '其他', '其他' where not exists (select from first)
      on conflict (id) do update set name = excluded.name, name_key = excluded.name_key, weight = excluded.weight,
        created_at = excluded.created_at
      returning id
    )
    select id from first union all select id from made`
  return row?.id ?? 0
}

export const tagged = (
  kinds: Record<string, (sql: Db, links: { id: number; tag: number }[]) => Promise<unknown>>,
) =>
  defineTable({
    table: 'taggables',
    by: 'taggable_id',
    scope: 'taggable_type',
    width: 2000,
    into: null,
    key: ['tag_id', 'taggable_type', 'taggable_id'],
    gone: replaced(
      { table: 'user_tags', by: 'user_id' },
      { table: 'news_tags', by: 'news_id' },
      { table: 'group_tags', by: 'group_id' },
    ),
    reads: {
      tags: ['tag_id'],
      users: ['taggable_id'],
      news: ['taggable_id'],
      groups: ['taggable_id'],
    },
    columns: { tag_id: 'int', taggable_type: 'text', taggable_id: 'int' },
    async write(tx, rows, batch) {
      const targets = await findTargets(
        tx,
        'tags',
        rows.map((row) => row.tag_id),
      )
      const byKind = Map.groupBy(rows, (row) => kindOf(row.taggable_type))
      for (const [kind, list] of byKind) {
        const write = kind === undefined ? undefined : kinds[kind]
        const found =
          kind === undefined
            ? new Map()
            : await batch.find(
                kind,
                list.map((row) => row.taggable_id),
              )
        const links = list.flatMap((row) => {
          const tag = Number(targets.get(row.tag_id ?? 0) ?? 0)
          const same = `${kind} ${row.taggable_id} ${tag}`
          if (!write) batch.leaveOut(row, 'unsupported kind of tagged content')
          else if (tag === 0) batch.leaveOut(row, 'the tag no longer exists')
          else if (!found.has(row.taggable_id ?? 0))
            batch.leaveOut(row, 'the tagged content no longer exists')
          else if (batch.memory.has(same)) batch.merge(row, 'duplicate')
          else {
            batch.memory.set(same, true)
            return [{ id: row.taggable_id ?? 0, tag }]
          }
          return []
        })
        await write?.(tx, links)
      }
    },
  })

export const tagPeople = (sql: Db, links: { id: number; tag: number }[]) => sql`
  insert into user_tags (user_id, tag_id) select id, tag from ${relation(sql, { id: 'bigint', tag: 'bigint' }, links)}
  on conflict do nothing`

export const tagTables = [categories, tags]

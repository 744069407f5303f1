import { kindOf } from '#lib/thinksns.ts'
import { type Columns, defineTable, type TableImport } from '#platform/database-import/table.ts'
import { EPOCH } from '#platform/database-import/times.ts'
import { findByKind, relation, upsert } from '#platform/database-import/write.ts'

const COLUMNS = {
  id: 'bigint',
  user_id: 'bigint',
  collectible_type: 'text',
  collectible_id: 'bigint',
  created_at: 'timestamptz',
}

/** A table of what people collected: of one kind, or of those that its rows name. */
function collected(table: string, column: string, own?: string): TableImport {
  const columns: Columns = {
    id: 'int',
    user_id: 'int',
    [column]: 'int',
    ...(own === undefined ? { collectible_type: 'text' } : {}),
    created_at: 'time',
  }
  return defineTable({
    table,
    // By what was collected: so a range can be compared with what is here, and all rows of one are in the same.
    by: column,
    ...(own === undefined ? { scope: 'collectible_type' } : {}),
    width: 2000,
    key: ['id'],
    order: ['collectible_type', 'user_id', 'id'],
    columns,
    async write(tx, rows, batch) {
      const people = await batch.find(
        'users',
        rows.map((row) => Number(row.user_id)),
      )
      const content = await findByKind(batch, rows, (row) => ({
        kind: own ?? kindOf(row.collectible_type as string | null),
        id: Number(row[column]),
      }))
      const given = rows.flatMap((row) => {
        const target = content.get(row)
        if (!people.has(Number(row.user_id))) batch.leaveOut(row, 'the person is gone')
        else if (target === undefined) batch.leaveOut(row, 'what was collected is gone')
        else {
          // Rows of the same person and content follow each other, the first one first.
          const same = `${target.kind} ${row[column]} ${row.user_id}`
          if (batch.memory.get('last') === same) batch.merge(row, 'said twice')
          else {
            batch.memory.set('last', same)
            return [
              {
                id: row.id,
                user_id: Number(row.user_id),
                collectible_type: target.kind,
                collectible_id: row[column],
                created_at: row.created_at ?? EPOCH,
              },
            ]
          }
        }
        return []
      })
      await upsert(tx, 'collections', COLUMNS, given, {
        key: ['user_id', 'collectible_type', 'collectible_id'],
      })
    },
    async sweep(tx, { from, to }, rows) {
      const kinds = own === undefined ? ['question-answers', 'group-posts'] : [own]
      const left = rows.map((row) => ({
        user_id: Number(row.user_id),
        collectible_type: own ?? kindOf(row.collectible_type as string | null) ?? '',
        collectible_id: row[column],
      }))
      await tx`
        delete from collections c
        where collectible_type = any(${kinds}) and collectible_id >= ${from} and collectible_id < ${to} and not exists (
          select from ${relation(tx, { user_id: 'bigint', collectible_type: 'text', collectible_id: 'bigint' }, left)}
          where r.user_id = c.user_id and r.collectible_type = c.collectible_type and r.collectible_id = c.collectible_id)`
    },
  })
}

/** What people collected. Numbers stay: they are cursors of lists of one kind. */
export const collectionTables = [
  collected('collections', 'collectible_id'),
  collected('feed_collections', 'feed_id', 'feeds'),
  collected('news_collections', 'news_id', 'news'),
  collected('music_collections', 'special_id', 'music_specials'),
]

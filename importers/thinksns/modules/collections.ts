import { kindOf } from '../classes.ts'
import { type Columns, defineTable, type TableImport } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { removed } from '../database/vanishing.ts'
import { findByKind, isRepeated, upsert } from '../database/write.ts'

const COLUMNS = {
  id: 'bigint',
  user_id: 'bigint',
  collectible_type: 'text',
  collectible_id: 'bigint',
  created_at: 'timestamptz',
}

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
    // Splits the table by content id, because duplicates are detected only within a range.
    by: column,
    ...(own === undefined ? { scope: 'collectible_type' } : {}),
    width: 2000,
    into: [
      {
        table: 'collections',
        key: {
          user_id: (row) => Number(row.user_id),
          collectible_type: (row) => own ?? kindOf(row.collectible_type as string),
          collectible_id: column,
        },
        columns: {
          user_id: { as: Number },
          [column]: 'collectible_id',
          ...(own === undefined ? { collectible_type: null } : {}),
        },
      },
    ],
    key: ['id'],
    gone: removed({
      table: 'collections',
      by: 'collectible_id',
      key: {
        user_id: (row) => Number(row.user_id),
        collectible_type: (row) => own ?? kindOf(row.collectible_type as string),
        collectible_id: column,
      },
      only: (sql) =>
        sql`t.collectible_type = any(${own === undefined ? ['question-answers', 'group-posts'] : [own]})`,
    }),
    reads: {
      users: ['user_id'],
      ...(own === undefined
        ? { 'question-answers': [column], 'group-posts': [column] }
        : { [own]: [column] }),
    },
    order: ['user_id', 'id'],
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
        if (!people.has(Number(row.user_id))) batch.leaveOut(row, 'the user no longer exists')
        else if (target === undefined) batch.leaveOut(row, 'the collected content no longer exists')
        else {
          if (isRepeated(batch.memory, `${row[column]} ${row.user_id}`, target.kind))
            batch.merge(row, 'duplicate')
          else {
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
  })
}

export const collectionTables = [
  collected('collections', 'collectible_id'),
  collected('feed_collections', 'feed_id', 'feeds'),
  collected('news_collections', 'news_id', 'news'),
  collected('music_collections', 'special_id', 'music_specials'),
]

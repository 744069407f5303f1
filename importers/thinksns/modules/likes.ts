import { kindOf } from '../classes.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { removed } from '../database/vanishing.ts'
import { findByKind, isRepeated, upsert } from '../database/write.ts'

const likes = defineTable({
  table: 'likes',
  by: 'likeable_id',
  scope: 'likeable_type',
  width: 1000,
  into: [
    {
      table: 'likes',
      key: {
        likeable_type: (row) => kindOf(row.likeable_type as string),
        likeable_id: 'likeable_id',
        user_id: 'user_id',
      },
      columns: { likeable_type: null },
    },
  ],
  key: ['id'],
  gone: removed({
    table: 'likes',
    by: 'likeable_id',
    key: {
      likeable_type: (row) => kindOf(row.likeable_type as string),
      likeable_id: 'likeable_id',
      user_id: 'user_id',
    },
  }),
  reads: {
    users: ['user_id'],
    feeds: ['likeable_id'],
    musics: ['likeable_id'],
    music_specials: ['likeable_id'],
    news: ['likeable_id'],
    questions: ['likeable_id'],
    'question-answers': ['likeable_id'],
    'group-posts': ['likeable_id'],
  },
  order: ['user_id', 'id'],
  columns: { id: 'int', user_id: 'int', likeable_type: 'text', likeable_id: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const content = await findByKind(batch, rows, (row) => ({
      kind: kindOf(row.likeable_type),
      id: row.likeable_id,
    }))
    const given = rows.flatMap((row) => {
      const target = content.get(row)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (target === undefined) batch.leaveOut(row, 'the liked content no longer exists')
      else {
        if (isRepeated(batch.memory, `${row.likeable_id} ${row.user_id}`, target.kind))
          batch.merge(row, 'duplicate')
        else {
          return [
            {
              likeable_type: target.kind,
              likeable_id: row.likeable_id,
              user_id: row.user_id,
              id: row.id,
              target_user: target.owner,
              created_at: row.created_at ?? EPOCH,
            },
          ]
        }
      }
      return []
    })
    const columns = {
      likeable_type: 'text',
      likeable_id: 'bigint',
      user_id: 'bigint',
      id: 'bigint',
      target_user: 'bigint',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'likes', columns, given, { key: ['likeable_type', 'likeable_id', 'user_id'] })
  },
})

export const likeTables = [likes]

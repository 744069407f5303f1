import { kindOf } from '../classes.ts'
import { orNone } from '../database/changes.ts'
import { defineTable } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { existing, removed } from '../database/vanishing.ts'
import { findByKind, upsert } from '../database/write.ts'

const comments = defineTable({
  table: 'comments',
  by: 'id',
  into: [
    {
      table: 'comments',
      columns: {
        target_user: orNone,
        reply_user: orNone,
        commentable_type: { as: (name) => kindOf(name as string | null) },
      },
    },
  ],
  key: ['id'],
  gone: removed('comments'),
  reads: {
    users: ['user_id', 'target_user', 'reply_user'],
    feeds: ['commentable_id'],
    musics: ['commentable_id'],
    music_specials: ['commentable_id'],
    news: ['commentable_id'],
    questions: ['commentable_id'],
    'question-answers': ['commentable_id'],
    'group-posts': ['commentable_id'],
  },
  states: existing('comments', 'comments', (sql) => sql`user_id`),
  columns: {
    id: 'int',
    user_id: 'int',
    target_user: 'int',
    reply_user: 'int',
    body: 'text',
    commentable_type: 'text',
    commentable_id: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.flatMap((row) => [row.user_id, row.target_user, row.reply_user]),
    )
    const content = await findByKind(batch, rows, (row) => ({
      kind: kindOf(row.commentable_type),
      id: row.commentable_id,
    }))
    const person = (id: number | null) => (people.has(id ?? 0) ? id : 0)
    const given = rows.flatMap((row) => {
      const target = content.get(row)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'its author no longer exists')
      // A first run finds no comment on a comment, because both are in the same range.
      else if (target === undefined || target.kind === 'comments')
        batch.leaveOut(row, 'the commented content no longer exists')
      else
        return [
          {
            id: row.id,
            commentable_type: target.kind,
            commentable_id: row.commentable_id,
            user_id: row.user_id,
            target_user: person(row.target_user),
            reply_user: person(row.reply_user),
            body: row.body ?? '',
            ...timesOf(row),
          },
        ]
      return []
    })
    const columns = {
      id: 'bigint',
      commentable_type: 'text',
      commentable_id: 'bigint',
      user_id: 'bigint',
      target_user: 'bigint',
      reply_user: 'bigint',
      body: 'text',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'comments', columns, given)
  },
})

export const commentTables = [comments]

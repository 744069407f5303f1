import { defineTable } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { removed } from '../database/vanishing.ts'
import { relation, upsert } from '../database/write.ts'
import { importNotices } from './notifications.ts'

const conversations = defineTable({
  table: 'conversations',
  by: 'id',
  into: [
    {
      table: 'feedback',
      key: { user_id: 'user_id', id: 'id' },
      when: (row) => row.type === 'feedback',
      columns: { type: null, to_user_id: null },
    },
    {
      table: 'notices',
      when: (row) => row.type !== 'feedback',
      columns: { type: null, to_user_id: null, content: 'contents', system_mark: null },
    },
  ],
  key: ['id'],
  gone: removed('feedback', 'notices'),
  reads: { users: ['user_id', 'to_user_id'] },
  columns: {
    id: 'int',
    type: 'text',
    user_id: 'int',
    to_user_id: 'int',
    content: 'text',
    system_mark: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.flatMap((row) => [row.user_id, row.to_user_id]),
    )
    const kept = rows.filter((row) => {
      const person = row.type === 'feedback' ? row.user_id : row.to_user_id
      if (people.has(person ?? 0) || (row.type !== 'feedback' && !person)) return true
      batch.leaveOut(row, 'the user no longer exists')
      return false
    })
    const feedback = kept
      .filter((row) => row.type === 'feedback')
      .map((row) => ({
        user_id: row.user_id,
        id: row.id,
        content: row.content ?? '',
        system_mark: row.system_mark ?? 0,
        created_at: row.created_at ?? EPOCH,
      }))
    const columns = {
      user_id: 'bigint',
      id: 'bigint',
      content: 'text',
      system_mark: 'bigint',
      created_at: 'timestamptz',
    }
    // Frees ids of messages that another user has by now.
    await tx`
      delete from feedback f using ${relation(tx, columns, feedback)} where f.id = r.id and f.user_id <> r.user_id`
    await upsert(tx, 'feedback', columns, feedback, { key: ['user_id', 'id'] })
    const notices = kept
      .filter((row) => row.type !== 'feedback')
      .map((row) => ({
        id: row.id ?? 0,
        userId: row.user_id ?? 0,
        contents: row.content ?? '',
        to: row.to_user_id || null,
        createdAt: row.created_at ?? EPOCH,
      }))
    await importNotices(tx, notices)
  },
})

export const conversationTables = [conversations]

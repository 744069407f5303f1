import { defineTable, type SourceRow } from '../database/table.ts'
import { removed } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'

const dayOf = (row: SourceRow) => (row.created_at as string | null)?.slice(0, 10)

const checkins = defineTable({
  table: 'checkin_logs',
  by: 'user_id',
  width: 500,
  into: [{ table: 'checkin_logs', key: { user_id: 'user_id', id: 'id' } }],
  key: ['id'],
  gone: removed({ table: 'checkin_logs', by: 'user_id', key: { user_id: 'user_id', id: 'id', day: dayOf } }),
  reads: { users: ['user_id'] },
  columns: { id: 'int', user_id: 'int', amount: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const given = rows.flatMap((row) => {
      // The source's timestamp is in the site's time zone, so its first ten characters are the local day.
      const day = dayOf(row)
      const same = `${row.user_id} ${day}`
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (day === undefined) batch.leaveOut(row, 'no date')
      else if (batch.memory.has(same)) batch.merge(row, 'duplicate of the same day')
      else {
        batch.memory.set(same, true)
        return [
          {
            user_id: row.user_id,
            day,
            id: row.id,
            currency: 'points',
            amount: Math.max(row.amount ?? 0, 1),
            created_at: row.created_at,
            settled_before: true,
          },
        ]
      }
      return []
    })
    const columns = {
      user_id: 'bigint',
      day: 'date',
      id: 'bigint',
      currency: 'text',
      amount: 'bigint',
      created_at: 'timestamptz',
      settled_before: 'boolean',
    }
    await upsert(tx, 'checkin_logs', columns, given, { key: ['user_id', 'day'] })
  },
})

export const checkinTables = [checkins]

import { defineTable } from '#platform/database-import/table.ts'
import { upsert } from '#platform/database-import/write.ts'

const checkins = defineTable({
  table: 'checkin_logs',
  by: 'user_id',
  width: 500,
  key: ['id'],
  columns: { id: 'int', user_id: 'int', amount: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const given = rows.flatMap((row) => {
      // A day is that of the clock of the site: the beginning of what was read in its zone.
      const day = row.created_at?.slice(0, 10)
      const same = `${row.user_id} ${day}`
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if (day === undefined) batch.leaveOut(row, 'without a day')
      else if (batch.memory.has(same)) batch.merge(row, 'a second one of the same day')
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

/** Check-ins, one a day. */
export const checkinTables = [checkins]

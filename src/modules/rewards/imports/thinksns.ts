import { kindOf } from '#lib/thinksns.ts'
import { defineTable } from '#platform/database-import/table.ts'
import { EPOCH } from '#platform/database-import/times.ts'
import { findByKind, upsert } from '#platform/database-import/write.ts'

const rewards = defineTable({
  table: 'rewards',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    user_id: 'int',
    target_user: 'int',
    amount: 'int',
    rewardable_type: 'text',
    rewardable_id: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.flatMap((row) => [row.user_id, row.target_user]),
    )
    const content = await findByKind(batch, rows, (row) => ({
      kind: kindOf(row.rewardable_type),
      id: row.rewardable_id,
    }))
    const given = rows.flatMap((row) => {
      const target = content.get(row)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if (target === undefined) batch.leaveOut(row, 'what was rewarded is gone')
      else if (row.user_id === row.target_user) batch.leaveOut(row, 'people do not reward themselves here')
      else if ((row.amount ?? 0) < 1) batch.leaveOut(row, 'a reward of nothing')
      else
        return [
          {
            rewardable_type: target.kind,
            rewardable_id: row.rewardable_id,
            id: row.id,
            user_id: row.user_id,
            target_user: people.has(row.target_user ?? 0) ? row.target_user : 0,
            amount: row.amount,
            created_at: row.created_at ?? EPOCH,
            settled_before: true,
          },
        ]
      return []
    })
    const columns = {
      rewardable_type: 'text',
      rewardable_id: 'bigint',
      id: 'bigint',
      user_id: 'bigint',
      target_user: 'bigint',
      amount: 'bigint',
      created_at: 'timestamptz',
      settled_before: 'boolean',
    }
    await upsert(tx, 'rewards', columns, given, { key: ['rewardable_type', 'rewardable_id', 'id'] })
  },
})

/** What people gave each other for what they published. */
export const rewardTables = [rewards]

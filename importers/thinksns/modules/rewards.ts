import { kindOf } from '../classes.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH } from '../database/times.ts'
import { removed } from '../database/vanishing.ts'
import { findByKind, upsert } from '../database/write.ts'

const rewards = defineTable({
  table: 'rewards',
  by: 'id',
  into: [
    {
      table: 'rewards',
      key: {
        rewardable_type: (row) => kindOf(row.rewardable_type as string),
        rewardable_id: 'rewardable_id',
        id: 'id',
      },
      columns: { rewardable_type: null },
    },
  ],
  key: ['id'],
  gone: removed({
    table: 'rewards',
    key: {
      rewardable_type: (row) => kindOf(row.rewardable_type as string),
      rewardable_id: 'rewardable_id',
      id: 'id',
    },
  }),
  reads: {
    users: ['user_id', 'target_user'],
    feeds: ['rewardable_id'],
    musics: ['rewardable_id'],
    music_specials: ['rewardable_id'],
    news: ['rewardable_id'],
    questions: ['rewardable_id'],
    'question-answers': ['rewardable_id'],
    'group-posts': ['rewardable_id'],
  },
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
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (target === undefined) batch.leaveOut(row, 'the rewarded content no longer exists')
      else if (row.user_id === row.target_user) batch.leaveOut(row, 'users cannot reward themselves')
      else if ((row.amount ?? 0) < 1) batch.leaveOut(row, 'the amount is zero')
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

export const rewardTables = [rewards]

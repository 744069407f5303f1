import { defineTable } from '../../database/table.ts'
import { EPOCH } from '../../database/times.ts'
import { emptied, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'

export const groupIncomes = defineTable({
  table: 'group_incomes',
  by: 'id',
  into: [{ table: 'group_incomes', key: { group_id: 'group_id', id: 'id' } }],
  key: ['id'],
  gone: replaced('group_incomes'),
  reread: 'always',
  columns: {
    id: 'int',
    group_id: 'int',
    subject: 'text',
    type: 'int',
    amount: 'int',
    user_id: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.findBy('groups', rows, 'group_id')
    const given = rows.flatMap((row) => {
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group no longer exists')
      else if ((row.amount ?? 0) < 1) batch.leaveOut(row, 'no amount')
      else
        return [
          {
            ...row,
            subject: row.subject ?? '',
            type: row.type === 2 ? 2 : 1,
            currency: 'points',
            user_id: row.user_id ?? 0,
            created_at: row.created_at ?? EPOCH,
          },
        ]
      return []
    })
    const columns = {
      group_id: 'bigint',
      id: 'bigint',
      subject: 'text',
      type: 'smallint',
      amount: 'bigint',
      currency: 'text',
      user_id: 'bigint',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'group_incomes', columns, given, { key: ['group_id', 'id'] })
  },
})

export const groupRecommends = defineTable({
  table: 'group_recommends',
  by: null,
  into: [
    {
      table: 'group_recommends',
      key: { group_id: 'group_id' },
      columns: { id: null, disable: null },
    },
  ],
  key: ['id'],
  gone: emptied('group_recommends'),
  reread: 'always',
  columns: {
    id: 'int',
    group_id: 'int',
    referrer: 'int',
    disable: 'int',
    sort_by: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.findBy('groups', rows, 'group_id')
    const given = new Map<number, object>()
    for (const row of rows) {
      const group = row.group_id ?? 0
      if (row.disable === 1) batch.leaveOut(row, 'disabled')
      else if (!found.has(group)) batch.leaveOut(row, 'the group no longer exists')
      else if (given.has(group)) batch.merge(row, 'duplicate')
      else
        given.set(group, {
          group_id: group,
          sort_by: row.sort_by ?? 0,
          referrer: row.referrer ?? 0,
          created_at: row.created_at ?? EPOCH,
        })
    }
    const columns = { group_id: 'bigint', sort_by: 'int', referrer: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'group_recommends', columns, [...given.values()], { key: ['group_id'] })
  },
})

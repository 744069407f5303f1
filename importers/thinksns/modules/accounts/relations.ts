import { restoreNotifications, type Withheld } from '#modules/notifications/index.ts'
import { defineTable } from '../../database/table.ts'
import { EPOCH } from '../../database/times.ts'
import { all, custom, removed } from '../../database/vanishing.ts'
import { relation, upsert } from '../../database/write.ts'

/** Forgets follows that wait for a disabled account. The range is read again, and the end of the run withholds them. */
const released = custom('remove', {
  async before(tx, { from, to }) {
    const rows = await tx<{ notice: Withheld | null }[]>`
      delete from withheld_follows where user_id >= ${from} and user_id < ${to} returning notice`
    await restoreNotifications(
      tx,
      rows.flatMap(({ notice }) => notice ?? []),
    )
  },
})

export const followed = defineTable({
  table: 'user_follow',
  by: 'user_id',
  width: 500,
  into: [
    {
      table: 'user_follows',
      key: { user_id: 'user_id', target_id: 'target' },
      columns: { target: 'target_id' },
    },
  ],
  key: ['id'],
  gone: all(
    released,
    removed({ table: 'user_follows', by: 'user_id', key: { user_id: 'user_id', target_id: 'target' } }),
  ),
  reads: { users: ['user_id', 'target'] },
  columns: { id: 'int', user_id: 'int', target: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.flatMap((row) => [row.user_id, row.target]),
    )
    const given = rows.flatMap((row) => {
      if (row.user_id === row.target) batch.leaveOut(row, 'users cannot follow themselves')
      else if (!people.has(row.user_id ?? 0) || !people.has(row.target ?? 0))
        batch.leaveOut(row, 'the user no longer exists')
      else
        return [
          { id: row.id, user_id: row.user_id, target_id: row.target, created_at: row.created_at ?? EPOCH },
        ]
      return []
    })
    const columns = { id: 'bigint', user_id: 'bigint', target_id: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'user_follows', columns, given, { key: ['user_id', 'target_id'] })
  },
})

export const blocked = defineTable({
  table: 'black_lists',
  by: 'user_id',
  width: 2000,
  into: [{ table: 'user_blocks', key: { user_id: 'user_id', target_id: 'target_id' } }],
  key: ['user_id', 'target_id'],
  gone: removed({ table: 'user_blocks', by: 'user_id', key: { user_id: 'user_id', target_id: 'target_id' } }),
  reads: { users: ['user_id', 'target_id'] },
  columns: { user_id: 'int', target_id: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.flatMap((row) => [row.user_id, row.target_id]),
    )
    const given = new Map<string, object>()
    for (const row of rows) {
      const pair = `${row.user_id} ${row.target_id}`
      if (row.user_id === row.target_id) batch.leaveOut(row, 'users cannot block themselves')
      else if (!people.has(row.user_id ?? 0) || !people.has(row.target_id ?? 0))
        batch.leaveOut(row, 'the user no longer exists')
      else if (given.has(pair) || batch.memory.has(pair)) batch.merge(row, 'duplicate')
      else {
        batch.memory.set(pair, true)
        given.set(pair, { ...row, created_at: row.created_at ?? EPOCH })
      }
    }
    const columns = { user_id: 'bigint', target_id: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'user_blocks', columns, [...given.values()], { key: ['user_id', 'target_id'] })
  },
})

export const famous = defineTable({
  table: 'famous',
  by: null,
  into: [{ table: 'famous_users', key: { user_id: 'user_id' }, columns: { id: null } }],
  key: ['id'],
  gone: removed({ table: 'famous_users', by: 'user_id', key: { user_id: 'user_id' } }),
  reread: 'always',
  columns: { id: 'int', user_id: 'int', type: 'text', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else
        return [
          {
            user_id: row.user_id,
            type: row.type === 'each' ? 'each' : 'followed',
            created_at: row.created_at ?? EPOCH,
          },
        ]
      return []
    })
    const columns = { user_id: 'bigint', type: 'text', created_at: 'timestamptz' }
    await upsert(tx, 'famous_users', columns, given, { key: ['user_id'] })
  },
})

export const recommended = defineTable({
  table: 'users_recommended',
  by: null,
  into: [
    {
      table: 'users',
      key: { id: 'user_id' },
      columns: { id: null, user_id: 'id', created_at: 'recommended_at' },
    },
  ],
  key: ['id'],
  gone: custom('end', {
    before: (tx) => tx`update users set recommended_at = null where recommended_at is not null`,
  }),
  reread: 'always',
  columns: { id: 'int', user_id: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const given = new Map<number, object>()
    for (const row of rows) {
      const id = row.user_id ?? 0
      if (!people.has(id)) batch.leaveOut(row, 'the user no longer exists')
      else if (given.has(id)) batch.merge(row, 'duplicate')
      else given.set(id, { id, at: row.created_at ?? EPOCH })
    }
    await tx`
      update users u set recommended_at = r.at
      from ${relation(tx, { id: 'bigint', at: 'timestamptz' }, [...given.values()])}
      where u.id = r.id and u.recommended_at is distinct from r.at`
  },
})

import type { Db, Fragment } from '#platform/database'
import { flag } from '../../database/changes.ts'
import { dropNotesIn } from '../../database/state.ts'
import { defineTable } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, custom, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'

const ROLES = ['member', 'administrator', 'founder']

/** Step that gives a group without a founder one. Its notes stay as long as its decision. */
export const FOUNDERS_STEP = 'founders and pictures of groups'
export const noteOfGroup = (sql: Db): Fragment => sql`'group ' || id`

const MEMBERS = {
  id: 'int',
  group_id: 'int',
  user_id: 'int',
  audit: 'int',
  role: 'text',
  disabled: 'int',
  ...TIMES,
} as const

export const groupMembers = defineTable({
  table: 'group_members',
  by: 'group_id',
  width: 200,
  into: [
    {
      table: 'group_members',
      key: { group_id: 'group_id', user_id: 'user_id' },
      columns: { disabled: flag },
    },
  ],
  key: ['id'],
  gone: all(
    replaced({ table: 'group_members', by: 'group_id' }),
    custom('reset', {
      // The step decides again for groups whose members are read again.
      before: (tx, { from, to }) =>
        dropNotesIn(
          tx,
          FOUNDERS_STEP,
          tx`select ${noteOfGroup(tx)} from groups where id >= ${from} and id < ${to}`,
        ),
    }),
  ),
  reads: { users: ['user_id'], groups: ['group_id'] },
  order: ['user_id', 'id'],
  columns: MEMBERS,
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('groups', rows, 'group_id')
    // The owner of a group is its founder, even if another member has the founder role in the source.
    const founders = await tx<{ id: number; user_id: number }[]>`
      select group_id as id, user_id from group_members where role = 'founder'
        and group_id = any(${rows.map(({ group_id }) => group_id ?? 0)})`
    const foundersOf = new Map(founders.map(({ id, user_id }) => [id, user_id]))
    const given = rows.flatMap((row) => {
      const group = row.group_id ?? 0
      const same = `${group} ${row.user_id}`
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!found.has(group)) batch.leaveOut(row, 'the group no longer exists')
      else if (row.audit === 2) batch.leaveOut(row, 'rejected request')
      else if (batch.memory.get('last') === same) batch.merge(row, 'duplicate')
      else {
        batch.memory.set('last', same)
        let role = ROLES.includes(row.role ?? '') ? (row.role ?? '') : 'member'
        const owner = found.get(group)
        const taken = foundersOf.get(group)
        if (role === 'founder' && (taken === undefined ? false : taken !== row.user_id)) {
          role = 'administrator'
          batch.mend(row, 'second founder: made an administrator', 'role')
        }
        if (row.user_id === owner && taken === undefined) role = 'founder'
        if (role === 'founder') foundersOf.set(group, row.user_id ?? 0)
        const isActive = row.audit === 1 && (row.disabled ?? 0) === 0
        if (role === 'administrator' && !isActive) {
          role = 'member'
          batch.mend(row, 'pending or blacklisted administrator: made a member in the same state', 'role')
        }
        if (role === 'founder' && !isActive) batch.mend(row, 'pending or blacklisted founder: made active')
        const founds = role === 'founder'
        return [
          {
            group_id: group,
            user_id: row.user_id,
            id: row.id,
            audit: founds || row.audit === 1 ? 1 : 0,
            role,
            disabled: (row.disabled ?? 0) !== 0 && !founds,
            ...timesOf(row),
          },
        ]
      }
      return []
    })
    const columns = {
      group_id: 'bigint',
      user_id: 'bigint',
      id: 'bigint',
      audit: 'smallint',
      role: 'text',
      disabled: 'boolean',
      ...TIME_COLUMNS,
    }
    // Writes all other members first, among them former founders, because a group can have only one founder.
    await upsert(
      tx,
      'group_members',
      columns,
      given.filter(({ role }) => role !== 'founder'),
      { key: ['group_id', 'user_id'] },
    )
    await upsert(
      tx,
      'group_members',
      columns,
      given.filter(({ role }) => role === 'founder'),
      { key: ['group_id', 'user_id'] },
    )
  },
})

export const joinRequests = defineTable({
  table: 'group_member_logs',
  by: 'id',
  into: [{ table: 'group_member_logs', key: { group_id: 'group_id', id: 'id' } }],
  key: ['id'],
  gone: replaced('group_member_logs'),
  reread: 'always',
  columns: {
    id: 'int',
    group_id: 'int',
    user_id: 'int',
    member_id: 'int',
    status: 'int',
    auditer: 'int',
    audit_at: 'time',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.findBy('groups', rows, 'group_id')
    const open = await tx<{ id: number; same: string }[]>`
      select id, group_id || ' ' || member_id as same from group_member_logs
      where status = 0 and group_id = any(${rows.map(({ group_id }) => group_id ?? 0)})`
    const waiting = new Map(open.map(({ id, same }) => [same, id]))
    const given = rows.flatMap((row) => {
      const same = `${row.group_id} ${row.member_id}`
      const status = row.status === 1 || row.status === 2 ? row.status : 0
      const earlier = waiting.get(same)
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group no longer exists')
      else if (status === 0 && earlier !== undefined && earlier !== row.id)
        batch.merge(row, 'duplicate request')
      else {
        if (status === 0) waiting.set(same, row.id ?? 0)
        const created = row.created_at ?? EPOCH
        return [
          {
            group_id: row.group_id,
            id: row.id,
            user_id: row.user_id,
            member_id: row.member_id,
            status,
            auditer: status === 0 ? null : row.auditer,
            audit_at: status === 0 ? null : (row.audit_at ?? created),
            created_at: created,
          },
        ]
      }
      return []
    })
    const columns = {
      group_id: 'bigint',
      id: 'bigint',
      user_id: 'bigint',
      member_id: 'bigint',
      status: 'smallint',
      auditer: 'bigint',
      audit_at: 'timestamptz',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'group_member_logs', columns, given, { key: ['group_id', 'id'] })
  },
})

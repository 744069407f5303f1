import { kindOf } from '../classes.ts'
import { orNone } from '../database/changes.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES } from '../database/times.ts'
import { replaced } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'

const reports = defineTable({
  table: 'reports',
  by: 'id',
  into: [
    {
      table: 'reports',
      columns: {
        target_user: orNone,
        reportable_type: { as: (name) => kindOf(name as string | null) },
      },
    },
  ],
  key: ['id'],
  gone: replaced('reports'),
  reread: 'whole',
  reads: { users: ['user_id'] },
  columns: {
    id: 'int',
    user_id: 'int',
    target_user: 'int',
    subject: 'text',
    reportable_type: 'text',
    reportable_id: 'int',
    status: 'int',
    reason: 'text',
    mark: 'text',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const open = await tx<{ id: number; same: string }[]>`
      select id, user_id || ' ' || reportable_type || ' ' || reportable_id as same from reports
      where status = 0 and user_id = any(${rows.map(({ user_id }) => user_id ?? 0)})`
    const waiting = new Map(open.map(({ id, same }) => [same, id]))
    const given = rows.flatMap((row) => {
      const kind = kindOf(row.reportable_type)
      const same = `${row.user_id} ${kind} ${row.reportable_id}`
      const status = row.status === 1 || row.status === 2 ? row.status : 0
      const earlier = waiting.get(same)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (kind === undefined) batch.leaveOut(row, 'unsupported kind of content')
      else if (status === 0 && earlier !== undefined && earlier !== row.id)
        batch.merge(row, 'the same user has an open report of it')
      else {
        if (status === 0) waiting.set(same, row.id ?? 0)
        const updated = row.updated_at ?? row.created_at ?? EPOCH
        return [
          {
            id: row.id,
            user_id: row.user_id,
            target_user: row.target_user ?? 0,
            reportable_type: kind,
            reportable_id: row.reportable_id,
            subject: row.subject ?? '',
            reason: row.reason,
            status,
            mark: row.mark,
            handled_at: status === 0 ? null : updated,
            created_at: row.created_at ?? EPOCH,
            updated_at: updated,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      user_id: 'bigint',
      target_user: 'bigint',
      reportable_type: 'text',
      reportable_id: 'bigint',
      subject: 'text',
      reason: 'text',
      status: 'smallint',
      mark: 'text',
      handled_at: 'timestamptz',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'reports', columns, given)
  },
})

export const reportTables = [reports]

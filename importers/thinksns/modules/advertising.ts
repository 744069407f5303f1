import { ADDRESS_PATTERN } from '#platform/http'
import { readObject } from '../classes.ts'
import { defineTable } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { emptied, forgotten } from '../database/vanishing.ts'
import { findTargets, saveTargets, upsert } from '../database/write.ts'

const spaces = defineTable({
  table: 'advertising_space',
  by: null,
  into: null,
  key: ['space'],
  gone: forgotten('advertising_space'),
  reread: 'always',
  columns: { id: 'int', space: 'text' },
  async write(tx, rows, batch) {
    const own = await tx<{ id: number; space: string }[]>`select id, space from advertising_spaces`
    const ids = new Map(own.map(({ id, space }) => [space, id]))
    const targets = new Map<number, number>()
    for (const row of rows) {
      const id = ids.get(row.space ?? '')
      if (id === undefined) batch.leaveOut(row, 'no client shows this space')
      else {
        targets.set(row.id ?? 0, id)
        batch.merge(row, 'Kith has this space already')
      }
    }
    await saveTargets(tx, 'advertising_space', targets)
  },
})

const advertisements = defineTable({
  table: 'advertising',
  by: null,
  into: [{ table: 'advertising', columns: { space_id: null, data: null } }],
  key: ['id'],
  gone: emptied('advertising'),
  reread: 'always',
  columns: {
    id: 'int',
    space_id: 'int',
    title: 'text',
    type: 'text',
    data: 'text',
    sort: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const targets = await findTargets(
      tx,
      'advertising_space',
      rows.map((row) => row.space_id),
    )
    const given = rows.flatMap((row) => {
      const space = targets.get(row.space_id ?? 0)
      const data = readObject(row.data)
      if (space === undefined) batch.leaveOut(row, 'no client shows this space')
      else if (data === undefined) batch.leaveOut(row, 'unreadable data')
      else {
        if (typeof data.link === 'string' && !new RegExp(ADDRESS_PATTERN).test(data.link)) {
          delete data.link
          batch.mend(row, 'link is not http or https: removed', {
            column: 'data',
            new: data,
          })
        }
        return [
          {
            id: row.id,
            space_id: Number(space),
            title: row.title ?? '',
            type: row.type ?? 'image',
            data,
            sort: row.sort ?? 0,
            ...timesOf(row),
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      space_id: 'bigint',
      title: 'text',
      type: 'text',
      data: 'jsonb',
      sort: 'int',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'advertising', columns, given)
  },
})

export const advertisingTables = [spaces, advertisements]

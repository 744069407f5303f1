import { grams, nameKey } from '#lib/text.ts'
import { orNone, textOrNone } from '../database/changes.ts'
import { defineTable } from '../database/table.ts'
import { TIME_COLUMNS, timesOf } from '../database/times.ts'
import { all, freedNames, removed } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'

const areas = defineTable({
  table: 'areas',
  by: null,
  // Imports all areas in one batch, because an area references its parent area.
  batch: 100_000,
  into: [
    {
      table: 'areas',
      columns: {
        pid: { column: 'parent_id', ...orNone },
        extends: { column: 'extra', ...textOrNone, of: textOrNone.as },
      },
    },
  ],
  key: ['id'],
  gone: all(freedNames('areas'), removed('areas')),
  reread: 'always',
  columns: { id: 'int', name: 'text', pid: 'int', extends: 'text', created_at: 'time', updated_at: 'time' },
  async write(tx, rows, batch) {
    const known = new Map<number, number>()
    const names = new Map<string, number>()
    const given = rows.flatMap((row) => {
      const id = row.id ?? 0
      const parent = row.pid ? (known.get(row.pid) ?? 0) : null
      const name = row.name?.trim() || `area ${id}`
      const same = `${parent} ${nameKey(name)}`
      const other = names.get(same)
      if (parent === 0) batch.leaveOut(row, 'its parent is missing or was created later')
      else if (other !== undefined) {
        known.set(id, other)
        batch.merge(row, 'duplicate name under the same parent')
      } else {
        known.set(id, id)
        names.set(same, id)
        return [
          {
            id,
            name,
            name_key: nameKey(name),
            name_grams: grams(name),
            parent_id: parent,
            extra: row.extends ?? '',
            ...timesOf(row),
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      name_grams: 'text[]',
      parent_id: 'bigint',
      extra: 'text',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'areas', columns, given)
  },
})

export const areaTables = [areas]

import { grams, nameKey } from '#lib/text.ts'
import { defineTable } from '#platform/database-import/table.ts'
import { TIME_COLUMNS, timesOf } from '#platform/database-import/times.ts'
import { upsert } from '#platform/database-import/write.ts'

const areas = defineTable({
  table: 'areas',
  by: null,
  // All at once: one is below another.
  batch: 100_000,
  key: ['id'],
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
      if (parent === 0) batch.leaveOut(row, 'what it lies in is gone, or was made after it')
      else if (other !== undefined) {
        known.set(id, other)
        batch.merge(row, 'another of the same name in the same place')
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

/** Countries, provinces and cities. */
export const areaTables = [areas]

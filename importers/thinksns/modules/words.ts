import { nameKey } from '#lib/text.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH, TIME_COLUMNS } from '../database/times.ts'
import { all, freed, removed } from '../database/vanishing.ts'
import { upsert } from '../database/write.ts'

const words = defineTable({
  table: 'sensitives',
  by: null,
  batch: 100_000,
  into: [{ table: 'sensitive_words', columns: { replace: 'replacement' } }],
  key: ['id'],
  gone: all(
    freed('sensitive_words', (sql) => sql`word_key = 'moving ' || id`),
    removed('sensitive_words'),
  ),
  reread: 'always',
  columns: { id: 'int', word: 'text', type: 'text', replace: 'text', created_at: 'time' },
  async write(tx, rows, batch) {
    const known = new Set<string>()
    const given = rows.flatMap((row) => {
      const key = nameKey(row.word ?? '')
      if (key === '') batch.leaveOut(row, 'the word has no visible characters')
      else if (known.has(key))
        batch.merge(row, 'differs from another word only in case, width or invisible characters')
      else {
        known.add(key)
        const type = row.type === 'warning' ? 'warning' : 'replace'
        const created = row.created_at ?? EPOCH
        const replacement = type === 'replace' ? row.replace : null
        return [
          {
            id: row.id,
            word: row.word,
            word_key: key,
            type,
            replacement,
            created_at: created,
            updated_at: created,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      word: 'text',
      word_key: 'text',
      type: 'text',
      replacement: 'text',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'sensitive_words', columns, given)
  },
})

export const wordTables = [words]

import { escapeLike, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt, when } from '#platform/sql.ts'
import type { Row, Tables } from '#platform/tables.ts'
import type { WordType } from '../schema.ts'
import type { WordQuery } from './schema.ts'

export type WordRow = Row<'sensitive_words', 'id' | 'word' | 'created_at' | 'updated_at'> & {
  type: WordType
  replace: Tables['sensitive_words']['replacement']
}

const columns = (sql: Db) => sql`id, word, type, replacement as "replace", created_at, updated_at`

/** A page of the list. */
export function listWordRecords(sql: Db, query: WordQuery) {
  const key = nameKey(query.q ?? '')
  const where = sql`where true ${ifGiven(sql, query.type, (type) => sql`and type = ${type}`)}
    ${when(sql, key !== '', () => sql`and word_key like ${`%${escapeLike(key)}%`}`)}`
  const by = query.sort === 'word' ? sql`word_key` : undefined
  return pageOf<WordRow>(
    sql,
    sql`
      select ${columns(sql)} from sensitive_words ${where}
      ${listingAt(sql, query, { id: sql`id`, by, from: sql`sensitive_words` })}`,
    sql`select count(*)::int as total from sensitive_words ${where}`,
  )
}

/** A word of the list; `lock` keeps it as it is until the end of the transaction. */
export async function findWordRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<WordRow[]>`
    select ${columns(sql)} from sensitive_words where id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

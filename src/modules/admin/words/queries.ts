import { escapeLike, nameKey } from '#lib/text.ts'
import type { WordType } from '#modules/words/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { WordQuery } from './schema.ts'

export type WordRow = {
  id: number
  word: string
  type: WordType
  replace: string | null
  created_at: string
  updated_at: string
}

const columns = (sql: Db) => sql`id, word, type, replacement as "replace", created_at, updated_at`

/** A page of the list. */
export function listWordRecords(sql: Db, query: WordQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, type } = query
  const key = nameKey(q ?? '')
  const where = sql`where true ${type === undefined ? sql`` : sql`and type = ${type}`}
    ${key === '' ? sql`` : sql`and word_key like ${`%${escapeLike(key)}%`}`}`
  const by = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<WordRow>(
    sql`select ${columns(sql)} from sensitive_words ${where}
      order by ${sort === 'word' ? sql`word_key ${by},` : sql``} id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from sensitive_words ${where}`,
  )
}

export async function findWordRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<WordRow[]>`
    select ${columns(sql)} from sensitive_words where id = ${id} ${lock ? sql`for update` : sql``}`
  return row
}

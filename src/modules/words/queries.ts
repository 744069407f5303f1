import type { SensitiveWord } from '#lib/sensitive-words.ts'
import { nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'
import type { WordInput } from './schema.ts'

/** The whole list, for the matcher. */
export const listWords = (sql: Db) => sql<SensitiveWord[]>`
  select word, type, replacement as "replace" from sensitive_words`

export async function insertWord(sql: Db, { word, type, replace = null }: WordInput): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into sensitive_words (word, word_key, type, replacement)
    values (${word}, ${nameKey(word)}, ${type}, ${replace}) returning id`
  return row.id
}

/** Changes the fields that are given. */
export const updateWord = (sql: Db, id: number, { word, type, replace }: Partial<WordInput>) => sql`
  update sensitive_words set updated_at = now()
    ${ifGiven(sql, word, (value) => sql`, word = ${value}, word_key = ${nameKey(value)}`)}
    ${ifGiven(sql, type, (value) => sql`, type = ${value}`)}
    ${ifGiven(sql, replace, (value) => sql`, replacement = ${value}`)}
  where id = ${id}`

export const deleteWord = (sql: Db, id: number) => sql`delete from sensitive_words where id = ${id}`

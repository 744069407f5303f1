import { compileWords, type SensitiveWord, type SensitiveWords } from '#lib/sensitive-words.ts'
import { codePointLength, nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, onConstraint } from '#platform/database'
import { apiError, type DeclaredError, fieldError, invalidFields, type Text } from '#platform/errors.ts'
import { fieldName } from '#platform/field-names.ts'
import { defineCache } from '#platform/memory'

export const noSuchWord = apiError(404, 'no_such_word', 'This word is not in the list.', '敏感词不存在。')
export const wordTaken = fieldError(
  'word',
  'word_taken',
  'The word is already in the list.',
  '敏感词已存在。',
)

/** Does not name the forbidden word, because that would reveal the list. */
const refused: Text = {
  en: 'The text contains words that are not allowed here.',
  zh: '内容包含敏感词。',
}

export const sensitiveWords: DeclaredError = { status: 422, code: 'sensitive_words', text: refused }

const tooLong = (field: string, most: number): Text => ({
  en: `The ${field} field may not have more than ${most} characters after sensitive words are replaced.`,
  zh: `替换敏感词后，${fieldName(field)}不能超过 ${most} 个字符。`,
})

export const WORD_TYPES = ['warning', 'replace'] as const
export type WordType = (typeof WORD_TYPES)[number]

export type WordInput = { word: string; type: WordType; replace?: string | null }

const listWords = (sql: Db) => sql<SensitiveWord[]>`
  select word, type, replacement as "replace" from sensitive_words`

async function insertWord(sql: Db, { word, type, replace = null }: WordInput): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into sensitive_words (word, word_key, type, replacement)
    values (${word}, ${nameKey(word)}, ${type}, ${replace}) returning id`
  return row.id
}

const updateWord = (sql: Db, id: number, { word, type, replace }: Partial<WordInput>) => sql`
  update sensitive_words set updated_at = now()
    ${ifGiven(sql, word, (value) => sql`, word = ${value}, word_key = ${nameKey(value)}`)}
    ${ifGiven(sql, type, (value) => sql`, type = ${value}`)}
    ${ifGiven(sql, replace, (value) => sql`, replacement = ${value}`)}
  where id = ${id}`

const deleteWord = (sql: Db, id: number) => sql`delete from sensitive_words where id = ${id}`

const cacheOf = defineCache<SensitiveWords>('words', { max: 1, ttlMs: 60_000 })

const matcher = (ctx: Context) => cacheOf(ctx).get('all', async () => compileWords(await listWords(ctx.sql)))

type Validated = { properties: Record<string, unknown> }

/**
 * Applies replacements to the given fields. Throws 422 on fields with a forbidden word, or with a text that is
 * empty or too long after replacement (feeds-35).
 */
export async function screenWords<T extends object>(
  ctx: Context,
  input: T,
  { properties }: Validated,
  fields: readonly (keyof T & string)[],
): Promise<T> {
  const words = await matcher(ctx)
  const errors: Record<string, Text[]> = {}
  const screened = { ...input }
  for (const field of fields) {
    const text = input[field]
    if (typeof text !== 'string') continue
    const result = words.replace(text)
    // Rejects a text of which nothing is left after the removal of words.
    const emptied = result.trim() === '' && text.trim() !== ''
    const { maxLength = Infinity } = (properties[field] ?? {}) as { maxLength?: number }
    if (emptied || words.check(text) !== undefined) errors[field] = [refused]
    else if (result !== text && codePointLength(result) > maxLength)
      errors[field] = [tooLong(field, maxLength)]
    else if (result !== text) screened[field] = result as T[typeof field]
  }
  if (Object.keys(errors).length > 0) throw invalidFields(errors, sensitiveWords.code)
  return screened
}

export async function addWord(ctx: Context, tx: Db, input: WordInput): Promise<number> {
  const id = await onConstraint(insertWord(tx, input), { sensitive_words_taken: wordTaken })
  await cacheOf(ctx).announce(tx, 'all')
  return id
}

export async function changeWord(
  ctx: Context,
  tx: Db,
  id: number,
  changes: Partial<WordInput>,
): Promise<void> {
  await onConstraint(updateWord(tx, id, changes), { sensitive_words_taken: wordTaken })
  await cacheOf(ctx).announce(tx, 'all')
}

export async function removeWord(ctx: Context, tx: Db, id: number): Promise<void> {
  await deleteWord(tx, id)
  await cacheOf(ctx).announce(tx, 'all')
}

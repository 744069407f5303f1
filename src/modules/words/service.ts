import { compileWords, type SensitiveWords } from '#lib/sensitive-words.ts'
import { characters } from '#lib/text.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint } from '#platform/database.ts'
import { invalidFields, type Text } from '#platform/errors.ts'
import { refused, sensitiveWords, tooLong, wordTaken } from './errors.ts'
import { deleteWord, insertWord, listWords, updateWord } from './queries.ts'
import type { WordInput } from './schema.ts'

const cacheOf = defineCache<SensitiveWords>('words', { max: 1, ttlMs: 60_000 })

const matcher = (ctx: Context) => cacheOf(ctx).get('all', async () => compileWords(await listWords(ctx.sql)))

/** The schema by which the input was validated. */
type Validated = { properties: Record<string, unknown> }

/**
 * What somebody wrote, with the words of type replace replaced in these fields; 422 on every field with a word of type
 * warning (feeds-35), or that the replacements make longer than its schema lets it be. Reads each text once, however many
 * words there are.
 */
export async function screen<T extends object>(
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
    // What consists of words that are taken out leaves nothing to publish.
    const emptied = result.trim() === '' && text.trim() !== ''
    const { maxLength = Infinity } = (properties[field] ?? {}) as { maxLength?: number }
    if (emptied || words.check(text) !== undefined) errors[field] = [refused]
    else if (result !== text && characters(result) > maxLength) errors[field] = [tooLong(field, maxLength)]
    else if (result !== text) screened[field] = result as T[typeof field]
  }
  if (Object.keys(errors).length > 0) throw invalidFields(errors, sensitiveWords.code)
  return screened
}

/** Adds a word in the caller's transaction; call `forgetWords` after its commit. */
export async function addWord(ctx: Context, tx: Db, input: WordInput): Promise<number> {
  const id = await onConstraint(insertWord(tx, input), { sensitive_words_taken: wordTaken })
  cacheOf(ctx).announce(tx, 'all')
  return id
}

/** Changes what is given, in the caller's transaction; call `forgetWords` after its commit. */
export async function changeWord(
  ctx: Context,
  tx: Db,
  id: number,
  changes: Partial<WordInput>,
): Promise<void> {
  await onConstraint(updateWord(tx, id, changes), { sensitive_words_taken: wordTaken })
  cacheOf(ctx).announce(tx, 'all')
}

/** Takes a word off the list, in the caller's transaction; call `forgetWords` after its commit. */
export async function removeWord(ctx: Context, tx: Db, id: number): Promise<void> {
  await deleteWord(tx, id)
  cacheOf(ctx).announce(tx, 'all')
}

/** Makes this node read the list anew at once; other nodes were told by the commit. */
export const forgetWords = (ctx: Context) => cacheOf(ctx).drop('all')

import { apiError, type DeclaredError, fieldError, type Text } from '#platform/errors.ts'

export const noSuchWord = apiError(404, 'no_such_word', 'This word is not in the list.', '敏感词不存在。')
export const wordTaken = fieldError(
  'word',
  'word_taken',
  'The word is in the list already.',
  '敏感词已存在。',
)

/** What somebody is told who wrote a refused word; it does not say which, so that the list cannot be explored. */
export const refused: Text = {
  en: 'The text contains words that are not allowed here.',
  zh: '内容包含敏感词。',
}

/** What a route that screens text declares: 422 on each field with a refused word. */
export const sensitiveWords: DeclaredError = { status: 422, code: 'sensitive_words', text: refused }

/** What somebody is told whose text is too long with the words that stand in for others. */
export const tooLong = (field: string, most: number): Text => ({
  en: `The ${field} field may not have more than ${most} characters with sensitive words replaced.`,
  zh: `替换敏感词后，${field} 不能超过 ${most} 个字符。`,
})

import { plainText } from '#lib/text.ts'

const EXCERPT = 1000

/** The excerpt shown in lists: the client's, else derived from the text. */
export const excerptOf = (body: string | null, given: string | null | undefined): string | null =>
  given ?? (body === null ? null : plainText(body, EXCERPT))

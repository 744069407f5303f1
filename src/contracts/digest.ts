import type { Context } from '#platform/context.ts'
import type { Text } from '#platform/errors.ts'

/** Content in a weekly mail. `type` and `id` are those of web links (notifications-17). */
export type DigestEntry = { type: string; id: number; title: string; author: string | null }

export type DigestPeriod = { viewerId: number; since: Date; limit: number }

/** Finds what happened in the period in what a user follows. Must return only content that the user may read. */
export type DigestSource = {
  heading: Text
  find(ctx: Context, period: DigestPeriod): Promise<DigestEntry[]>
}

const TITLE_MOST = 100

/** A text as one line of a mail. Soft hyphens mark names in older texts. */
export function digestTitle(text: string): string {
  const line = text
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > TITLE_MOST ? `${characters.slice(0, TITLE_MOST).join('')}…` : line
}

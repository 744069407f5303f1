import { nameKey } from './text.ts'

const MENTIONS_MAX = 50

// Each attempt ends at the next soft hyphen, so the time stays linear.
const MENTION = /\u00AD@([^\u00AD/]{1,100})\u00AD/g

/** The names a text mentions (soft hyphen, @, name, soft hyphen), each once whatever its case, at most 50. */
export function findMentions(text: string): string[] {
  const names = new Map<string, string>()
  for (const [, name] of text.matchAll(MENTION)) {
    const key = nameKey(name!)
    if (key !== '' && !names.has(key)) names.set(key, name!.trim())
    if (names.size === MENTIONS_MAX) break
  }
  return [...names.values()]
}

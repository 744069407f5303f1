import { cutCharacters, nameKey } from '../text.ts'
import { mapLeaves, type TextTree, visit } from './tree.ts'

/** Sign of a reference in a text: `@` for a user, `#` for a topic. */
export type Sign = '@' | '#'

/** Users or topics of one text by the key of the name in the text. `name` is the current name. */
export type References = ReadonlyMap<string, { id: number; name: string }>

const SIGNS = { '@': /[@\uff20]/, '#': /[#\uff03]/ }

/** True for a text that may have a reference of this kind. */
export const hasSign = (text: string, sign: Sign): boolean => SIGNS[sign].test(text)

type Rules = {
  /** Matches the sign and all that may follow in a name. */
  start: RegExp
  lengthMax: number
}

const RULES: Record<Sign, Rules> = {
  // Names have at most 48 UTF-16 units (conventions-32).
  '@': {
    start: /(?<![A-Za-z0-9]|\.[A-Za-z]{2,20}\/)[@\uff20]([^\s@\uff20#\uff03/\u00ad]+)/gu,
    lengthMax: 48,
  },
  '#': { start: /(?<![A-Za-z0-9]|\.[A-Za-z]{2,20}\/)[#\uff03]([^\n#\uff03\u00ad]+)/gu, lengthMax: 100 },
}

/** Number of signs in a text that are read, so that a text of signs alone costs no more than others. */
const SIGNS_MAX = 50
/** Characters of scripts that separate words by spaces. In Korean, endings follow a name without a space. */
const WORD =
  /(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])[\p{L}\p{Nd}\p{M}_\u200d]/u
/** Characters that change the character before them, such as the skin tone of an emoji. */
const JOINED = /[\p{M}\p{Emoji_Modifier}\u200d]/u

/** Prefixes of the text after a sign that may be a name, the longest first. A word of a script with spaces is never divided. */
function prefixesOf(text: string, lengthMax: number): string[] {
  const points = [...cutCharacters(text, lengthMax + 1)]
  const prefixes: string[] = []
  let prefix = ''
  for (const [n, point] of points.slice(0, lengthMax).entries()) {
    prefix += point
    const next = points[n + 1] ?? ''
    const isInsideWord = WORD.test(point) && WORD.test(next)
    const isInsideEmoji = point === '\u200d' && /\p{Extended_Pictographic}/u.test(next)
    if (!isInsideWord && !isInsideEmoji && !JOINED.test(next) && point !== ' ') prefixes.push(prefix)
  }
  return prefixes.reverse()
}

function startsIn(text: string, sign: Sign, limit: number): { start: number; prefixes: string[] }[] {
  const { start, lengthMax } = RULES[sign]
  const found: { start: number; prefixes: string[] }[] = []
  for (const match of text.matchAll(start)) {
    if (found.length >= limit) break
    found.push({ start: match.index, prefixes: prefixesOf(match[1] as string, lengthMax) })
  }
  return found
}

/**
 * Keys of all names that the text may mean after `sign`, at most one list for each sign, the longest name first.
 * The first existing name of a list is the meant one.
 */
export function findCandidates(tree: TextTree, sign: Sign, signsMax: number): string[][] {
  const lists: string[][] = []
  visit(tree, (node) => {
    if (lists.length >= signsMax) return false
    if (typeof node !== 'string') {
      if (sign === '@' && node.type === 'mention') lists.push([nameKey(node.name)])
      return node.type !== 'link'
    }
    for (const { prefixes } of startsIn(node, sign, signsMax - lists.length))
      lists.push(prefixes.map(nameKey))
    return true
  })
  return lists
}

/** The rows that candidate lists mean: for each list the first key with a row. Each row once. */
export function meantRows<Row extends { key: string }>(lists: string[][], rows: readonly Row[]): Row[] {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const meant = lists.flatMap((list) => byKey.get(list.find((key) => byKey.has(key)) ?? '') ?? [])
  return [...new Set(meant)]
}

/**
 * Replaces names after signs by references. A mention with soft hyphens whose user is unknown becomes text.
 */
export function linkReferences(tree: TextTree, given: { users: References; topics: References }): TextTree {
  const { users, topics } = given
  const firsts = { '@': firstsOf(users), '#': firstsOf(topics) }
  return mapLeaves(tree, (leaf) => {
    if (typeof leaf !== 'string') {
      if (leaf.type !== 'mention') return [leaf]
      const user = users.get(nameKey(leaf.name))
      return [user ? { type: 'mention', user: user.id, name: user.name } : `@${leaf.name}`]
    }
    const found = [
      ...(users.size > 0 ? meantIn(leaf, '@', users, firsts['@']) : []),
      ...(topics.size > 0 ? meantIn(leaf, '#', topics, firsts['#']) : []),
    ].sort((a, b) => a.start - b.start)
    if (found.length === 0) return [leaf]
    const nodes: TextTree = []
    let done = 0
    for (const { start, end, sign, id, name } of found) {
      if (start < done) continue
      if (start > done) nodes.push(leaf.slice(done, start))
      nodes.push(sign === '@' ? { type: 'mention', user: id, name } : { type: 'topic', topic: id, name })
      done = end
    }
    if (done < leaf.length) nodes.push(leaf.slice(done))
    return nodes
  })
}

/** First characters of the names. */
const firstsOf = (references: References) => new Set([...references.keys()].map((key) => key[0]))

function meantIn(text: string, sign: Sign, references: References, firsts: ReadonlySet<string | undefined>) {
  return startsIn(text, sign, SIGNS_MAX).flatMap(({ start, prefixes }) => {
    // Folding all prefixes would cost much more than the first character.
    if (!firsts.has(nameKey(cutCharacters(prefixes.at(-1) ?? '', 1))[0])) return []
    for (const prefix of prefixes) {
      const reference = references.get(nameKey(prefix))
      if (reference) {
        const after = start + 1 + prefix.length
        // Includes the closing sign of `#topic#`.
        const end = sign === '#' && hasSign(text[after] ?? '', '#') ? after + 1 : after
        return [{ start, end, sign, ...reference }]
      }
    }
    return []
  })
}

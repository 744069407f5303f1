import { codePointLength, cutText, GRAPHEME_MAX } from '../text.ts'
import { findUrl, MARKED_NAME } from './links.ts'
import { putText, readMarkdown, spend, TooComplex, type Work } from './markdown.ts'
import { type TextNode, type TextTree, textOf } from './tree.ts'

export type TextFormat = 'plain' | 'markdown'

const LENGTH_MAX = 100_000
const LINES_MAX = 2000

export const newWork = (dropsTags = false): Work => ({ steps: 0, nodes: 0, targets: 0, dropsTags })

/**
 * Reads a member's text into a tree. `plain` texts have links and mentions, `markdown` has blocks and emphasis
 * too. A text beyond `LIMITS` becomes one unformatted paragraph. Topics, and mentions without soft hyphens,
 * stay in the strings of the tree until `linkReferences` finds them.
 */
export function parseText(source: string, format: TextFormat, work = newWork()): TextTree {
  try {
    if (source.length > LENGTH_MAX) throw new TooComplex()
    return format === 'plain' ? readPlain(source, work) : readMarkdown(source, work)
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return format === 'plain' ? [source] : unformatted(source)
  }
}

function unformatted(source: string): TextTree {
  const lines = source.split('\n', LINES_MAX + 1)
  const nodes: TextNode[] =
    lines.length > LINES_MAX
      ? [source]
      : lines.flatMap((line, n) => (n === 0 ? [line] : [{ type: 'break' as const }, line]))
  return [{ type: 'paragraph', nodes }]
}

const STARTS = new RegExp(`://|${MARKED_NAME.source}`, 'g')

function readPlain(source: string, work: Work): TextTree {
  const nodes: TextNode[] = []
  let done = 0
  const add = (node: TextNode) => {
    if (node === '') return
    spend(work, 'nodes')
    nodes.push(node)
  }
  const put = (node: TextNode, start: number, end: number) => {
    putText(source.slice(done, start), add)
    add(node)
    done = end
  }
  for (const found of source.matchAll(STARTS)) {
    spend(work, 'steps')
    const [whole, name] = found
    const { index } = found
    if (index < done) continue
    if (name !== undefined) put({ type: 'mention', user: 0, name: name.trim() }, index, index + whole.length)
    else {
      const url = findUrl(source, index, 'plain')
      if (!url) continue
      const href = source.slice(url.start, url.end)
      put({ type: 'link', href, nodes: [href] }, url.start, url.end)
    }
  }
  putText(source.slice(done), add)
  return nodes
}

/**
 * The visible text of Markdown on one line, with at most `n` characters. Drops tags, which Kith shows as text,
 * because imported texts have many. Puts a space after a `<`, because a client that does not escape the text
 * would otherwise show a tag.
 */
export function plainText(source: string, n: number): string {
  const shown = source.replace(UNSHOWN, '')
  // The start of a long text is usually enough for an excerpt, unless targets of its links stand at the end.
  const start = DEFINITION.test(shown) ? shown : shown.slice(0, n * START_PER_CHARACTER + START_MIN)
  const text = oneLineOf(start)
  const isEnough = start.length === shown.length || codePointLength(text) >= n + GRAPHEME_MAX
  return cutText(isEnough ? text : oneLineOf(shown), n).trimEnd()
}

const START_PER_CHARACTER = 4
const START_MIN = 1000
const DEFINITION = /^ {0,3}\[.+\]:/m
const UNSHOWN = /<!--.*?(?:-->|$)|<(script|style)\b.*?(?:<\/\1\s*>|$)/gis

const oneLineOf = (source: string): string =>
  textOf(parseText(source, 'markdown', newWork(true)))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/<(?=[A-Za-z/!?])/g, '< ')
    .trim()

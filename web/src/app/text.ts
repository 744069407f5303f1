import type { Schema } from '@kith/client'

export type TextNode = Schema<'TextNode'>
type Element = Exclude<TextNode, string>

export const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'quote', 'heading', 'list', 'table', 'rule'])

const childrenOf = (node: Element): TextNode[][] => {
  if ('nodes' in node) return [node.nodes]
  if (node.type === 'list') return node.items
  return node.type === 'table' ? node.rows.flat() : []
}

/** The text of a tree, with a line feed for each break and between blocks, and without pictures. */
function textOf(tree: TextNode[]): string {
  const parts: string[] = []
  const add = (nodes: TextNode[]) => {
    for (const node of nodes) {
      if (typeof node === 'string') parts.push(node)
      else if (node.type === 'code') parts.push(node.block ? `\n${node.text}\n` : node.text)
      else if (node.type === 'mention') parts.push(`@${node.name}`)
      else if (node.type === 'topic') parts.push(`#${node.name}`)
      else if (node.type === 'break') parts.push('\n')
      else {
        const isBlock = BLOCKS.has(node.type)
        if (isBlock) parts.push('\n')
        for (const [n, each] of childrenOf(node).entries()) {
          if (node.type === 'list' && node.start !== undefined) parts.push(`${node.start + n}. `)
          add(each)
          if (node.type === 'list' || node.type === 'table') parts.push('\n')
        }
        if (isBlock) parts.push('\n')
      }
    }
  }
  add(tree)
  return parts.join('').trim()
}

/** Removes the soft hyphens that enclose mentions (feeds-8). */
export const withoutMarks = (text: string): string => text.replaceAll('\u00ad', '')

/** The plain text of a member's text, or the text as written until a reply contains its tree. */
export const plainText = (tree: TextNode[] | undefined, text: string | null | undefined): string =>
  tree ? textOf(tree) : withoutMarks(text ?? '')

/** The plain text on one line. */
export const plainLine = (tree: TextNode[] | undefined, text: string | null | undefined): string =>
  onOneLine(plainText(tree, text))

export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Graphemes of a text, or its code points in browsers without a segmenter. */
function* graphemesOf(text: string): Generator<string> {
  if (!Intl.Segmenter) yield* text
  else for (const { segment } of new Intl.Segmenter().segment(text)) yield segment
}

/**
 * Cuts a text after at most `most` code points, and at the boundary of a grapheme, so that no emoji is divided. One
 * letter may have endless combining marks, which are then divided.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  let [end, count] = [0, 0]
  for (const grapheme of graphemesOf(text)) {
    count += [...grapheme].length
    if (count > most) break
    end += grapheme.length
  }
  return end > 0 ? text.slice(0, end) : [...text].slice(0, most).join('')
}

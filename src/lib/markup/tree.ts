/**
 * The tree of a member's text. A plain string is text. Nodes with `nodes` contain inline nodes, and `quote` and
 * the items of a list contain blocks too.
 */
export type TextNode =
  | string
  | { type: 'strong' | 'emphasis' | 'deletion' | 'paragraph' | 'quote'; nodes: TextNode[] }
  | { type: 'code'; text: string; block?: true }
  | { type: 'link'; href: string; nodes: TextNode[] }
  | { type: 'mention'; user: number; name: string }
  | { type: 'topic'; topic: number; name: string }
  | { type: 'upload'; file: number; title: string; width?: number; height?: number }
  | { type: 'image'; href: string; title: string }
  | { type: 'break' | 'rule' }
  | { type: 'heading'; level: number; anchor: string; nodes: TextNode[] }
  | { type: 'list'; start?: number; items: TextNode[][] }
  | { type: 'table'; align: Alignment[]; rows: TextNode[][][] }

export type Alignment = 'left' | 'center' | 'right' | null

export type TextTree = TextNode[]

type Element = Exclude<TextNode, string>

const childrenOf = (node: Element): TextNode[][] => {
  if ('nodes' in node) return [node.nodes]
  if (node.type === 'list') return node.items
  return node.type === 'table' ? node.rows.flat() : []
}

/** Replaces strings and leaves of the tree. Does not replace text inside links. */
export function mapLeaves(tree: TextTree, by: (leaf: TextNode) => TextNode[]): TextTree {
  return tree.flatMap((node): TextNode[] => {
    if (typeof node === 'string') return by(node)
    if (node.type === 'link') return [node]
    if ('nodes' in node) return [{ ...node, nodes: mapLeaves(node.nodes, by) }]
    if (node.type === 'list') return [{ ...node, items: node.items.map((item) => mapLeaves(item, by)) }]
    if (node.type === 'table')
      return [{ ...node, rows: node.rows.map((row) => row.map((cell) => mapLeaves(cell, by))) }]
    return by(node)
  })
}

const BLOCKS = new Set(['paragraph', 'quote', 'heading', 'list', 'table', 'rule'])

/** Visits strings, and other nodes before their children. Skips the children when `by` returns false. */
export function visit(tree: TextTree, by: (node: TextNode) => unknown): void {
  for (const node of tree)
    if (by(node) !== false && typeof node !== 'string') for (const nodes of childrenOf(node)) visit(nodes, by)
}

/** The text of a tree, with a line feed for each break and between blocks, and without images and uploads. */
export function textOf(tree: TextTree): string {
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

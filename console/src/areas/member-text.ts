import type { Schema } from '@kith/client'
import type { Wire } from '../api/client.ts'

export type TextNode = Schema<'TextNode'>
export type TextTree = TextNode[]
export type TextFormat = 'plain' | 'markdown'

/** A text of a member with its source. */
export type MemberText = { source: string; tree: TextTree; format: TextFormat }

/** Wraps a text for which the API has no tree. Its signs and links stay plain text. */
export const plainText = (value: unknown): MemberText | undefined =>
  typeof value === 'string' && value !== '' ? { source: value, tree: [value], format: 'plain' } : undefined

/** Reads a text with its tree from a reply. Without the tree, such as before it is loaded, the text is plain. */
export function memberText(row: Wire, field: string, format: TextFormat): MemberText | undefined {
  const text = plainText(row[field])
  const tree = row[`${field}_tree`]
  return text && Array.isArray(tree) ? { ...text, tree: tree as TextTree, format } : text
}

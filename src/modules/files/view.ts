import type { Context } from '#platform/context.ts'
import type { AttachmentView, StoredNode } from './schema.ts'

/** The public form of a stored node. */
export function attachmentView(ctx: Context, stored: StoredNode | null): AttachmentView | null {
  if (!stored) return null
  const { node, mime, size, width, height } = stored
  const colon = node.indexOf(':')
  const path = Buffer.from(node.slice(colon + 1)).toString('base64url')
  return {
    url: `${ctx.config.publicUrl}/storage/${node.slice(0, colon)}:${path}`,
    vendor: ctx.storage.vendor,
    mime,
    size,
    ...(width !== null && height !== null ? { dimension: { width, height } } : {}),
  }
}

import type { Context } from '#platform/context.ts'
import type { ImageRule } from '#platform/media/images.ts'
import { formatRule } from '#platform/media/rule.ts'
import type { AttachmentView, StoredNode } from './schema.ts'

/** The public form of a stored node. */
export function attachmentView(ctx: Context, stored: StoredNode | null): AttachmentView | null {
  if (!stored) return null
  const { node, mime, size, width, height } = stored
  return {
    url: nodeUrl(ctx, node),
    vendor: ctx.storage.vendor,
    mime,
    size,
    ...(width !== null && height !== null ? { dimension: { width, height } } : {}),
  }
}

/** The address a node's picture is shown at; with a signature, the one it is uploaded to. */
export function nodeUrl(ctx: Context, node: string): string {
  const colon = node.indexOf(':')
  const path = Buffer.from(node.slice(colon + 1)).toString('base64url')
  return `${ctx.config.publicUrl}/storage/${node.slice(0, colon)}:${path}`
}

/** The lasting address of an upload, which leads whoever may see it to the bytes. */
export const fileUrl = (ctx: Context, id: number) => `${ctx.config.publicUrl}/api/v2/files/${id}`

const hour = 3_600_000

/** How long the address of a file that only some may read is good. */
const BRIEFLY = 5 * 60_000

/**
 * Where the bytes of an upload are for the next hour or two. The same within an hour, so that browsers keep what they
 * loaded. Of a file that only some may read it is good for minutes.
 */
export function signedFileUrl(ctx: Context, id: number, rule: ImageRule, confidential: boolean): string {
  const expires = String(confidential ? Date.now() + BRIEFLY : (Math.floor(Date.now() / hour) + 2) * hour)
  const wanted = formatRule(rule)
  const signature = ctx.secrets.sign(fileSignature(id, wanted, expires, confidential))
  const query = new URLSearchParams({ ...(wanted ? { rule: wanted } : {}), expires, signature })
  return `${ctx.config.publicUrl}/storage/files/${id}?${query}`
}

/**
 * What the signature of an upload's address covers. An address that was given out before a file became confidential
 * is of no use from then on.
 */
export const fileSignature = (id: number, rule: string, expires: string, confidential: boolean) =>
  `${confidential ? 'confidential file' : 'file'}\n${id}\n${rule}\n${expires}`

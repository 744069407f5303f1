import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { databaseTime } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import type { Storage } from '#platform/files'
import type { ByteRequester, ByteSource } from '#platform/http'
import type { ImageRule } from './media/images.ts'
import { formatRule, roundRule } from './media/rule.ts'
import { type AttachmentView, readFault, type StoredBytes, type StoredNode } from './schema.ts'
import { getVariant, takeVariantsOf } from './variants/service.ts'

/** Returns those of the given storage keys that no table references. */
const listUnnamed = (sql: Db, keys: string[]) => sql<{ key: string }[]>`
  select key from unnest(${keys}::text[], ${keys.map((key) => key.replace('/', ':'))}::text[]) as t (key, node)
  where not exists (select from files f where f.storage_key = t.key)
    and not exists (select from file_variants v where v.storage_key = t.key)
    and not exists (select from storage_nodes n where n.node = t.node)
    and not exists (select from import_pictures p where p.node = t.node)`

/** Storage folders in which a killed process may leave files without a database row. */
const FOLDERS = ['files', 'variants', 'public', 'health']
const AT_ONCE = 500
const DAY_MS = 86_400_000

export type Leftovers = { left: number; stored: number }

/**
 * Returns the earliest time of the clocks of this process, the database and the storage. A file that another node is
 * just uploading must not look old because one clock is wrong.
 */
async function earliestTime({ sql, storage }: Context): Promise<number> {
  const key = `health/${randomBytes(16).toString('hex')}`
  await storage.put(key, Buffer.from('clock'), { mime: 'text/plain' })
  const written = await storage.writtenAt(key).finally(() => storage.remove(key))
  return Math.min(Date.now(), await databaseTime(sql), written?.getTime() ?? 0)
}

async function goThrough(
  ctx: Context,
  { batch = AT_ONCE, take }: { batch?: number; take?: (key: string) => Promise<void> },
): Promise<Leftovers> {
  const { sql, storage } = ctx
  const seen = { left: 0, stored: 0 }
  const now = take ? await earliestTime(ctx) : Date.now()
  const examine = async (keys: string[]) => {
    seen.stored += keys.length
    for (const { key } of await listUnnamed(sql, keys)) {
      // Checks the object's age last, because the object may have been rewritten since the listing.
      const at = await storage.writtenAt(key)
      if (!at || now - at.getTime() <= DAY_MS) continue
      seen.left += 1
      await take?.(key)
    }
  }
  let keys: string[] = []
  for (const folder of FOLDERS)
    for await (const key of storage.list(folder)) {
      keys.push(key)
      if (keys.length < batch) continue
      await examine(keys)
      keys = []
    }
  if (keys.length > 0) await examine(keys)
  return seen
}

export const countLeftovers = (ctx: Context): Promise<Leftovers> => goThrough(ctx, {})

/**
 * Runs only on an operator's request, because a copied site that uses the original's storage would delete the
 * original's files.
 */
export async function deleteOrphanedObjects(ctx: Context, batch = AT_ONCE): Promise<number> {
  return (await goThrough(ctx, { batch, take: ctx.storage.remove })).left
}

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

/** Public URL of a node. With a signed query, the URL accepts the upload of the node. */
export function nodeUrl(ctx: Context, node: string): string {
  const colon = node.indexOf(':')
  const path = Buffer.from(node.slice(colon + 1)).toString('base64url')
  return `${ctx.config.publicUrl}/storage/${node.slice(0, colon)}:${path}`
}

/** Permanent URL of an upload. It redirects viewers who may see the upload to a signed URL. */
export const fileUrl = (ctx: Context, id: number) => `${ctx.config.publicUrl}/api/v2/files/${id}`

const hour = 3_600_000

const CONFIDENTIAL_URL_MS = 5 * 60_000

/**
 * Returns a URL that is valid for one to two hours, or for five minutes if the file is confidential. URLs of
 * files that are not confidential are stable within an hour, so that browsers can cache the files.
 */
export function signedFileUrl(ctx: Context, id: number, rule: ImageRule, confidential: boolean): string {
  const expires = String(
    confidential ? Date.now() + CONFIDENTIAL_URL_MS : (Math.floor(Date.now() / hour) + 2) * hour,
  )
  const wanted = formatRule(rule)
  const signature = ctx.secrets.sign(fileSignature(id, wanted, expires, confidential))
  const query = new URLSearchParams({ ...(wanted ? { rule: wanted } : {}), expires, signature })
  return `${ctx.config.publicUrl}/storage/files/${id}?${query}`
}

/**
 * Signed text of the URL of an upload. The first line differs for confidential files, so that earlier URLs of an upload
 * become invalid when it is attached in a confidential channel.
 */
export const fileSignature = (id: number, rule: string, expires: string, confidential: boolean) =>
  `${confidential ? 'confidential file' : 'file'}\n${id}\n${rule}\n${expires}`

export async function sendableBytes(
  ctx: Context,
  asker: ByteRequester,
  stored: StoredBytes,
  rule: ImageRule,
  cacheControl: string,
): Promise<ByteSource> {
  const rounded = stored.mime.startsWith('image/') ? roundRule(rule, stored) : {}
  const wanted = formatRule(rounded)
  const name = stored.key.split('/').at(-1) ?? 'file'
  if (wanted === '') {
    const open: ByteSource['open'] = async (range) =>
      (await readingFrom(ctx, ctx.storage.open(stored.key, range))).stream
    return { name, mime: stored.mime, size: stored.size, tag: name, cacheControl, open }
  }
  const made = await readingFrom(ctx, getVariant(ctx, stored, rounded, asker))
  return {
    name: made.mime === stored.mime ? name : `${name.split('.')[0]}.png`,
    mime: made.mime,
    size: made.data.length,
    tag: `${name}-${wanted.replaceAll(',', '-')}`,
    cacheControl,
    open: (range) => Readable.from(range ? made.data.subarray(range.start, range.end + 1) : made.data),
  }
}

async function readingFrom<T>(ctx: Context, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw readFault(ctx, error)
  }
}

/** Throws when the storage fails, so that the job is retried. */
async function removeObjects(storage: Storage, keys: string[]): Promise<void> {
  for (const key of keys) await storage.remove(key)
}

export async function removeWithVariants(ctx: Context, tx: Db, keys: string[]): Promise<void> {
  if (keys.length > 0) await removeObjects(ctx.storage, [...(await takeVariantsOf(tx, keys)), ...keys])
}

import { createHash, randomInt } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Context } from '#platform/context.ts'
import { currentScope, type Db, type Row, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { inspectMedia } from '../media/inspect.ts'
import {
  type AttachmentView,
  badSignature,
  fileNotAccepted,
  fileNotUsable,
  noSuchFile,
  refusedFile,
  type SignedQuery,
  type StorageTask,
  type StoredNode,
  uploadFault,
  wrongSize,
} from '../schema.ts'
import { attachmentView, nodeUrl, removeWithVariants } from '../service.ts'
import { cleanMedia } from '../uploads/service.ts'

type Task = { node: string; ownerId: number; md5: Buffer; size: number; mime: string }

type TaskRow = Row<'storage_nodes', 'md5' | 'declared_size' | 'mime'> & {
  uploaded: boolean
}

async function addTask(sql: Db, { node, ownerId, md5, size, mime }: Task): Promise<void> {
  await sql`
    insert into storage_nodes (node, owner_id, md5, declared_size, mime)
    values (${node}, ${ownerId}, ${md5}, ${size}, ${mime})`
}

async function findTask(sql: Db, node: string): Promise<TaskRow | undefined> {
  const [row] = await sql<TaskRow[]>`
    select md5, declared_size, mime, uploaded_at is not null as uploaded from storage_nodes where node = ${node}`
  return row
}

/**
 * Marks a picture as stored. Returns false when another upload finished first or the storage task is deleted.
 */
async function finishTask(
  sql: Db,
  node: string,
  { size, width, height }: { size: number; width: number | null; height: number | null },
): Promise<boolean> {
  const rows = await sql`
    update storage_nodes set uploaded_at = now(), size = ${size}, width = ${width}, height = ${height}
    where node = ${node} and uploaded_at is null
    returning node`
  return rows.length === 1
}

const listNodes = (sql: Db, nodes: string[]) => sql<StoredNode[]>`
  select node, mime, size, width, height from storage_nodes
  where node = any(${nodes}::text[]) and uploaded_at is not null`

async function takeNode(sql: Db, node: string, ownerId: number): Promise<StoredNode | undefined> {
  const [row] = await sql<StoredNode[]>`
    update storage_nodes set used_at = now()
    where node = ${node} and owner_id = ${ownerId} and uploaded_at is not null
    returning node, mime, size, width, height`
  return row
}

export async function removeStaleNodes(sql: Db, limit: number): Promise<string[]> {
  const rows = await sql<{ node: string }[]>`
    delete from storage_nodes where node in (
      select node from storage_nodes where used_at is null and created_at < now() - interval '1 day'
      order by created_at limit ${limit} for update skip locked
    )
    returning node`
  return rows.map(({ node }) => node)
}

/** Skips pictures of settings, which outlive the account of the administrator who chose them. */
export const markNodesUnused = (sql: Db, nodes: string[], ownerId: number) => sql`
  update storage_nodes n set used_at = null where node = any(${nodes}::text[]) and owner_id = ${ownerId}
  and not exists (select from settings s where s.value = to_jsonb(n.node))`

const wrongHash = apiError(
  422,
  'hash_mismatch',
  'The hash of the file differs from the declared one.',
  '文件哈希校验失败。',
)
const wrongType = apiError(
  422,
  'type_mismatch',
  'The type of the file differs from the declared one.',
  '文件类型与声明不符。',
)

const extensions: Record<StorageTask['mime_type'], string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const minutesAllowed = 60

export async function openTask(
  ctx: Context,
  ownerId: number,
  { hash, size, mime_type: mime, storage }: StorageTask,
) {
  const node = nameNode(storage.channel, mime)
  await addTask(ctx.sql, { node, ownerId, md5: Buffer.from(hash, 'hex'), size, mime })
  const expires = String(Date.now() + minutesAllowed * 60_000)
  const signature = ctx.secrets.sign(taskSignature(node, expires))
  return {
    uri: `${nodeUrl(ctx, node)}?${new URLSearchParams({ expires, signature })}`,
    method: 'PUT',
    headers: { 'x-plus-storage-hash': hash.toLowerCase(), 'Content-Type': mime },
    form: null,
    file_key: null,
    node,
  }
}

export async function storeNode(
  ctx: Context,
  ownerId: number,
  bytes: Buffer,
  field: string,
): Promise<string> {
  try {
    const media = bytes.length > 0 ? await inspectMedia(bytes) : null
    const mime = media?.mime as StorageTask['mime_type'] | undefined
    if (!mime || !Object.hasOwn(extensions, mime)) throw refusedFile(field, fileNotAccepted)
    const node = nameNode('public', mime)
    const md5 = createHash('md5').update(bytes).digest()
    await addTask(ctx.sql, { node, ownerId, md5, size: bytes.length, mime })
    const task = { node, md5, declared_size: bytes.length, mime }
    await finishUpload(ctx, task, { bytes, hash: md5.toString('hex'), address: `user:${ownerId}` })
    return node
  } catch (error) {
    throw uploadFault(ctx, error, field)
  }
}

const nameNode = (channel: string, mime: StorageTask['mime_type']) => {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  const random = Array.from({ length: 64 }, () => letters[randomInt(letters.length)]).join('')
  return `${channel}:${day}/${random}.${extensions[mime]}`
}

const taskSignature = (node: string, expires: string) => `upload\n${node}\n${expires}`

type OpenTask = { node: string; md5: Buffer; declared_size: number; mime: string }

export async function getOpenTask(
  ctx: Context,
  node: string | null,
  { expires = '', signature = '' }: SignedQuery,
): Promise<OpenTask> {
  if (node === null || !ctx.secrets.verify(taskSignature(node, expires), signature)) throw badSignature()
  if (!(Number(expires) > Date.now())) throw badSignature()
  const task = await findTask(ctx.sql, node)
  if (!task || task.uploaded) throw badSignature()
  return { node, ...task }
}

/** Stores the file of a storage task. Accepts one upload for each task, but a client may retry a rejected upload. */
export async function finishUpload(
  ctx: Context,
  task: OpenTask,
  { bytes, hash, address }: { bytes: Buffer; hash: string; address: string },
): Promise<void> {
  const { node } = task
  const md5 = createHash('md5').update(bytes).digest()
  if (!md5.equals(task.md5) || md5.toString('hex') !== hash.toLowerCase()) throw wrongHash()
  if (bytes.length !== task.declared_size) throw wrongSize()
  try {
    const media = await inspectMedia(bytes)
    if (media?.mime !== task.mime) throw wrongType()
    const caller = currentScope()
    const turn = { key: address, isGone: () => caller?.isGone ?? false }
    const cleaned = await cleanMedia(bytes, media, turn)
    await ctx.storage.put(nodeKey(node), cleaned, { mime: media.mime })
    const stored = { size: cleaned.length, width: media.width, height: media.height }
    if (!(await finishTask(ctx.sql, node, stored))) throw badSignature()
  } catch (error) {
    throw uploadFault(ctx, error, 'file')
  }
}

const nodePattern = /^public:\d{4}\/\d\d\/\d\d\/[A-Za-z0-9]{64}\.[a-z]{3,4}$/

/** Parses `{channel}:{path}` with a plain or base64 path. Returns null for invalid text. */
export function parseNode(text: string): string | null {
  const colon = text.indexOf(':')
  if (colon < 0) return null
  const path = text.slice(colon + 1)
  const decoded = Buffer.from(path, 'base64').toString('latin1')
  return (
    [path, decoded].map((each) => `${text.slice(0, colon)}:${each}`).find((node) => nodePattern.test(node)) ??
    null
  )
}

/** Pass only a parsed or stored node. Other text would allow path traversal. */
export const nodeKey = (node: string) => node.replace(':', '/')

export async function findNode(sql: Db, node: string): Promise<StoredNode | undefined> {
  const [stored] = await listNodes(sql, [node])
  return stored
}

export async function getNode(sql: Db, node: string | null): Promise<StoredNode> {
  const stored = node === null ? undefined : await findNode(sql, node)
  if (!stored) throw noSuchFile()
  return stored
}

/** Marks a node as used, so that cleanup keeps it. Returns null unless `ownerId` uploaded it completely. */
export async function storedNode(
  sql: Db,
  node: string,
  { ownerId }: { ownerId: number },
): Promise<StoredNode | null> {
  return (await takeNode(sql, node, ownerId)) ?? null
}

/** Reads a picture that `ownerId` uploaded, without marking it as used. Throws 422 on `field` otherwise. */
export async function readOwnNode(
  ctx: Context,
  text: string,
  { ownerId, field }: { ownerId: number; field: string },
): Promise<StoredNode & { bytes: Buffer }> {
  const node = parseNode(text)
  const [stored] = await ctx.sql<StoredNode[]>`
    select node, mime, size, width, height from storage_nodes
    where node = ${node} and owner_id = ${ownerId} and uploaded_at is not null`
  if (!stored) throw refusedFile(field, fileNotUsable)
  const { stream } = await ctx.storage.open(nodeKey(stored.node))
  return { ...stored, bytes: await buffer(stream) }
}

/** Throws 422 on `field` when `storedNode` returns null. */
export async function getStoredNode(
  sql: Db,
  node: string,
  { ownerId, field }: { ownerId: number; field: string },
): Promise<StoredNode> {
  const stored = await storedNode(sql, node, { ownerId })
  if (!stored) throw refusedFile(field, fileNotUsable)
  return stored
}

export async function attachmentViews(
  sql: Db,
  nodes: string[],
  ctx: Context,
): Promise<Map<string, AttachmentView>> {
  if (nodes.length === 0) return new Map()
  const stored = await listNodes(sql, nodes)
  return new Map(stored.map((each) => [each.node, attachmentView(ctx, each) as AttachmentView]))
}

export async function tidyNodes(ctx: Context, batch = 200): Promise<void> {
  for (let count = batch; count === batch; ) {
    count = await transaction(ctx.sql, async (tx) => {
      const nodes = await removeStaleNodes(tx, batch)
      await removeWithVariants(ctx, tx, nodes.map(nodeKey))
      return nodes.length
    })
  }
}

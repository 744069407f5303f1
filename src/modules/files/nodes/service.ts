import { createHash, randomInt } from 'node:crypto'
import type { Context } from '#platform/context.ts'
import { currentCaller } from '#platform/database/callers.ts'
import { type Db, transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { inspectMedia } from '#platform/media/inspect.ts'
import { badSignature, fileNotUsable, noSuchFile, refusedFile, uploadFault } from '../errors.ts'
import type { AttachmentView, StorageTask, StoredNode } from '../schema.ts'
import { removeWithVariants } from '../service.ts'
import { cleanMedia } from '../uploads/service.ts'
import { attachmentView, nodeUrl } from '../view.ts'
import { addTask, findTask, finishTask, listNodes, removeStaleNodes, takeNode } from './queries.ts'

const wrongHash = apiError(
  422,
  'hash_mismatch',
  'The bytes do not have the declared hash.',
  '文件哈希校验失败。',
)
const wrongSize = apiError(
  422,
  'size_mismatch',
  'The bytes do not have the declared size.',
  '文件大小与声明不符。',
)
const wrongType = apiError(
  422,
  'type_mismatch',
  'The bytes are not of the declared type.',
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

/** Opens a storage task: a new node of this person's, and the signed address its bytes go to once. */
export async function openTask(
  ctx: Context,
  ownerId: number,
  { hash, size, mime_type: mime, storage }: StorageTask,
) {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  const random = Array.from({ length: 64 }, () => letters[randomInt(letters.length)]).join('')
  const node = `${storage.channel}:${day}/${random}.${extensions[mime]}`
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

const taskSignature = (node: string, expires: string) => `upload\n${node}\n${expires}`

/**
 * Takes the bytes of a task, once. They have to be what the task declared, by their content; a refused upload may be
 * repeated.
 */
export async function finishUpload(
  ctx: Context,
  node: string | null,
  { expires = '', signature = '' }: { expires?: string | undefined; signature?: string | undefined },
  { bytes, hash, address }: { bytes: Buffer; hash: string; address: string },
): Promise<void> {
  if (node === null || !ctx.secrets.verify(taskSignature(node, expires), signature)) throw badSignature()
  if (!(Number(expires) > Date.now())) throw badSignature()
  const task = await findTask(ctx.sql, node)
  if (!task || task.uploaded) throw badSignature()
  const md5 = createHash('md5').update(bytes).digest()
  if (!md5.equals(task.md5) || md5.toString('hex') !== hash.toLowerCase()) throw wrongHash()
  if (bytes.length !== task.declared_size) throw wrongSize()
  try {
    const media = await inspectMedia(bytes)
    if (media?.mime !== task.mime) throw wrongType()
    const caller = currentCaller()
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

/** The node that `{channel}:{path}` of an address names, its path in base64 or plain; null when it can be none. */
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

/** Where a node's bytes are kept. Only for nodes that `parseNode` or the database gave. */
export const nodeKey = (node: string) => node.replace(':', '/')

/** A stored picture by its node; 404 for everything else. */
export async function getNode(sql: Db, node: string | null): Promise<StoredNode> {
  const [stored] = node === null ? [] : await listNodes(sql, [node])
  if (!stored) throw noSuchFile()
  return stored
}

/**
 * The picture that `ownerId` uploaded as this node, to be kept beside what shows it; marked as used, so that it is not
 * tidied away. Null when there is none: unknown, not uploaded yet, or somebody else's.
 */
export async function storedNode(
  sql: Db,
  node: string,
  { ownerId }: { ownerId: number },
): Promise<StoredNode | null> {
  return (await takeNode(sql, node, ownerId)) ?? null
}

/** The same, but 422 on `field` when there is none. */
export async function getStoredNode(
  sql: Db,
  node: string,
  { ownerId, field }: { ownerId: number; field: string },
): Promise<StoredNode> {
  const stored = await storedNode(sql, node, { ownerId })
  if (!stored) throw refusedFile(field, fileNotUsable)
  return stored
}

/** Nodes as clients get them; those without a picture are left out. */
export async function attachmentViews(
  sql: Db,
  nodes: string[],
  ctx: Context,
): Promise<Map<string, AttachmentView>> {
  if (nodes.length === 0) return new Map()
  const stored = await listNodes(sql, nodes)
  return new Map(stored.map((each) => [each.node, attachmentView(ctx, each) as AttachmentView]))
}

/** Removes tasks that were not finished and pictures that nothing took within a day. */
export async function tidyNodes(ctx: Context, batch = 200): Promise<void> {
  for (let count = batch; count === batch; ) {
    count = await transaction(ctx.sql, async (tx) => {
      const nodes = await removeStaleNodes(tx, batch)
      await removeWithVariants(ctx, tx, nodes.map(nodeKey))
      return nodes.length
    })
  }
}

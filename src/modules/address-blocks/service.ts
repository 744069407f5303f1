import ipaddr from 'ipaddr.js'
import { wireTime } from '#lib/time.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { ApiError, addressBlocked, apiError, fieldError, notFound } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import {
  type AddressBlockInput,
  countBlocks,
  deleteBlock,
  deleteOldBlocks,
  insertBlock,
  listBlocks,
} from './queries.ts'

type Parsed = { bytes: number[]; bits: number }

function bytesOf(address: string): number[] | undefined {
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address).toByteArray() : undefined
}

const masked = (bytes: number[], bits: number): number[] =>
  bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8))) & 0xff)

function parse(text: string): Parsed | undefined {
  const [address = '', length, ...more] = text.trim().split('/')
  const bytes = bytesOf(address)
  if (!bytes || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  // The prefix length of an IPv4-mapped address includes the 96 bits before the IPv4 part.
  const mapped = address.includes(':') && bytes.length === 4 ? 96 : 0
  const bits = length === undefined ? bytes.length * 8 : Number(length) - mapped
  return bits >= 0 && bits <= bytes.length * 8 ? { bytes: masked(bytes, bits), bits } : undefined
}

/** Returns undefined for an invalid network, or a network wider than /8 (IPv4) or /16 (IPv6). */
export function networkOf(text: string): string | undefined {
  const parsed = parse(text)
  if (!parsed || parsed.bits < (parsed.bytes.length === 4 ? 8 : 16)) return undefined
  return `${ipaddr.fromByteArray(parsed.bytes).toString()}/${parsed.bits}`
}

/** `find` takes one lookup per distinct prefix length. */
export type Networks<T> = { find(address: string): T[] }

export function compileNetworks<T>(entries: { network: string; value: T }[]): Networks<T> {
  const byLength = new Map<string, { size: number; bits: number; values: Map<string, T> }>()
  for (const { network, value } of entries) {
    const parsed = parse(network)
    if (!parsed) continue
    const size = parsed.bytes.length
    const key = `${size}/${parsed.bits}`
    const group = byLength.get(key) ?? { size, bits: parsed.bits, values: new Map<string, T>() }
    byLength.set(key, group)
    group.values.set(parsed.bytes.join('.'), value)
  }
  const groups = [...byLength.values()]
  return {
    find(address) {
      const bytes = groups.length > 0 ? bytesOf(address) : undefined
      if (!bytes) return []
      return groups.flatMap(({ size, bits, values }) => {
        const value = size === bytes.length ? values.get(masked(bytes, bits).join('.')) : undefined
        return value === undefined ? [] : [value]
      })
    },
  }
}

export const noSuchNetwork = fieldError(
  'network',
  'no_such_network',
  'Enter an IP address, or a network such as 192.0.2.0/24.',
  '请填写 IP 地址或网段，例如 192.0.2.0/24。',
)
export const networkTooWide = fieldError(
  'network',
  'network_too_wide',
  'This network is too large. Block at most a /8 at once (/16 for IPv6).',
  '网段范围过大。每次最多屏蔽 /8（IPv6 为 /16）。',
)
export const blockedAlready = fieldError(
  'network',
  'network_blocked_already',
  'This network is already blocked.',
  '该网段已被封禁。',
)
export const tooManyBlocks = apiError(
  422,
  'too_many_address_blocks',
  'There are too many blocked addresses. Remove some, or block a network.',
  '封禁的 IP 地址过多，请删除一些，或改为封禁网段。',
)
export const blocksYourself = apiError(
  422,
  'blocks_own_address',
  'This network contains your own address. Send `own_address` to confirm.',
  '该网段包含你当前的 IP 地址。如确需封禁，请同时提交 own_address。',
)

const blockedUntil = (end: string | null): ApiError =>
  new ApiError(
    addressBlocked.status,
    addressBlocked.code,
    end === null
      ? addressBlocked.text
      : {
          en: `Your address is blocked until ${wireTime(end)} (UTC).`,
          zh: `你的 IP 地址已被封禁至 ${wireTime(end)}（UTC）。`,
        },
  )

/** Limits memory, because every process caches all blocks. */
const BLOCKS_MAX = 10_000
const BATCH = 1000

type Block = { id: number; endsAt: string | null; until: number }

const cacheOf = defineCache<Networks<Block>>('address-blocks', { max: 1, ttlMs: 60_000 })

const networks = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const now = performance.now()
    const rows = await listBlocks(ctx.sql)
    return compileNetworks(
      rows.map(({ id, network, ends_at: endsAt, left_ms: left }) => ({
        network,
        value: { id, endsAt, until: left === null ? Number.POSITIVE_INFINITY : now + left },
      })),
    )
  })

/** Reads a cache of all blocks, so that a request from a blocked address costs no query of its own. */
export function findAddressBlock(
  ctx: Context,
  address: string,
  now = performance.now(),
): ApiError | undefined | Promise<ApiError | undefined> {
  const judge = (known: Networks<Block>) => {
    const inForce = known.find(address).filter(({ until }) => until > now)
    const longest = inForce.sort((one, two) => two.until - one.until)[0]
    return longest && blockedUntil(longest.endsAt)
  }
  const blocks = networks(ctx)
  return blocks instanceof Promise ? blocks.then(judge) : judge(blocks)
}

export async function blockAddress(
  ctx: Context,
  actor: Actor & { request: { ip: string } },
  { network: text, reason, hours, own_address: own = false }: AddressBlockInput,
): Promise<number> {
  const network = networkOf(text)
  if (network === undefined) throw parse(text) ? networkTooWide() : noSuchNetwork()
  const isOwn = compileNetworks([{ network, value: true }]).find(actor.request.ip).length > 0
  if (isOwn && !own) throw blocksYourself()
  return transaction(ctx.sql, async (tx) => {
    if ((await countBlocks(tx)) >= BLOCKS_MAX) throw tooManyBlocks()
    const by = actor.viewer.id
    const newId = await insertBlock(tx, { network, reason, hours: hours ?? null, by })
    if (newId === undefined) throw blockedAlready()
    await recordAudit(tx, actor, {
      action: 'address-blocks.create',
      subjectType: 'address-blocks',
      subjectId: newId,
      after: { network, reason, hours: hours ?? null },
    })
    await cacheOf(ctx).announce(tx, 'all')
    return newId
  })
}

export async function unblockAddress(ctx: Context, actor: Actor, id: number): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const deleted = await deleteBlock(tx, id)
    if (!deleted) throw notFound()
    await recordAudit(tx, actor, {
      action: 'address-blocks.delete',
      subjectType: 'address-blocks',
      subjectId: id,
      before: { network: deleted.network, reason: deleted.reason, ends_at: deleted.ends_at },
    })
    await cacheOf(ctx).announce(tx, 'all')
  })
}

/** Deletes active blocks that contain an address, for operators who locked themselves out. Returns their networks. */
export async function removeBlocksOfAddress(ctx: Context, address: string): Promise<string[]> {
  const rows = await listBlocks(ctx.sql)
  const entries = rows.map(({ id, network }) => ({ network, value: { id, network } }))
  const found = compileNetworks(entries).find(address)
  await transaction(ctx.sql, async (tx) => {
    for (const { id } of found) await deleteBlock(tx, id)
    await cacheOf(ctx).announce(tx, 'all')
  })
  return found.map(({ network }) => network)
}

export async function tidyAddressBlocks({ sql }: Context): Promise<void> {
  while ((await deleteOldBlocks(sql, BATCH)) === BATCH);
}

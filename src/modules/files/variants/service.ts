import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import type { Caller } from '#platform/database/callers.ts'
import { transaction } from '#platform/database.ts'
import { tooManyRequests } from '#platform/errors.ts'
import { limitHeaders } from '#platform/http/admission.ts'
import type { Asker } from '#platform/http/bytes-limit.ts'
import { MediaError } from '#platform/media/errors.ts'
import { type ImageRule, transformImage } from '#platform/media/images.ts'
import { formatRule } from '#platform/media/rule.ts'
import { StorageError } from '#platform/storage/errors.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { StoredBytes } from '../service.ts'
import { dropVariant, findVariant, noteVariant, sumVariants, takeOldestVariants } from './queries.ts'

/** A picture by a rule. */
export type Variant = { data: Buffer; mime: string }

type Making = { address: string; askers: (Caller | null)[]; variant: Promise<Variant> }

type Known = { recent: LRUCache<string, Variant>; making: Map<string, Making> }

const RECENT_BYTES = 64 * 1024 * 1024
const known = new WeakMap<Storage, Known>()

function knownOf(storage: Storage): Known {
  const found = known.get(storage) ?? {
    recent: new LRUCache<string, Variant>({
      maxSize: RECENT_BYTES,
      sizeCalculation: ({ data }) => data.length + 200,
    }),
    making: new Map<string, Making>(),
  }
  known.set(storage, found)
  return found
}

const keyOf = (source: StoredBytes, wanted: string) => {
  const hash = createHash('sha256').update(`${source.key}?${wanted}`).digest('hex')
  return `variants/${hash.slice(0, 2)}/${hash}`
}

/**
 * The variant of a picture by a rounded rule: from memory, from the store, or made. Whoever asks for what is being made waits
 * for the same; it is dropped when all of them have gone. Only making is counted (files-14).
 */
export async function getVariant(
  ctx: Context,
  source: StoredBytes,
  rule: ImageRule,
  asker: Asker,
): Promise<Variant> {
  const { recent, making } = knownOf(ctx.storage)
  const key = keyOf(source, formatRule(rule))
  const found = recent.get(key)
  if (found) return found
  // Several may wait for one that is refused: the first of them makes it then, and the others wait for that.
  for (let joined = making.get(key); joined; joined = making.get(key)) {
    joined.askers.push(asker.caller)
    try {
      return await joined.variant
    } catch (error) {
      // That others asked for too much is no reason to refuse somebody else.
      const theirs = joined.address !== asker.address && !(error instanceof StorageError)
      if (!theirs || (error instanceof MediaError && error.fault !== 'busy')) throw error
    }
  }
  const askers = [asker.caller]
  const variant = find(ctx, { key, source, rule }, asker.address, () =>
    askers.every((caller) => caller?.isGone),
  ).finally(() => making.delete(key))
  making.set(key, { address: asker.address, askers, variant })
  const made = await variant
  recent.set(key, made)
  return made
}

async function find(
  ctx: Context,
  { key, source, rule }: { key: string; source: StoredBytes; rule: ImageRule },
  address: string,
  isGone: () => boolean,
): Promise<Variant> {
  const stored = await readVariant(ctx, key)
  if (stored) return stored
  const state = await ctx.limiter.hit(`variants:${address}`, ctx.config.rateLimits.variants)
  if (state.exceeded) throw tooManyRequests({ headers: limitHeaders(state) })
  const read = async () => buffer((await ctx.storage.open(source.key)).stream)
  const made = await transformImage(read, source.mime, rule, { key: address, isGone })
  await keepVariant(ctx, key, source.key, made)
  return made
}

/** What is kept of an earlier time; bytes that are gone although there is a row are made again. */
async function readVariant(ctx: Context, key: string): Promise<Variant | undefined> {
  if (ctx.config.variantBytes === 0) return undefined
  const row = await findVariant(ctx.sql, key)
  if (!row) return undefined
  try {
    const data = await buffer((await ctx.storage.open(key)).stream)
    return data.length === row.size ? { data, mime: row.mime } : undefined
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'missing') return undefined
    throw error
  }
}

/** Keeps a variant for the next time. That there is no room for it is no reason to refuse what was made. */
async function keepVariant(ctx: Context, key: string, sourceKey: string, { data, mime }: Variant) {
  if (ctx.config.variantBytes === 0) return
  try {
    await noteVariant(ctx.sql, { key, sourceKey, mime, size: data.length })
    await ctx.storage.put(key, data, { mime })
  } catch (error) {
    ctx.log.warn({ err: error }, 'a picture that was made smaller could not be kept')
    await dropVariant(ctx.sql, key).catch(() => {})
  }
}

/** How far below the budget it is tidied, so that it is not tidied for every picture. */
const ROOM = 0.9

/**
 * Removes the variants that nobody asked for longest until all fit the budget. Rows and bytes go together; what another
 * process is just removing is left to it.
 */
export async function tidyVariants(ctx: Context, batch = 200): Promise<void> {
  const total = await sumVariants(ctx.sql)
  if (total <= ctx.config.variantBytes) return
  for (let surplus = total - Math.floor(ctx.config.variantBytes * ROOM); surplus > 0; ) {
    const removed = await transaction(ctx.sql, async (tx) => {
      const rows = await takeOldestVariants(tx, batch, surplus)
      for (const { storage_key } of rows) await ctx.storage.remove(storage_key)
      return rows
    })
    if (removed.length === 0) return
    for (const { size } of removed) surplus -= size
  }
}

import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { type Db, type RequestScope, type Row, transaction } from '#platform/database'
import { type Storage, StorageError } from '#platform/files'
import { type ByteRequester, rateExceeded } from '#platform/http'
import { MediaError } from '../media/errors.ts'
import { type ImageRule, transformImage } from '../media/images.ts'
import { formatRule } from '../media/rule.ts'
import type { StoredBytes } from '../schema.ts'

/** Updates the time of a variant's last use at most once a day, to save writes. */
async function findVariant(sql: Db, key: string): Promise<Row<'file_variants', 'mime' | 'size'> | undefined> {
  const [row] = await sql<Row<'file_variants', 'mime' | 'size'>[]>`
    with found as (select storage_key, mime, size, used_at from file_variants where storage_key = ${key}),
    touched as (
      update file_variants v set used_at = now() from found f
      where v.storage_key = f.storage_key and f.used_at < now() - interval '1 day'
    )
    select mime, size from found`
  return row
}

/**
 * Inserts the row of a variant before its file is stored, so that cleanup finds every stored file by its row.
 */
async function noteVariant(
  sql: Db,
  variant: { key: string; sourceKey: string; mime: string; size: number },
): Promise<void> {
  await sql`
    insert into file_variants (storage_key, source_key, mime, size)
    values (${variant.key}, ${variant.sourceKey}, ${variant.mime}, ${variant.size})
    on conflict (storage_key) do update set mime = excluded.mime, size = excluded.size, used_at = excluded.used_at`
}

export async function takeVariantsOf(sql: Db, sourceKeys: string[]): Promise<string[]> {
  const rows = await sql<{ storage_key: string }[]>`
    delete from file_variants where source_key = any(${sourceKeys}::text[]) returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

const dropVariant = (sql: Db, key: string) => sql`delete from file_variants where storage_key = ${key}`

const sumVariants = async (sql: Db): Promise<number> =>
  (await sql<[{ bytes: number }]>`select coalesce(sum(size), 0)::bigint as bytes from file_variants`)[0].bytes

export const takeOldestVariants = (sql: Db, limit: number, bytes: number) => sql<
  { storage_key: string; size: number }[]
>`
  delete from file_variants where storage_key in (
    select storage_key from (
      select storage_key, sum(size) over (order by used_at, storage_key) - size as before from (
        select storage_key, size, used_at from file_variants
        order by used_at limit ${limit} for update skip locked
      ) oldest
    ) counted where before < ${bytes}
  ) returning storage_key, size`

export type Variant = { data: Buffer; mime: string }

type Making = { address: string; askers: (RequestScope | null)[]; variant: Promise<Variant> }

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
 * Concurrent requests for a variant share one rendering, which is cancelled when all their clients
 * disconnect. Only renderings count against the rate limit (files-14).
 */
export async function getVariant(
  ctx: Context,
  source: StoredBytes,
  rule: ImageRule,
  asker: ByteRequester,
): Promise<Variant> {
  const { recent, making } = knownOf(ctx.storage)
  const key = keyOf(source, formatRule(rule))
  const found = recent.get(key)
  if (found) return found
  // Continues only if a limit on another client made the shared rendering fail. The first waiting request then
  // renders, and the rest wait for the new result.
  for (let joined = making.get(key); joined; joined = making.get(key)) {
    joined.askers.push(asker.caller)
    try {
      return await joined.variant
    } catch (error) {
      // Retries if the shared rendering failed because of a limit on another client's requests, such as its
      // rate limit.
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
  if (state.exceeded) throw rateExceeded(state)
  const read = async () => buffer((await ctx.storage.open(source.key)).stream)
  const made = await transformImage(read, source.mime, rule, { key: address, isGone })
  await keepVariant(ctx, key, source.key, made)
  return made
}

/**
 * Also returns undefined when the stored file of the row is missing or incomplete, so that the variant is
 * rendered again.
 */
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

/** Only logs errors, because full storage must not fail the download. */
async function keepVariant(ctx: Context, key: string, sourceKey: string, { data, mime }: Variant) {
  if (ctx.config.variantBytes === 0) return
  try {
    await noteVariant(ctx.sql, { key, sourceKey, mime, size: data.length })
    await ctx.storage.put(key, data, { mime })
  } catch (error) {
    ctx.log.warn({ err: error }, 'a rendered variant could not be stored')
    await dropVariant(ctx.sql, key).catch(() => {})
  }
}

/**
 * Fraction of the storage budget that a cleanup leaves in use, so that not every scheduled cleanup has to
 * delete variants.
 */
const ROOM = 0.9

/**
 * If the variants exceed the storage budget, deletes the least recently used variants until `ROOM` of the budget
 * is in use. Skips rows that another process has locked.
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

import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Context } from '#platform/context.ts'
import { type ImageRule, transformImage } from '#platform/media/images.ts'
import { formatRule } from '#platform/media/rule.ts'
import type { Sendable } from '#platform/storage/send.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { readFault } from './errors.ts'

/** Where the bytes are and what they are. */
export type StoredBytes = { key: string; mime: string; size: number }

type Variant = { data: Buffer; mime: string }

const cacheBytes = 64 * 1024 * 1024
const caches = new WeakMap<Storage, LRUCache<string, Variant, { stored: StoredBytes; rule: ImageRule }>>()

/** Pictures already resized, so that a popular page costs its resizing once. */
function variantsOf(storage: Storage) {
  const known = caches.get(storage)
  if (known) return known
  const cache = new LRUCache<string, Variant, { stored: StoredBytes; rule: ImageRule }>({
    maxSize: cacheBytes,
    sizeCalculation: ({ data }) => data.length + 200,
    async fetchMethod(_key, _stale, { context: { stored, rule } }) {
      const { stream } = await storage.open(stored.key)
      return transformImage(await buffer(stream), stored.mime, rule)
    },
  })
  caches.set(storage, cache)
  return cache
}

/** The stored bytes as they are to be sent: as they are, or as a picture by the rule. */
export async function sendableBytes(
  ctx: Context,
  stored: StoredBytes,
  rule: ImageRule,
  cacheControl: string,
): Promise<Sendable> {
  const wanted = stored.mime.startsWith('image/') ? formatRule(rule) : ''
  const name = stored.key.split('/').at(-1) ?? 'file'
  if (wanted === '') {
    const open: Sendable['open'] = async (range) =>
      (await readingFrom(ctx, ctx.storage.open(stored.key, range))).stream
    return { name, mime: stored.mime, size: stored.size, tag: name, cacheControl, open }
  }
  const variants = variantsOf(ctx.storage)
  const made = await readingFrom(
    ctx,
    variants.forceFetch(`${stored.key}?${wanted}`, { context: { stored, rule } }),
  )
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

/** Deletes objects whose rows are gone. A store that fails keeps them, and the caller's job is tried again. */
export async function removeObjects(storage: Storage, keys: string[]): Promise<void> {
  for (const key of keys) await storage.remove(key)
}

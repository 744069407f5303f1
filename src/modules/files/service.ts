import { Readable } from 'node:stream'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import type { Asker } from '#platform/http/bytes-limit.ts'
import type { ImageRule } from '#platform/media/images.ts'
import { formatRule, roundRule } from '#platform/media/rule.ts'
import type { Sendable } from '#platform/storage/send.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { readFault } from './errors.ts'
import { takeVariantsOf } from './variants/queries.ts'
import { getVariant } from './variants/service.ts'

/** Where the bytes are and what they are. */
export type StoredBytes = {
  key: string
  mime: string
  size: number
  width: number | null
  height: number | null
}

/** The stored bytes as they are to be sent to whoever asks: as they are, or as the nearest variant of the picture. */
export async function sendableBytes(
  ctx: Context,
  asker: Asker,
  stored: StoredBytes,
  rule: ImageRule,
  cacheControl: string,
): Promise<Sendable> {
  const rounded = stored.mime.startsWith('image/') ? roundRule(rule, stored) : {}
  const wanted = formatRule(rounded)
  const name = stored.key.split('/').at(-1) ?? 'file'
  if (wanted === '') {
    const open: Sendable['open'] = async (range) =>
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

/** Deletes objects whose rows are gone. A store that fails keeps them, and the caller's job is tried again. */
async function removeObjects(storage: Storage, keys: string[]): Promise<void> {
  for (const key of keys) await storage.remove(key)
}

/** Deletes objects whose rows were deleted in this transaction, with the variants that were made of them. */
export async function removeWithVariants(ctx: Context, tx: Db, keys: string[]): Promise<void> {
  if (keys.length > 0) await removeObjects(ctx.storage, [...(await takeVariantsOf(tx, keys)), ...keys])
}

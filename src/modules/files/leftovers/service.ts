import type { Context } from '#platform/context.ts'
import { listUnnamed } from './queries.ts'

/**
 * Where bytes are left behind when a server is killed between the bytes and their row. Exports have their row first; what an
 * import did not note, its next run writes under the same name.
 */
const FOLDERS = ['files', 'variants', 'public', 'health']
const AT_ONCE = 500
const DAY_MS = 86_400_000

/** Stored bytes that no row names and that are older than a day: what is younger may still get its row. */
async function* listLeftovers({ sql, storage }: Context, batch: number): AsyncIterable<string> {
  const examine = async function* (keys: string[]) {
    for (const { key } of await listUnnamed(sql, keys)) {
      // Asked last, so that what was written anew meanwhile stays.
      const at = await storage.writtenAt(key)
      if (at && Date.now() - at.getTime() > DAY_MS) yield key
    }
  }
  let keys: string[] = []
  for (const folder of FOLDERS)
    for await (const key of storage.list(folder)) {
      keys.push(key)
      if (keys.length < batch) continue
      yield* examine(keys)
      keys = []
    }
  yield* examine(keys)
}

/** How many stored bytes no row names, for `kith doctor`. */
export async function countLeftovers(ctx: Context): Promise<number> {
  let count = 0
  for await (const _ of listLeftovers(ctx, AT_ONCE)) count += 1
  return count
}

/** Removes stored bytes that no row names; answers how many. */
export async function clearLeftovers(ctx: Context, signal?: AbortSignal, batch = AT_ONCE): Promise<number> {
  let gone = 0
  for await (const key of listLeftovers(ctx, batch)) {
    signal?.throwIfAborted()
    await ctx.storage.remove(key)
    gone += 1
  }
  return gone
}

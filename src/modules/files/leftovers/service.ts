import type { Context } from '#platform/context.ts'
import { listUnnamed } from './queries.ts'

/**
 * Where bytes are left behind when a server is killed between the bytes and their row. Exports have their row first; what an
 * import did not note, its next run writes under the same name.
 */
const FOLDERS = ['files', 'variants', 'public', 'health']
const AT_ONCE = 500
const DAY_MS = 86_400_000

/** Stored bytes that no row names and that are older than a day (what is younger may still get its row), and all. */
export type Leftovers = { left: number; stored: number }

/** Goes through the store; `take` gets the keys of what is left over, a batch at a time. */
async function goThrough(
  { sql, storage }: Context,
  { batch = AT_ONCE, take }: { batch?: number; take?: (key: string) => Promise<void> },
): Promise<Leftovers> {
  const seen = { left: 0, stored: 0 }
  const examine = async (keys: string[]) => {
    seen.stored += keys.length
    for (const { key } of await listUnnamed(sql, keys)) {
      // Asked last, so that what was written anew meanwhile stays.
      const at = await storage.writtenAt(key)
      if (!at || Date.now() - at.getTime() <= DAY_MS) continue
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

/** What is left over in the store, for `kith doctor`. */
export const countLeftovers = (ctx: Context): Promise<Leftovers> => goThrough(ctx, {})

/**
 * Removes stored bytes that no row names; answers how many. Only when somebody asks: a site that is pointed at the files of
 * another, such as a copy of it, finds no row for them and must not take them away by itself.
 */
export async function clearLeftovers(ctx: Context, batch = AT_ONCE): Promise<number> {
  return (await goThrough(ctx, { batch, take: ctx.storage.remove })).left
}

import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { type Bounds, countSurplus, deleteMarks, deleteRead, deleteSurplus, listPiles } from './queries.ts'

const PILES = 1000
/** Maximum number of notifications that one statement deletes. */
const AT_ONCE = 5000

async function readBounds(ctx: Context): Promise<Bounds> {
  const settings = await readSettings(ctx)
  return { days: settings['notifications:keep-unread-days'], most: settings['notifications:keep-most'] }
}

/** Deletes read notifications past the setting's age, and those beyond the limits, in batches. */
export async function tidyNotifications(ctx: Context, batch = AT_ONCE): Promise<void> {
  const days = (await readSettings(ctx))['notifications:keep-read-days']
  for (;;) {
    const { gone, marks } = await deleteRead(ctx.sql, days, batch)
    if (marks.length === 0) break
    // A partial batch means that nothing is left up to these marks.
    if (gone < batch) await deleteMarks(ctx.sql, marks)
  }
  await clearSurplus(ctx, batch)
}

/**
 * Deletes outdated unread notifications, and the oldest of each type beyond the maximum number. Returns the
 * number deleted.
 */
export async function clearSurplus(ctx: Context, batch = AT_ONCE): Promise<number> {
  const bounds = await readBounds(ctx)
  let gone = 0
  let last: Parameters<typeof listPiles>[1] = { user_id: 0, type: 'at' }
  for (;;) {
    const piles = await listPiles(ctx.sql, last, bounds, PILES)
    for (const pile of piles) {
      if (!pile.is_over) continue
      for (let some = batch; some >= batch; gone += some)
        some = await deleteSurplus(ctx.sql, pile, bounds, batch)
    }
    last = piles.at(-1) ?? last
    if (piles.length < PILES) return gone
  }
}

/** Counts notifications due for deletion, for `kith doctor`. */
export const countSurplusOf = async (ctx: Context, tx: Db): Promise<number> =>
  countSurplus(tx, await readBounds(ctx))

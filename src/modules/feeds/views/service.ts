import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { addMissingHots, removeOldHots } from './queries.ts'

/** Adjusts the hot list to the configured number of days. */
export async function refreshHots(ctx: Context): Promise<void> {
  const days = (await readSettings(ctx))['feed:list-hot-days']
  await addMissingHots(ctx.sql, days)
  while ((await removeOldHots(ctx.sql, days)) > 0);
}

import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { addMissingHots, removeOldHots } from './queries.ts'

/** Brings the ranking in line with the setting of how many days it covers. */
export async function refreshHots(ctx: Context): Promise<void> {
  const days = (await readSettings(ctx))['feed:list-hot-days']
  await addMissingHots(ctx.sql, days)
  while ((await removeOldHots(ctx.sql, days)) > 0);
}

import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { listSettings, saveSettings } from './queries.ts'
import { type Settings, STANDARD_SETTINGS } from './registry.ts'

const cacheOf = defineCache<Settings>('settings', { max: 1, ttlMs: 60_000 })

/** All settings in force, from memory; a change is seen on every node within a second. */
export async function readSettings(ctx: Context): Promise<Settings> {
  return cacheOf(ctx).get('all', async () => ({
    ...STANDARD_SETTINGS,
    ...(Object.fromEntries(
      (await listSettings(ctx.sql)).map(({ name, value }) => [name, value]),
    ) as Partial<Settings>),
  }))
}

/** Saves changed settings in the caller's transaction; call `forgetSettings` after its commit. */
export async function updateSettings(ctx: Context, tx: Db, changes: Partial<Settings>): Promise<void> {
  await saveSettings(tx, changes)
  cacheOf(ctx).announce(tx, 'all')
}

/** Makes this node read the settings anew at once. */
export const forgetSettings = (ctx: Context) => cacheOf(ctx).drop('all')

import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'
import { type Definitions, type Guard, type SettingsOf, standardsOf } from './definition.ts'

type Values = Record<string, unknown>

/**
 * Rejects values that a schema cannot validate, such as ids of missing rows, and changes that require an ability
 * that the actor lacks. Injected, because the checks need higher modules.
 */
export type SettingChecks<S extends object = Values> = {
  check(
    ctx: Context,
    actorId: number,
    changes: Partial<S>,
    current: S,
    guards: ReadonlySet<Guard | undefined>,
  ): Promise<void>
  errors: readonly DeclaredError[]
  /** Prepares what a change stores besides the settings. The returned function runs in the transaction of the change. */
  prepare?(
    ctx: Context,
    actorId: number,
    changes: Partial<S>,
    current: S,
  ): Promise<((tx: Db) => Promise<void>) | undefined>
}

const listSettings = (sql: Db) => sql<Row<'settings', 'name' | 'value'>[]>`select name, value from settings`

/** Stores null as a JSON null. */
async function saveSettings(sql: Db, changes: Values): Promise<void> {
  const rows = Object.entries(changes).map(([name, value]) => ({ name, value }))
  await sql`
    insert into settings (name, value)
    select name, coalesce(value, 'null') from jsonb_to_recordset(${sql.json(rows as never)}) as changes (name text, value jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`
}

type Stored = { values: Values; byModule: Map<Definitions, object> }

const cacheOf = defineCache<Stored>('settings', { max: 1, ttlMs: 60_000 })

/** Reads the cached settings, the same object until one changes. A change reaches every node within a second. */
export async function readSettings<D extends Definitions>(
  ctx: Context,
  definitions: D,
): Promise<SettingsOf<D>> {
  const { values, byModule } = await cacheOf(ctx).get('all', async () => ({
    values: Object.fromEntries((await listSettings(ctx.sql)).map(({ name, value }) => [name, value])),
    byModule: new Map(),
  }))
  let settings = byModule.get(definitions)
  if (settings === undefined) {
    const stored = Object.entries(values).filter(([name]) => name in definitions)
    settings = { ...standardsOf(definitions), ...Object.fromEntries(stored) }
    byModule.set(definitions, settings)
  }
  return settings as SettingsOf<D>
}

export const settingsReader =
  <D extends Definitions>(definitions: D) =>
  (ctx: Context): Promise<SettingsOf<D>> =>
    readSettings(ctx, definitions)

export async function updateSettings(ctx: Context, tx: Db, changes: Values): Promise<void> {
  await saveSettings(tx, changes)
  await cacheOf(ctx).announce(tx, 'all')
}

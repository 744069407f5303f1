import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { listAbilitiesOf, seedRoles } from './queries.ts'
import { ABILITIES, type Ability, ROLES } from './seeds.ts'

const cacheOf = defineCache<Set<string>>('abilities', { max: 50_000, ttlMs: 30_000 })

/** Whether a person holds an ability through any of their roles. */
export async function hasAbility(ctx: Context, userId: number, ability: Ability): Promise<boolean> {
  const held = await cacheOf(ctx).get(
    String(userId),
    async () => new Set((await listAbilitiesOf(ctx.sql, userId)).map(({ name }) => name)),
  )
  return held.has(ability)
}

/** Tells every node that a person's roles changed, or with `*` that a role did; `forgetAbilities` after the commit. */
export const announceAbilities = (ctx: Context, tx: Db, userId: number | '*') =>
  cacheOf(ctx).announce(tx, String(userId))

/** Makes this node look the abilities up anew. */
export const forgetAbilities = (ctx: Context, userId: number | '*') => cacheOf(ctx).drop(String(userId))

/** Brings the abilities and roles of this version into the database. Safe to repeat. */
export async function seedAbilities(sql: Db): Promise<void> {
  await seedRoles(
    sql,
    Object.entries(ABILITIES).map(([name, display_name]) => ({ name, display_name })),
    ROLES.map(({ name, display, fixed, abilities }) => ({
      name,
      display_name: display,
      fixed,
      abilities: [...abilities],
    })),
  )
}

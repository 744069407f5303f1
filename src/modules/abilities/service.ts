import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { apiError, invalidField } from '#platform/errors.ts'
import { Shared, Type } from '#platform/http'
import { defineCache } from '#platform/memory'
import { ABILITIES, type Ability, ROLES } from './seeds.ts'

/**
 * Prevents privilege escalation through roles or accounts with more abilities than the actor
 * (administration-5).
 */
export const beyondOwnAbilities = apiError(
  403,
  'may_do_more',
  'This involves abilities that you do not have yourself.',
  '该操作涉及你自己没有的权限。',
)

export const defaultRoleTooPowerful = (field: string) =>
  invalidField(field, {
    en: 'New users cannot receive a role with access to the administration.',
    zh: '有后台权限的角色不能设为注册默认角色。',
  })

export const noSuchRole = (field: string, role: string) =>
  invalidField(field, { en: `There is no role ${role}.`, zh: `角色 ${role} 不存在。` })

export const AbilityView = Shared('Ability', {
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
})

export const listAbilitiesOf = (sql: Db, userId: number) => sql<
  Row<'abilities', 'name' | 'display_name' | 'description'>[]
>`
  select a.name, a.display_name, a.description from abilities a
  where exists (
    select from user_roles u join role_abilities r using (role_id) where u.user_id = ${userId} and r.ability = a.name
  )
  order by a.name`

async function seedRoles(
  sql: Db,
  abilities: { name: string; display_name: string }[],
  roles: { name: string; display_name: string; fixed: boolean; abilities: string[] }[],
): Promise<void> {
  await sql`
    with added as (
      insert into abilities (name, display_name)
      select name, display_name from jsonb_to_recordset(${sql.json(abilities)}) as a (name text, display_name text)
      on conflict do nothing returning name
    ),
    given as (
      select * from jsonb_to_recordset(${sql.json(roles)})
        as r (name text, display_name text, fixed boolean, abilities jsonb)
    ),
    made as (
      insert into roles (name, display_name, fixed) select name, display_name, fixed from given
      on conflict do nothing returning id, name
    )
    insert into role_abilities (role_id, ability)
    select m.id, ability from made m join given g using (name), jsonb_array_elements_text(g.abilities) as ability
    union
    select r.id, a.name from roles r, added a where r.name = 'founder'
    on conflict do nothing`
}

export async function addRoles(sql: Db, userId: number, roles: string[]): Promise<void> {
  await sql`
    insert into user_roles (user_id, role_id) select ${userId}, id from roles where name = any(${roles})
    on conflict do nothing`
}

const cacheOf = defineCache<Set<string>>('abilities', { max: 50_000, ttlMs: 30_000 })

export async function hasAbility(ctx: Context, userId: number, ability: Ability): Promise<boolean> {
  const held = await cacheOf(ctx).get(
    String(userId),
    async () => new Set((await listAbilitiesOf(ctx.sql, userId)).map(({ name }) => name)),
  )
  return held.has(ability)
}

/** Invalidates the cached abilities of a user, or of all users with `*`, on every server node at commit. */
export const invalidateAbilities = (ctx: Context, tx: Db, userId: number | '*') =>
  cacheOf(ctx).announce(tx, String(userId))

/**
 * Adds the abilities and roles that are new in this version of Kith, and grants the new abilities to the founder role.
 * Preserves administrators' changes of roles.
 */
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

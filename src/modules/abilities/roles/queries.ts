import { escapeLike } from '#lib/text.ts'
import { type Db, type Fragment, ifGiven, listingClause, type Tables, type Tx } from '#platform/database'
import { listingQuery, OneOf, pageOf, Shared, type Static, Text, TextList, Time, Type } from '#platform/http'
import { MEMBER_ABILITIES } from '../seeds.ts'

export const RoleView = Shared('Role', {
  id: Type.Integer(),
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  fixed: Type.Boolean(),
  abilities: Type.Array(Type.String()),
  created_at: Time,
  updated_at: Time,
})

export const RoleQuery = Type.Object(listingQuery(['id', 'name']))
export type RoleQuery = Static<typeof RoleQuery>

export const RoleInput = Shared('NewRole', {
  name: Text(100),
  display_name: Type.Optional(Text(100, { 'x-empty': true })),
  description: Type.Optional(Text(500, { 'x-empty': true })),
  abilities: Type.Optional(TextList(200, 100)),
})
export type RoleInput = Static<typeof RoleInput>

export const AbilityQuery = Type.Object({
  ...listingQuery(['name']),
  after: Type.Optional(Text(100, { 'x-key': 'name' })),
  order: Type.Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
})
export type AbilityQuery = Static<typeof AbilityQuery>

export const AbilityParams = Type.Object({ ability: Text(100) })

export const AbilityChanges = Shared('AbilityChanges', {
  display_name: Type.Optional(Text(100)),
  description: Type.Optional(Text(500, { 'x-empty': true })),
})
export type AbilityChanges = Static<typeof AbilityChanges>

export type RoleRow = Tables['roles'] & { abilities: string[] }

export const includesAdministration = (abilities: string[]): boolean =>
  abilities.some((ability) => ability.startsWith('admin'))

const columns = (sql: Db) => sql`
  r.id, r.name, r.display_name, r.description, r.fixed, r.created_at, r.updated_at,
  coalesce((select array_agg(ability order by ability) from role_abilities a where a.role_id = r.id), '{}') as abilities`

export function listRoles(sql: Db, query: RoleQuery) {
  const named = ifGiven(sql, query.q, (part) => sql`and r.name ilike ${`%${escapeLike(part)}%`}`)
  const where = sql`where true ${named}`
  return pageOf<RoleRow>(
    sql,
    sql`select ${columns(sql)} from roles r ${where}
      ${listingClause(sql, query, {
        id: sql`r.id`,
        by: query.sort === 'name' ? sql`r.name` : undefined,
        from: sql`roles r`,
      })}`,
    sql`select count(*)::int as total from roles r ${where}`,
  )
}

export async function findRole(
  sql: Db,
  id: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<RoleRow | undefined> {
  // Locks the role in a separate statement, because a statement that waits for a lock reads an old snapshot.
  if (lock) await sql`select from roles where id = ${id} for update`
  const [row] = await sql<RoleRow[]>`select ${columns(sql)} from roles r where r.id = ${id}`
  return row
}

export async function findRoleNamed(sql: Db, name: string): Promise<RoleRow | undefined> {
  const [row] = await sql<RoleRow[]>`select ${columns(sql)} from roles r where r.name = ${name}`
  return row
}

export async function findUnknownAbilities(sql: Db, names: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${names}::text[]) as given (name)
    where not exists (select from abilities a where a.name = given.name)`
  return rows.map(({ name }) => name)
}

export async function holdsAll(sql: Db, userId: number, names: string[]): Promise<boolean> {
  const [row] = await sql<[{ all: boolean }]>`
    select not exists (
      select unnest(${names}::text[]) except select unnest(${[...MEMBER_ABILITIES]}::text[]) except
      select ability from user_roles join role_abilities using (role_id) where user_id = ${userId}) as all`
  return row.all
}

export async function insertRole(sql: Db, role: RoleInput): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into roles (name, display_name, description)
      values (${role.name}, ${role.display_name ?? role.name}, ${role.description ?? ''}) returning id
    ),
    given as (
      insert into role_abilities (role_id, ability)
      select id, ability from made, unnest(${role.abilities ?? []}::text[]) as ability on conflict do nothing
    )
    select id from made`
  return row.id
}

export async function updateRole(sql: Db, id: number, changes: Partial<RoleInput>): Promise<void> {
  const { name, display_name: displayName, description, abilities } = changes
  await sql`
    update roles set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}`)}
      ${ifGiven(sql, displayName, (value) => sql`, display_name = ${value}`)}
      ${ifGiven(sql, description, (value) => sql`, description = ${value}`)}
    where id = ${id}`
  if (abilities === undefined) return
  await sql`
    with gone as (delete from role_abilities where role_id = ${id} and ability <> all(${abilities}::text[]))
    insert into role_abilities (role_id, ability) select ${id}, ability from unnest(${abilities}::text[]) as ability
    on conflict do nothing`
}

export async function deleteRole(sql: Db, id: number): Promise<void> {
  await sql`delete from roles where id = ${id} and not fixed`
}

/** Returns the abilities that user `userId` has and user `beyond` lacks. Ignores the abilities of the member role. */
export async function findExcessAbilities(sql: Db, userId: number, beyond: number): Promise<string[]> {
  const rows = await sql<{ ability: string }[]>`
    select ability from user_roles join role_abilities using (role_id)
    where user_id = ${userId} and ability <> all(${[...MEMBER_ABILITIES]}::text[])
    except
    select ability from user_roles join role_abilities using (role_id) where user_id = ${beyond}`
  return rows.map(({ ability }) => ability)
}

/** Selects `user_id` of everybody with an ability beyond those of members: administrators and moderators. */
export const selectPrivileged = (sql: Db): Fragment => sql`
  select x.user_id from user_roles x join role_abilities a using (role_id)
  where a.ability <> all(${[...MEMBER_ABILITIES]}::text[])`

/**
 * `unknown`: names without a role. `beyond`: abilities of the named roles that user `actor` lacks, except the
 * abilities of the member role.
 */
export async function findRoleProblems(sql: Db, names: string[], actor: number) {
  const [row] = await sql<[{ unknown: string[]; beyond: string[] }]>`
    select
      coalesce((select array_agg(name) from unnest(${names}::text[]) as given (name)
        where not exists (select from roles r where r.name = given.name)), '{}') as unknown,
      coalesce((select array_agg(ability) from (
        select ability from roles r join role_abilities a on a.role_id = r.id
        where r.name = any(${names}) and ability <> all(${[...MEMBER_ABILITIES]}::text[])
        except
        select ability from user_roles join role_abilities using (role_id) where user_id = ${actor}) as more), '{}') as beyond`
  return row
}

export async function replaceRoles(sql: Db, userId: number, names: string[]): Promise<void> {
  await sql`
    with wanted as (select id from roles where name = any(${names})),
    gone as (delete from user_roles where user_id = ${userId} and role_id not in (select id from wanted))
    insert into user_roles (user_id, role_id) select ${userId}, id from wanted on conflict do nothing`
}

/**
 * Locks the role until the transaction ends. Otherwise two concurrent requests could remove the role from its
 * last two holders.
 */
export async function isLastHolder(tx: Tx, role: string, userId: number): Promise<boolean> {
  // Counts holders in a second statement, because a statement that waits for a lock reads an old snapshot.
  await tx`select from roles where name = ${role} for update`
  const holders = await tx<{ id: number }[]>`
    select u.id from roles r join user_roles x on x.role_id = r.id join users u on u.id = x.user_id
    where r.name = ${role} and u.deleted_at is null limit 2`
  return holders.length === 1 && holders[0]?.id === userId
}

export const selectRoleNames = (sql: Db, userId: Fragment): Fragment => sql`
  coalesce((select array_agg(r.name order by r.name) from user_roles x join roles r on r.id = x.role_id
    where x.user_id = ${userId}), '{}')`

export const holdersOf = (sql: Db, role: string): Fragment => sql`
  select x.user_id from user_roles x join roles r on r.id = x.role_id where r.name = ${role}`

export async function hasHolder(sql: Db, role: string): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (${holdersOf(sql, role)}) as found`
  return row.found
}

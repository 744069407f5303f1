import { escapeLike } from '#lib/text.ts'
import { MEMBER_ABILITIES } from '#modules/abilities/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'

export type RoleRow = {
  id: number
  name: string
  display_name: string
  description: string
  fixed: boolean
  abilities: string[]
  created_at: string
  updated_at: string
}

/** Whether one of these abilities is of the administration. */
export const opensAdministration = (abilities: string[]): boolean =>
  abilities.some((ability) => ability.startsWith('admin'))

const columns = (sql: Db) => sql`
  r.id, r.name, r.display_name, r.description, r.fixed, r.created_at, r.updated_at,
  coalesce((select array_agg(ability order by ability) from role_abilities a where a.role_id = r.id), '{}') as abilities`

export function listRoles(
  sql: Db,
  {
    page = 1,
    limit = 15,
    sort = 'id',
    order = 'desc',
    q,
  }: { page?: number; limit?: number; sort?: string; order?: string; q?: string },
) {
  const where = q === undefined ? sql`` : sql`where r.name ilike ${`%${escapeLike(q)}%`}`
  return pageOf<RoleRow>(
    sql`select ${columns(sql)} from roles r ${where}
      order by ${sort === 'name' ? sql`r.name` : sql`r.id`} ${order === 'asc' ? sql`asc` : sql`desc`}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from roles r ${where}`,
  )
}

export async function findRole(sql: Db, id: number): Promise<RoleRow | undefined> {
  const [row] = await sql<RoleRow[]>`select ${columns(sql)} from roles r where r.id = ${id}`
  return row
}

export async function findRoleNamed(sql: Db, name: string): Promise<RoleRow | undefined> {
  const [row] = await sql<RoleRow[]>`select ${columns(sql)} from roles r where r.name = ${name}`
  return row
}

/** The names among these that are no ability. */
export async function findUnknownAbilities(sql: Db, names: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${names}::text[]) as given (name)
    where not exists (select from abilities a where a.name = given.name)`
  return rows.map(({ name }) => name)
}

/** Whether all of these are abilities that a person holds. */
export async function holdsAll(sql: Db, userId: number, names: string[]): Promise<boolean> {
  const [row] = await sql<[{ all: boolean }]>`
    select not exists (
      select unnest(${names}::text[]) except select unnest(${[...MEMBER_ABILITIES]}::text[]) except
      select ability from user_roles join role_abilities using (role_id) where user_id = ${userId}) as all`
  return row.all
}

export async function insertRole(
  sql: Db,
  role: { name: string; display_name?: string; description?: string; abilities?: string[] },
): Promise<number> {
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

export async function updateRole(
  sql: Db,
  id: number,
  changes: { name?: string; display_name?: string; description?: string; abilities?: string[] },
): Promise<void> {
  const { name, display_name: displayName, description, abilities } = changes
  await sql`
    update roles set updated_at = now()
      ${name === undefined ? sql`` : sql`, name = ${name}`}
      ${displayName === undefined ? sql`` : sql`, display_name = ${displayName}`}
      ${description === undefined ? sql`` : sql`, description = ${description}`}
    where id = ${id}`
  if (abilities === undefined) return
  await sql`
    with gone as (delete from role_abilities where role_id = ${id} and ability <> all(${abilities}::text[]))
    insert into role_abilities (role_id, ability) select ${id}, ability from unnest(${abilities}::text[]) as ability
    on conflict do nothing`
}

/** Deletes a role that is not fixed; false when there is none. */
export async function deleteRole(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`delete from roles where id = ${id} and not fixed returning id`
  return rows.length > 0
}

type AbilityRow = { name: string; display_name: string; description: string }

export function listAbilities(
  sql: Db,
  { page = 1, limit = 15, order = 'asc', q }: { page?: number; limit?: number; order?: string; q?: string },
) {
  const where = q === undefined ? sql`` : sql`where name ilike ${`%${escapeLike(q)}%`}`
  return pageOf<AbilityRow>(
    sql`select name, display_name, description from abilities ${where}
      order by name ${order === 'asc' ? sql`asc` : sql`desc`} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from abilities ${where}`,
  )
}

/** Changes how an ability is called; its name is what routes check, so that stays. Answers the former row. */
export async function updateAbility(
  sql: Db,
  name: string,
  changes: { display_name?: string; description?: string },
): Promise<{ display_name: string; description: string } | undefined> {
  const [row] = await sql<{ display_name: string; description: string }[]>`
    update abilities a set display_name = ${changes.display_name ?? sql`a.display_name`},
      description = ${changes.description ?? sql`a.description`}
    from (select * from abilities where name = ${name} for update) as former
    where a.name = former.name returning former.display_name, former.description`
  return row
}

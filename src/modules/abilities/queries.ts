import type { Db } from '#platform/database.ts'
import type { Row } from '#platform/tables.ts'

/** What a person may do: the union of all their roles (sign-in-19). */
export const listAbilitiesOf = (sql: Db, userId: number) => sql<
  Row<'abilities', 'name' | 'display_name' | 'description'>[]
>`
  select a.name, a.display_name, a.description from abilities a
  where exists (
    select from user_roles u join role_abilities r using (role_id) where u.user_id = ${userId} and r.ability = a.name
  )
  order by a.name`

/** Adds abilities and roles that this version knows and the database does not; nothing an operator changed is touched. */
export async function seedRoles(
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
    -- The founder gets what a new version adds.
    union
    select r.id, a.name from roles r, added a where r.name = 'founder'
    on conflict do nothing`
}

/** Gives people roles by name; unknown names are left out. */
export async function addRoles(sql: Db, userId: number, roles: string[]): Promise<void> {
  await sql`
    insert into user_roles (user_id, role_id) select ${userId}, id from roles where name = any(${roles})
    on conflict do nothing`
}

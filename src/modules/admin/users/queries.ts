import { normalizeEmail } from '#lib/identifiers.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import { MEMBER_ABILITIES } from '#modules/abilities/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { ManagedUser, ManagedUserQuery } from './schema.ts'

const columns = (sql: Db) => sql`
  u.id, u.name, u.email, u.phone, u.bio, u.sex, u.location, u.verified, u.password is not null as has_password,
  u.deleted_at is not null as disabled, u.created_at, u.updated_at,
  coalesce((select array_agg(r.name order by r.name) from user_roles x join roles r on r.id = x.role_id
    where x.user_id = u.id), '{}') as roles`

/** A page of accounts, disabled ones included. */
export function listUsers(sql: Db, query: ManagedUserQuery) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, id, email, phone, role, disabled } = query
  const key = q === undefined ? '' : nameKey(q)
  const where = sql`
    where true
      ${key === '' ? sql`` : sql`and u.name_grams @> ${gramsOfQuery(key)} and u.name_key like ${`%${escapeLike(key)}%`}`}
      ${id === undefined ? sql`` : sql`and u.id = ${id}`}
      ${email === undefined ? sql`` : sql`and u.email_key = ${normalizeEmail(email)}`}
      ${phone === undefined ? sql`` : sql`and u.phone = ${phone}`}
      ${role === undefined ? sql`` : sql`and u.id in (select user_id from user_roles x join roles r on r.id = x.role_id where r.name = ${role})`}
      ${disabled === undefined ? sql`` : disabled ? sql`and u.deleted_at is not null` : sql`and u.deleted_at is null`}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = { id: sql`u.id`, name: sql`u.name_key`, created_at: sql`u.created_at` }[sort]
  return pageOf<ManagedUser>(
    sql`select ${columns(sql)} from users u ${where} order by ${by} ${direction}, u.id ${direction}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from users u ${where}`,
  )
}

export async function findUser(sql: Db, id: number): Promise<ManagedUser | undefined> {
  const [row] = await sql<ManagedUser[]>`select ${columns(sql)} from users u where u.id = ${id}`
  return row
}

/** What somebody holds that somebody else does not: nobody manages an account that may do more than they may. */
export async function findAbilitiesBeyond(sql: Db, userId: number, beyond: number): Promise<string[]> {
  const rows = await sql<{ ability: string }[]>`
    select ability from user_roles join role_abilities using (role_id)
    where user_id = ${userId} and ability <> all(${[...MEMBER_ABILITIES]}::text[])
    except
    select ability from user_roles join role_abilities using (role_id) where user_id = ${beyond}`
  return rows.map(({ ability }) => ability)
}

/** Which of these roles do not exist, and whether the others hold an ability that `actor` does not. */
export async function judgeRoles(sql: Db, names: string[], actor: number) {
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

/** Replaces a person's roles. */
export async function replaceRoles(sql: Db, userId: number, names: string[]): Promise<void> {
  await sql`
    with wanted as (select id from roles where name = any(${names})),
    gone as (delete from user_roles where user_id = ${userId} and role_id not in (select id from wanted))
    insert into user_roles (user_id, role_id) select ${userId}, id from wanted on conflict do nothing`
}

/** Whether an account is the only enabled one that holds a role; the role is locked, so that this stays true. */
export async function isLastHolder(tx: Tx, role: string, userId: number): Promise<boolean> {
  // A statement of its own: what waits for the lock must not count the holders of before.
  await tx`select from roles where name = ${role} for update`
  const holders = await tx<{ id: number }[]>`
    select u.id from roles r join user_roles x on x.role_id = r.id join users u on u.id = x.user_id
    where r.name = ${role} and u.deleted_at is null limit 2`
  return holders.length === 1 && holders[0]?.id === userId
}

type Columns = {
  name?: string | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
  verified?: object | null | undefined
}

export async function updateUser(
  sql: Db,
  id: number,
  { name, email, phone, verified }: Columns,
): Promise<void> {
  await sql`
    update users set updated_at = now()
      ${name === undefined ? sql`` : sql`, name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}`}
      ${email === undefined ? sql`` : sql`, email = ${email}, email_key = ${email === null ? null : normalizeEmail(email)}, email_verified_at = null`}
      ${phone === undefined ? sql`` : sql`, phone = ${phone}, phone_verified_at = null`}
      ${verified === undefined ? sql`` : sql`, verified = ${verified === null ? null : sql.json(verified as never)}`}
    where id = ${id}`
}

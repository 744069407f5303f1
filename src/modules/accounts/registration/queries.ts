import { normalizeEmail } from '#lib/identifiers.ts'
import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import type { NewUser } from './schema.ts'

/** Writes a person with their counts; answers the id. */
export async function insertUser(sql: Db, user: NewUser): Promise<number> {
  const { name, password, email = null, phone = null, verified = false, waiting } = user
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into users (name, name_key, name_grams, password, email, email_key, phone,
        email_verified_at, phone_verified_at, deleted_at)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${password}, ${email},
        ${email === null ? null : normalizeEmail(email)}, ${phone},
        ${verified && email !== null ? sql`now()` : null}, ${verified && phone !== null ? sql`now()` : null},
        ${waiting ? sql`now()` : null})
      returning id
    ),
    counted as (insert into user_counts (user_id) select id from made)
    select id from made`
  return row.id
}

/** Whether another person has this name, in whatever case and width. */
export async function isNameTaken(sql: Db, name: string, exceptId = 0): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select exists (select from users where name_key = ${nameKey(name)} and id <> ${exceptId}) as taken`
  return row.taken
}

/** Whether this is the person's name now, letter by letter. */
export async function isNameOf(sql: Db, id: number, name: string): Promise<boolean> {
  const [row] = await sql<[{ same: boolean }]>`
    select exists (select from users where id = ${id} and name = ${name}) as same`
  return row.same
}

/** Lets one node at a time look for a founder until the transaction ends; asked once at a start. */
export async function lockFounding(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(4127003)`
}

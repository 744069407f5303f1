import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'
import type { Row, Tables } from '#platform/tables.ts'

export type RequestState = 'waiting' | 'accepted' | 'rejected'
export type RequestRow = Tables['registration_requests'] & { state: RequestState }

/** Notes that a new account waits for a decision. */
export const insertRequest = (sql: Db, userId: number, name: string, introduction: string | null) => sql`
  insert into registration_requests (user_id, name, introduction) values (${userId}, ${name}, ${introduction})`

/** Whether an account is disabled because it waits for a decision. */
export async function isWaiting(sql: Db, userId: number): Promise<boolean> {
  const [row] = await sql<[{ waiting: boolean }]>`
    select exists (
      select from registration_requests where user_id = ${userId} and state = 'waiting'
    ) as waiting`
  return row.waiting
}

/** Decides on what waits, by the request or by the account; undefined where nothing does. */
export async function decideRequest(
  sql: Db,
  of: { id?: number; userId?: number },
  { state, remark, decidedBy }: { state: RequestState; remark: string | null; decidedBy: number },
): Promise<{ user_id: number; name: string } | undefined> {
  const [row] = await sql<{ user_id: number; name: string }[]>`
    update registration_requests set state = ${state}, remark = ${remark}, decided_by = ${decidedBy}, decided_at = now()
    where state = 'waiting' and user_id is not null
      ${ifGiven(sql, of.id, (id) => sql`and id = ${id}`)} ${ifGiven(sql, of.userId, (id) => sql`and user_id = ${id}`)}
    returning user_id, name`
  return row
}

/** Deletes an account that never took part in anything. Answers where its person can be reached. */
export async function deleteNewcomer(
  sql: Db,
  userId: number,
): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<Row<'users', 'email' | 'phone'>[]>`
    delete from users where id = ${userId} returning email, phone`
  return row
}

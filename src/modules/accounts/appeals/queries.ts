import { escapeLike } from '#lib/text.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  type Row,
  type Tables,
} from '#platform/database'
import { pageOf } from '#platform/http'
import type { SanctionKind } from '../sanctions/schema.ts'
import type { Appeal, AppealQuery } from './schema.ts'

/** Finds an appealable sanction of a user: the given or the latest one, if it is in force or a warning. */
export async function findAppealable(
  sql: Db,
  userId: number,
  sanction: number | undefined,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from sanctions
    where user_id = ${userId} and lifted_at is null and (ends_at is null or ends_at > now())
      ${ifGiven(sql, sanction, (id) => sql`and id = ${id}`)}
    order by kind = 'warning', id desc limit 1`
  return row?.id
}

/** Inserts an appeal. Violates `appeals_open` while the user has an open one. */
export async function insertAppeal(
  sql: Db,
  appeal: { sanctionId: number; userId: number; contents: string },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into appeals (sanction_id, user_id, contents)
    values (${appeal.sanctionId}, ${appeal.userId}, ${appeal.contents}) returning id`
  return row.id
}

/** Decides an open appeal once. Undefined if it is decided already. */
export async function settleAppeal(
  sql: Db,
  id: number,
  decision: { state: 'accepted' | 'rejected'; answer: string | null; by: number },
): Promise<Tables['appeals'] | undefined> {
  const [row] = await sql<Tables['appeals'][]>`
    update appeals set state = ${decision.state}, answer = ${decision.answer}, decided_by = ${decision.by},
      decided_at = now()
    where id = ${id} and state = 'pending' returning *`
  return row
}

export type AppealRow = Tables['appeals'] &
  Row<'users', 'name'> &
  Row<'sanctions', 'reason' | 'imposed_by' | 'ends_at'> & {
    state: Appeal['state']
    kind: SanctionKind
    imposed_at: Tables['sanctions']['created_at']
  }

const columns = (sql: Db) =>
  sql`a.*, u.name, s.kind, s.reason, s.imposed_by, s.ends_at, s.created_at as imposed_at`
const from = (sql: Db) =>
  sql`from appeals a join sanctions s on s.id = a.sanction_id join users u on u.id = a.user_id`

export function listAppeals(sql: Db, query: AppealQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.state, (state) => sql`and a.state = ${state}`)}
      ${ifGiven(sql, query.user, (id) => sql`and a.user_id = ${id}`)}
      ${ifGiven(sql, query.q, (part) => sql`and a.contents ilike ${`%${escapeLike(part)}%`}`)}`
  const list = { id: sql`a.id` }
  return pageOf<AppealRow>(
    sql,
    // Joins sanctions and users for the rows of the page only.
    sql`select ${columns(sql)} ${from(sql)}
      where a.id = any(array(select a.id from appeals a ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from appeals a ${where}`,
  )
}

export async function findAppeal(sql: Db, id: number): Promise<AppealRow | undefined> {
  const [row] = await sql<AppealRow[]>`select ${columns(sql)} ${from(sql)} where a.id = ${id}`
  return row
}

/** Appeals of a user, as part of their history. */
export const appealsOf = (sql: Db, userId: number): Fragment => sql`
  select created_at as at, 'appeal-' || id as id, 'appeal' as event, user_id as by, 'appeals/' || id as subject,
    jsonb_build_object('sanction', sanction_id, 'contents', contents) as details
  from appeals where user_id = ${userId}`

import { escapeLike } from '#lib/text.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  listingOrder,
  type Row,
  type Tx,
} from '#platform/database'
import { pageOf } from '#platform/http'
import type { OwnSanctionQuery, SanctionKind, SanctionQuery, Told } from './schema.ts'

const inForce = (sql: Db): Fragment =>
  sql`(s.lifted_at is null and s.kind <> 'warning' and (s.ends_at is null or s.ends_at > now()))`

export const isUnder = (sql: Db, kind: SanctionKind, userId: Fragment): Fragment => sql`
  exists (select from sanctions s where s.user_id = ${userId} and s.kind = ${kind} and ${inForce(sql)})`

export const isSuspended = (sql: Db, userId: Fragment): Fragment => isUnder(sql, 'suspension', userId)

/** Suspended or silenced. */
export const isSanctioned = (sql: Db, userId: Fragment): Fragment => sql`
  exists (select from sanctions s where s.user_id = ${userId} and ${inForce(sql)})`

export async function findSuspension(sql: Db, userId: number): Promise<Told | undefined> {
  const [row] = await sql<Told[]>`
    select s.reason, s.ends_at from sanctions s
    where s.user_id = ${userId} and s.kind = 'suspension' and ${inForce(sql)} order by s.id desc limit 1`
  return row
}

export type SilenceRow = Row<'sanctions', 'user_id' | 'reason' | 'ends_at'> & { left_ms: number | null }

export const listSilences = (sql: Db) => sql<SilenceRow[]>`
  select s.user_id, s.reason, s.ends_at, (extract(epoch from s.ends_at - now()) * 1000)::bigint as left_ms
  from sanctions s where s.kind = 'silence' and ${inForce(sql)}`

/** Locks accounts in the order of ids, to avoid deadlocks. Returns the accounts that are not suspended. */
export async function lockUsers(tx: Tx, ids: number[]): Promise<Set<number>> {
  const held = await tx<{ id: number }[]>`
    select id from users where id = any(${ids}) order by id for no key update`
  const rows = await tx<{ id: number }[]>`
    select u.id from users u where u.id = any(${held.map(({ id }) => id)}) and not ${isSuspended(tx, tx`u.id`)}`
  return new Set(rows.map(({ id }) => id))
}

export async function isInForce(sql: Db, userId: number, kind: SanctionKind): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    select exists (
      select from sanctions s where s.user_id = ${userId} and s.kind = ${kind} and ${inForce(sql)}) as found`
  return row.found
}

export type NewSanction = {
  userId: number
  kind: SanctionKind
  reason: string
  hours: number | null
  imposedBy: number
  reportId: number | null
}

export async function insertSanction(
  sql: Db,
  sanction: NewSanction,
): Promise<Row<'sanctions', 'id' | 'ends_at'>> {
  const [row] = await sql<[Row<'sanctions', 'id' | 'ends_at'>]>`
    insert into sanctions (user_id, kind, reason, imposed_by, report_id, ends_at)
    values (${sanction.userId}, ${sanction.kind}, ${sanction.reason}, ${sanction.imposedBy}, ${sanction.reportId},
      now() + make_interval(hours => ${sanction.hours}::int))
    returning id, ends_at`
  return row
}

export async function liftSanction(
  sql: Db,
  id: number,
  by: number,
): Promise<Row<'sanctions', 'user_id' | 'kind' | 'reason'> | undefined> {
  const [row] = await sql<Row<'sanctions', 'user_id' | 'kind' | 'reason'>[]>`
    update sanctions s set lifted_at = now(), lifted_by = ${by}
    where id = ${id} and (${inForce(sql)} or (s.kind = 'warning' and s.lifted_at is null))
    returning user_id, kind, reason`
  return row
}

const columns = (sql: Db) => sql`
  s.id, s.kind, s.reason, ${inForce(sql)} as in_force, s.ends_at, s.lifted_at, s.created_at`

export type OwnSanctionRow = Row<
  'sanctions',
  'id' | 'kind' | 'reason' | 'ends_at' | 'lifted_at' | 'created_at'
> & {
  kind: SanctionKind
  in_force: boolean
  appeal_id: number | null
  appeal_state: string | null
  appeal_answer: string | null
  appeal_created_at: string | null
}

export const listSanctionsOf = (sql: Db, userId: number, { after = 0, limit = 15 }: OwnSanctionQuery) => sql<
  OwnSanctionRow[]
>`
  select ${columns(sql)}, a.id as appeal_id, a.state as appeal_state, a.answer as appeal_answer,
    a.created_at as appeal_created_at
  from sanctions s left join lateral (
    select id, state, answer, created_at from appeals where sanction_id = s.id order by id desc limit 1
  ) a on true
  where s.user_id = ${userId} ${ifGiven(sql, after === 0 ? undefined : after, (id) => sql`and s.id < ${id}`)}
  order by s.id desc limit ${limit}`

export type SanctionRow = Row<
  'sanctions',
  | ('id' | 'user_id' | 'kind' | 'reason' | 'imposed_by' | 'report_id' | 'ends_at')
  | ('lifted_at' | 'lifted_by' | 'created_at')
> &
  Row<'users', 'name'> & { kind: SanctionKind; in_force: boolean }

const managed = (sql: Db) => sql`${columns(sql)}, s.user_id, u.name, s.imposed_by, s.report_id, s.lifted_by`

export function listSanctions(sql: Db, query: SanctionQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.user, (id) => sql`and s.user_id = ${id}`)}
      ${ifGiven(sql, query.kind, (kind) => sql`and s.kind = ${kind}`)}
      ${ifGiven(sql, query.in_force, (value) => (value ? sql`and ${inForce(sql)}` : sql`and not ${inForce(sql)}`))}
      ${ifGiven(sql, query.q, (part) => sql`and s.reason ilike ${`%${escapeLike(part)}%`}`)}`
  const list = { id: sql`s.id` }
  return pageOf<SanctionRow>(
    sql,
    sql`select ${managed(sql)} from sanctions s join users u on u.id = s.user_id
      where s.id = any(array(select s.id from sanctions s ${where} ${listingClause(sql, query, list)})) ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from sanctions s ${where}`,
  )
}

export async function findSanction(sql: Db, id: number): Promise<SanctionRow | undefined> {
  const [row] = await sql<SanctionRow[]>`
    select ${managed(sql)} from sanctions s join users u on u.id = s.user_id where s.id = ${id}`
  return row
}

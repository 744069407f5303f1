import { nameContains } from '#modules/accounts/index.ts'
import type { Currency } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database.ts'
import { type MemberRow, managedGroups, memberColumns } from '../queries.ts'
import type { Role } from '../schema.ts'
import type { MembersQuery, RequestsQuery } from './schema.ts'

/** A page of the people in a circle, the last who came first. */
export function listMembers(sql: Db, groupId: number, query: MembersQuery) {
  const { type = 'all', name, after = 0, limit = 15 } = query
  const which = {
    all: sql`and m.audit = 1 and not m.disabled`,
    manager: sql`and m.role <> 'member'`,
    member: sql`and m.audit = 1 and m.role = 'member' and not m.disabled`,
    blacklist: sql`and m.disabled`,
    audit: sql`and m.audit = 0`,
    audit_user: sql`and m.audit = 0`,
  }[type]
  return sql<MemberRow[]>`
    select ${memberColumns(sql)} from group_members m ${name === undefined ? sql`` : sql`join users u on u.id = m.user_id`}
    where m.group_id = ${groupId} ${which} ${name === undefined ? sql`` : nameContains(sql, name)}
      ${after > 0 ? sql`and m.id < ${after}` : sql``}
    order by m.id desc limit ${limit}`
}

/** How many plain members and how many managers a circle has. */
export async function countRoles(sql: Db, groupId: number) {
  const [row] = await sql<[{ member_count: number; admin_count: number }]>`
    select n.users_count - a.n as member_count, a.n as admin_count
    from group_counts n cross join (
      select count(*)::int as n from group_members where group_id = ${groupId} and role <> 'member'
    ) a
    where n.group_id = ${groupId}`
  return row
}

export const findMember = async (sql: Db, groupId: number, id: number) =>
  (
    await sql<MemberRow[]>`
      select ${memberColumns(sql)} from group_members m where m.group_id = ${groupId} and m.id = ${id}`
  )[0]

export const findMemberOfUser = async (sql: Db, groupId: number, userId: number) =>
  (
    await sql<MemberRow[]>`
      select ${memberColumns(sql)} from group_members m where m.group_id = ${groupId} and m.user_id = ${userId}`
  )[0]

export type Joined = {
  /** The new member; null for who is in the circle or has asked already. */
  member_id: number | null
  /** The request, where somebody has to accept it. */
  log_id: number | null
  fee: number
}

/** Lets a person into a passed circle, or notes the request, once. Undefined when there is no such circle. */
export async function insertMember(
  sql: Db,
  groupId: number,
  userId: number,
  currency: Currency,
): Promise<Joined | undefined> {
  const [row] = await sql<Joined[]>`
    with circle as (
      select id, mode, case mode when 'paid' then money else 0 end as fee from groups
      -- So that it is not deleted before the request is there, which would keep the fee.
      where id = ${groupId} and audit = 1 and deleted_at is null for share
    ),
    made as (
      insert into group_members (group_id, user_id, audit)
      select id, ${userId}::bigint, case mode when 'public' then 1 else 0 end from circle
      on conflict do nothing
      returning group_id, id, audit
    ),
    counted as (
      update group_counts set users_count = users_count + 1
      where group_id in (select group_id from made where audit = 1)
    ),
    logged as (
      insert into group_member_logs (group_id, user_id, member_id, fee, currency)
      select m.group_id, ${userId}::bigint, m.id, c.fee, case when c.fee > 0 then ${currency}::text end
      from made m cross join circle c where m.audit = 0
      returning id
    )
    select c.fee, (select id from made) as member_id, (select id from logged) as log_id from circle c`
  return row
}

export type Ended = { audit: number; log_id: number | null; fee: number; currency: Currency | null }

/** Takes a member or a request of one's own back. Undefined for who is not in it, founds it or is on the blacklist. */
export async function deleteOwnMember(sql: Db, groupId: number, userId: number): Promise<Ended | undefined> {
  const [row] = await sql<Ended[]>`
    with gone as (
      delete from group_members
      where group_id = ${groupId} and user_id = ${userId} and role <> 'founder' and not disabled
      returning group_id, id, audit
    ),
    counted as (
      update group_counts set users_count = users_count - 1
      where group_id in (select group_id from gone where audit = 1)
    ),
    closed as (
      update group_member_logs l set status = 3, audit_at = now() from gone g
      where l.group_id = g.group_id and l.member_id = g.id and l.status = 0
      returning l.id, l.fee, l.currency
    )
    select g.audit, c.id as log_id, coalesce(c.fee, 0) as fee, c.currency from gone g left join closed c on true`
  return row
}

export type Decided = { user_id: number; log_id: number; fee: number; currency: Currency | null }

/** Accepts or rejects a request, once; what was paid for it becomes income, or is to be given back. */
export async function decideRequest(
  sql: Db,
  options: { groupId: number; memberId: number; accept: boolean; by: number },
): Promise<Decided | undefined> {
  const { groupId, memberId, accept, by } = options
  const [row] = await sql<Decided[]>`
    with decided as (
      ${accept ? sql`update group_members set audit = 1, updated_at = now()` : sql`delete from group_members`}
      where group_id = ${groupId} and id = ${memberId} and audit = 0
      returning group_id, id, user_id
    ),
    closed as (
      update group_member_logs l set status = ${accept ? 1 : 2}, auditer = ${by}, audit_at = now() from decided d
      where l.group_id = d.group_id and l.member_id = d.id and l.status = 0
      returning l.group_id, l.id, l.user_id, l.fee, l.currency
    ),
    earned as (
      insert into group_incomes (group_id, subject, type, amount, currency, user_id)
      select c.group_id, u.name, 1, c.fee, c.currency, c.user_id from closed c join users u on u.id = c.user_id
      where c.fee > 0 and ${accept}
      returning group_id, amount
    ),
    counted as (
      update group_counts n set users_count = n.users_count + 1,
        join_income_count = n.join_income_count + coalesce((select amount from earned), 0)
      from decided d where n.group_id = d.group_id and ${accept}
    )
    select user_id, id as log_id, fee, currency from closed`
  return row
}

/** Removes a member, out of the count too. */
export async function deleteMember(sql: Db, groupId: number, id: number): Promise<void> {
  await sql`
    with gone as (
      delete from group_members where group_id = ${groupId} and id = ${id} and audit = 1 returning group_id
    )
    update group_counts set users_count = users_count - 1 where group_id in (select group_id from gone)`
}

/** Gives an accepted member another role, or puts them on the blacklist or takes them off. */
export async function updateMember(
  sql: Db,
  groupId: number,
  id: number,
  { role, disabled }: { role?: Role; disabled?: boolean },
): Promise<void> {
  await sql`
    update group_members set updated_at = now() ${role === undefined ? sql`` : sql`, role = ${role}`}
      ${disabled === undefined ? sql`` : sql`, disabled = ${disabled}`}
    where group_id = ${groupId} and id = ${id} and audit = 1`
}

export async function countAdministrators(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from group_members where group_id = ${groupId} and role = 'administrator'`
  return row.n
}

/** Whether somebody waits to be let in. */
export async function hasPending(sql: Db, groupId: number): Promise<boolean> {
  const rows = await sql`select from group_members where group_id = ${groupId} and audit = 0 limit 1`
  return rows.length > 0
}

export type RequestRow = {
  id: number
  group_id: number
  user_id: number
  member_id: number
  status: number
  auditer: number | null
  audit_at: string | null
  created_at: string
}

/** Requests to join the circles that a person manages, newest first. */
export const listRequests = (
  sql: Db,
  userId: number,
  { group_ids, after = 0, limit = 15 }: RequestsQuery,
) => sql<RequestRow[]>`
  select l.* from (${managedGroups(sql, userId, group_ids)}) mine cross join lateral (
    select l.id, l.group_id, l.user_id, l.member_id, l.status, l.auditer, l.audit_at, l.created_at
    from group_member_logs l
    where l.group_id = mine.id ${after > 0 ? sql`and l.id < ${after}` : sql``}
    order by l.id desc limit ${limit}
  ) l
  order by l.id desc limit ${limit}`

export const findMembersById = (sql: Db, ids: number[]) => sql<MemberRow[]>`
  select ${memberColumns(sql)} from group_members m where m.id = any(${ids})`

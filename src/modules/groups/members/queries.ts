import type { Currency } from '#modules/ledger/index.ts'
import { nameContains, noBlockBetween } from '#modules/users/index.ts'
import { type Db, type Fragment, ifGiven, type Tables, when } from '#platform/database'
import { type MemberRow, managedGroups, memberColumns } from '../access/queries.ts'
import type { Role } from '../schema.ts'
import type { MembersQuery, RequestsQuery } from './schema.ts'

/** `hideFrom`: the viewer, or 0 for a manager, who sees every member. */
export function listMembers(sql: Db, groupId: number, query: MembersQuery, hideFrom: number) {
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
    select ${memberColumns(sql)} from group_members m
      ${when(sql, name !== undefined, () => sql`join users u on u.id = m.user_id`)}
    where m.group_id = ${groupId} ${which} ${ifGiven(sql, name, (part) => nameContains(sql, part))}
      ${when(sql, after > 0, () => sql`and m.id < ${after}`)} ${noBlockBetween(sql, hideFrom, sql`m.user_id`)}
    order by m.id desc limit ${limit}`
}

export async function countRoles(sql: Db, groupId: number) {
  const [row] = await sql<[{ member_count: number; admin_count: number }]>`
    select n.users_count - a.n as member_count, a.n as admin_count
    from group_counts n cross join (
      select count(*)::int as n from group_members where group_id = ${groupId} and role <> 'member'
    ) a
    where n.group_id = ${groupId}`
  return row
}

async function findOne(sql: Db, groupId: number, which: Fragment): Promise<MemberRow | undefined> {
  const [row] = await sql<MemberRow[]>`
    select ${memberColumns(sql)} from group_members m where m.group_id = ${groupId} and ${which}`
  return row
}

export const findMember = (sql: Db, groupId: number, id: number) => findOne(sql, groupId, sql`m.id = ${id}`)

export const findMemberOfUser = (sql: Db, groupId: number, userId: number) =>
  findOne(sql, groupId, sql`m.user_id = ${userId}`)

export type Joined = {
  /** Id of the new member. Null when the user is already a member or has a pending request. */
  member_id: number | null
  log_id: number | null
  fee: number
}

/** Returns undefined for an unknown, unapproved or deleted group. */
export async function insertMember(
  sql: Db,
  groupId: number,
  userId: number,
  currency: Currency,
): Promise<Joined | undefined> {
  const [row] = await sql<Joined[]>`
    with wanted as (
      select id, mode, case mode when 'paid' then money else 0 end as fee from groups
      -- Locks the group against deletion. Otherwise the fee of a request to a deleted group would stay in
      -- escrow.
      where id = ${groupId} and audit = 1 and deleted_at is null for share
    ),
    made as (
      insert into group_members (group_id, user_id, audit)
      select id, ${userId}::bigint, case mode when 'public' then 1 else 0 end from wanted
      on conflict do nothing
      returning group_id, id, audit
    ),
    counted as (
      update group_counts set users_count = users_count + 1
      where group_id in (select group_id from made where audit = 1)
    ),
    logged as (
      insert into group_member_logs (group_id, user_id, member_id, fee, currency)
      select m.group_id, ${userId}::bigint, m.id, w.fee, case when w.fee > 0 then ${currency}::text end
      from made m cross join wanted w where m.audit = 0
      returning id
    )
    select w.fee, (select id from made) as member_id, (select id from logged) as log_id from wanted w`
  return row
}

export type Ended = { audit: number; log_id: number | null; fee: number; currency: Currency | null }

/** Returns undefined for non-members, founders and blacklisted users. */
export async function deleteOwnMember(sql: Db, groupId: number, userId: number): Promise<Ended | undefined> {
  const [row] = await sql<Ended[]>`
    with gone as (
      delete from group_members
      where group_id = ${groupId} and user_id = ${userId} and role <> 'founder' and not disabled
      returning group_id, id, audit
    ),
    counted as (
      update group_counts set users_count = greatest(users_count - 1, 0)
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

export async function deleteMember(sql: Db, groupId: number, id: number): Promise<void> {
  await sql`
    with gone as (
      delete from group_members where group_id = ${groupId} and id = ${id} and audit = 1 returning group_id
    )
    update group_counts set users_count = greatest(users_count - 1, 0) where group_id in (select group_id from gone)`
}

export async function updateMember(
  sql: Db,
  groupId: number,
  id: number,
  { role, disabled }: { role?: Role; disabled?: boolean },
): Promise<void> {
  await sql`
    update group_members set updated_at = now() ${ifGiven(sql, role, (value) => sql`, role = ${value}`)}
      ${ifGiven(sql, disabled, (value) => sql`, disabled = ${value}`)}
    where group_id = ${groupId} and id = ${id} and audit = 1`
}

export async function countAdministrators(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from group_members where group_id = ${groupId} and role = 'administrator'`
  return row.n
}

export async function hasPending(sql: Db, groupId: number): Promise<boolean> {
  const rows = await sql`select from group_members where group_id = ${groupId} and audit = 0 limit 1`
  return rows.length > 0
}

export type RequestRow = Omit<Tables['group_member_logs'], 'fee' | 'currency'>

export const listRequests = (
  sql: Db,
  userId: number,
  { group_ids, after = 0, limit = 15 }: RequestsQuery,
) => sql<RequestRow[]>`
  select l.* from (${managedGroups(sql, userId, group_ids)}) mine cross join lateral (
    select l.id, l.group_id, l.user_id, l.member_id, l.status, l.auditer, l.audit_at, l.created_at
    from group_member_logs l
    where l.group_id = mine.id ${when(sql, after > 0, () => sql`and l.id < ${after}`)}
    order by l.id desc limit ${limit}
  ) l
  order by l.id desc limit ${limit}`

export async function countRequests(sql: Db, userId: number, since: string | null) {
  const [row] = await sql<[{ count: number; time: string | null }]>`
    select coalesce(sum(l.count), 0)::int as count, max(l.time) as time
    from (${managedGroups(sql, userId, undefined)}) mine cross join lateral (
      select count(*) as count, max(created_at) as time from group_member_logs
      where group_id = mine.id and status = 0 ${ifGiven(sql, since ?? undefined, (time) => sql`and created_at > ${time}`)}
    ) l`
  return row
}

export const findMembersById = (sql: Db, ids: number[]) => sql<MemberRow[]>`
  select ${memberColumns(sql)} from group_members m where m.id = any(${ids})`

export const closeRequests = (sql: Db, groupId: number) => sql<
  { id: number; user_id: number; fee: number; currency: Currency }[]
>`
  with closed as (
    update group_member_logs set status = 3, audit_at = now() where group_id = ${groupId} and status = 0
    returning id, user_id, fee, currency
  )
  select id, user_id, fee, currency from closed where fee > 0 order by id`

export async function deleteMembers(sql: Db, groupId: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from group_members where group_id = ${groupId} and user_id in (
      select user_id from group_members where group_id = ${groupId} limit ${limit}
    )`
  return gone.count
}

export async function countOldRequests(sql: Db, days: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from group_member_logs
    where status <> 0 and audit_at < now() - make_interval(days => ${days})`
  return row.count
}

/** Deletes decided join requests only, because escrow holds the fees of pending ones. */
export async function deleteOldRequests(sql: Db, days: number, limit: number): Promise<number> {
  const gone = await sql`
    delete from group_member_logs where id in (
      select id from group_member_logs
      where status <> 0 and audit_at < now() - make_interval(days => ${days})
      order by audit_at limit ${limit} for update skip locked
    )`
  return gone.count
}

export async function listMemberUserIds(
  sql: Db,
  groupId: number,
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from group_members
    where group_id = ${groupId} and user_id > ${afterId} and audit = 1 and not disabled
    order by user_id limit ${limit}`
  return rows.map((row) => row.user_id)
}

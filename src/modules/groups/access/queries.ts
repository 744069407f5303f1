import { withWireTimes } from '#lib/time.ts'
import { withUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Row, Tables } from '#platform/database'
import type { MemberRecord, MemberView, Mode, Role } from '../schema.ts'

export type MemberRow = Tables['group_members'] & { role: Role }

export const memberColumns = (sql: Db) =>
  sql`m.id, m.group_id, m.user_id, m.audit, m.role, m.disabled, m.created_at, m.updated_at`

export type GroupAccess = Row<'groups', 'id' | 'name' | 'audit' | 'money' | 'allow_feed'> & {
  mode: Mode
  permissions: Role[]
  /** Null without a membership or pending join request. `audit` is 0 while the request is pending. */
  member: Pick<MemberRow, 'id' | 'audit' | 'role' | 'disabled'> | null
}

export const isClosed = ({ mode, audit }: Pick<GroupAccess, 'mode' | 'audit'>): boolean =>
  audit !== 1 || mode !== 'public'

const member = (sql: Db, viewerId: number) => sql`(
  select jsonb_build_object('id', m.id, 'audit', m.audit, 'role', m.role, 'disabled', m.disabled)
  from group_members m where m.group_id = g.id and m.user_id = ${viewerId}
)`

/** `lock` makes concurrent changes of the group wait until the transaction ends. */
export async function findGroupAccess(
  sql: Db,
  groupId: number,
  viewerId: number,
  { lock = false } = {},
): Promise<GroupAccess | undefined> {
  // Locks the group before the read, so that the read sees a change by a concurrent manager.
  if (lock) await sql`select from groups where id = ${groupId} for no key update`
  const [row] = await sql<GroupAccess[]>`
    select g.id, g.name, g.audit, g.mode, g.money, g.permissions, g.allow_feed, ${member(sql, viewerId)} as member
    from groups g where g.id = ${groupId} and g.deleted_at is null`
  return row
}

const isMember = (sql: Db, viewerId: number): Fragment =>
  viewerId > 0
    ? sql`coalesce((
        select m.audit = 1 from group_members m where m.group_id = g.id and m.user_id = ${viewerId}
      ), false)`
    : sql`false`

const isActiveMember = (sql: Db, viewerId: number): Fragment =>
  viewerId > 0
    ? sql`coalesce((
        select m.audit = 1 and not m.disabled from group_members m
        where m.group_id = g.id and m.user_id = ${viewerId}
      ), false)`
    : sql`false`

export const isVisibleGroup = (sql: Db, viewerId: number): Fragment =>
  sql`g.deleted_at is null and (g.audit = 1 or ${isMember(sql, viewerId)})`

/** SQL condition that the viewer may read posts of group `g`. Blacklisted users read only public groups. */
export const isReadable = (sql: Db, viewerId: number): Fragment =>
  sql`g.deleted_at is null and ((g.audit = 1 and g.mode = 'public') or ${isActiveMember(sql, viewerId)})`

/** Like `isReadable`, but as a subquery per row, which lets PostgreSQL scan the index of the list. */
export const isReadableAt = (sql: Db, groupId: Fragment, viewerId: number): Fragment =>
  sql`coalesce((select ${isReadable(sql, viewerId)} from groups g where g.id = ${groupId}), false)`

export async function findManagerIds(sql: Db, groupId: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from group_members where group_id = ${groupId} and role <> 'member'`
  return rows.map((row) => row.user_id)
}

export async function findFounderId(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ user_id: number }]>`
    select user_id from group_members where group_id = ${groupId} and role = 'founder'`
  return row.user_id
}

export async function findMemberships(
  sql: Db,
  groupIds: number[],
  viewerId: number,
): Promise<Map<number, MemberRow>> {
  if (viewerId === 0 || groupIds.length === 0) return new Map()
  // Looks up each group by its id. A scan of the user's memberships could read very many rows.
  const rows = await sql<MemberRow[]>`
    select m.* from unnest(${groupIds}::bigint[]) as t (id) cross join lateral (
      select ${memberColumns(sql)} from group_members m where m.group_id = t.id and m.user_id = ${viewerId} offset 0
    ) m`
  return new Map(rows.map((row) => [row.group_id, row]))
}

const MANAGED_MAX = 500

export const managedGroups = (sql: Db, userId: number, ids: number[] | undefined): Fragment => {
  const exists = sql`coalesce((select g.deleted_at is null from groups g where g.id = m.group_id), false)`
  return ids
    ? sql`
        select m.group_id as id from unnest(${ids}::bigint[]) as t (id) cross join lateral (
          select m.group_id, m.role from group_members m where m.group_id = t.id and m.user_id = ${userId} offset 0
        ) m
        where m.role <> 'member' and ${exists}`
    : sql`
        select m.group_id as id from group_members m
        where m.user_id = ${userId} and m.role <> 'member' and ${exists}
        order by m.group_id desc limit ${MANAGED_MAX}`
}

export const memberRecord = (row: MemberRow): MemberRecord => ({
  ...withWireTimes(row),
  disabled: row.disabled ? 1 : 0,
})

export const memberViews = (ctx: Context, rows: MemberRow[], viewerId: number): Promise<MemberView[]> =>
  withUser(ctx, rows.map(memberRecord), viewerId)

import type { Db, Fragment } from '#platform/database.ts'
import type { Row, Tables } from '#platform/tables.ts'
import type { Mode, Role } from './schema.ts'

export type MemberRow = Tables['group_members'] & { role: Role }

/** The columns of `group_members m`. */
export const memberColumns = (sql: Db) =>
  sql`m.id, m.group_id, m.user_id, m.audit, m.role, m.disabled, m.created_at, m.updated_at`

/** A group as far as it decides who may do what, and what the viewer is in it. */
export type Standing = Row<'groups', 'id' | 'name' | 'audit' | 'money' | 'allow_feed'> & {
  mode: Mode
  permissions: Role[]
  /** Null for who is not in it; `audit` 0 for who has only asked. */
  member: Pick<MemberRow, 'id' | 'audit' | 'role' | 'disabled'> | null
}

const member = (sql: Db, viewerId: number) => sql`(
  select jsonb_build_object('id', m.id, 'audit', m.audit, 'role', m.role, 'disabled', m.disabled)
  from group_members m where m.group_id = g.id and m.user_id = ${viewerId}
)`

/** What there is of a group; undefined when it is unknown or deleted. `lock`: nobody else manages it meanwhile. */
export async function findStanding(
  sql: Db,
  groupId: number,
  viewerId: number,
  { lock = false } = {},
): Promise<Standing | undefined> {
  // The lock is taken before the member is read, so that what another manager did meanwhile is seen.
  if (lock) await sql`select from groups where id = ${groupId} for no key update`
  const [row] = await sql<Standing[]>`
    select g.id, g.name, g.audit, g.mode, g.money, g.permissions, g.allow_feed, ${member(sql, viewerId)} as member
    from groups g where g.id = ${groupId} and g.deleted_at is null`
  return row
}

/** The condition under which the viewer is in group `g`. */
const isMember = (sql: Db, viewerId: number): Fragment =>
  viewerId > 0
    ? sql`coalesce((
        select m.audit = 1 from group_members m where m.group_id = g.id and m.user_id = ${viewerId}
      ), false)`
    : sql`false`

/** The same without who is on its blacklist. */
const isActiveMember = (sql: Db, viewerId: number): Fragment =>
  viewerId > 0
    ? sql`coalesce((
        select m.audit = 1 and not m.disabled from group_members m
        where m.group_id = g.id and m.user_id = ${viewerId}
      ), false)`
    : sql`false`

/** The condition under which group `g` exists for the viewer: once it has passed, or as one of its members. */
export const isShown = (sql: Db, viewerId: number): Fragment =>
  sql`g.deleted_at is null and (g.audit = 1 or ${isMember(sql, viewerId)})`

/** The condition under which the viewer may read the posts of group `g`: who is on its blacklist only what everybody may. */
export const isReadable = (sql: Db, viewerId: number): Fragment =>
  sql`g.deleted_at is null and ((g.audit = 1 and g.mode = 'public') or ${isActiveMember(sql, viewerId)})`

/** The same for a row that names the group: a condition for each row, so that a list stays a walk along its index. */
export const isReadableAt = (sql: Db, groupId: Fragment, viewerId: number): Fragment =>
  sql`coalesce((select ${isReadable(sql, viewerId)} from groups g where g.id = ${groupId}), false)`

/** Who manages a group, the founder included. */
export async function findManagerIds(sql: Db, groupId: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from group_members where group_id = ${groupId} and role <> 'member'`
  return rows.map((row) => row.user_id)
}

/** Who owns a group now. */
export async function findFounderId(sql: Db, groupId: number): Promise<number> {
  const [row] = await sql<[{ user_id: number }]>`
    select user_id from group_members where group_id = ${groupId} and role = 'founder'`
  return row.user_id
}

/** What the viewer is in each of these groups. */
export async function findMemberships(
  sql: Db,
  groupIds: number[],
  viewerId: number,
): Promise<Map<number, MemberRow>> {
  if (viewerId === 0 || groupIds.length === 0) return new Map()
  // One look-up for each: somebody may be in very many groups.
  const rows = await sql<MemberRow[]>`
    select m.* from unnest(${groupIds}::bigint[]) as t (id) cross join lateral (
      select ${memberColumns(sql)} from group_members m where m.group_id = t.id and m.user_id = ${viewerId} offset 0
    ) m`
  return new Map(rows.map((row) => [row.group_id, row]))
}

/** Of how many groups one list shows what waits for their managers. */
const MANAGED_MAX = 500

/** The groups that a person manages, or those of `ids` among them. */
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

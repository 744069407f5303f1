import { type Db, type Fragment, type Row, type Tx, when } from '#platform/database'
import type { InvitationQuery } from './schema.ts'

export type InvitationRow = Row<
  'invitations',
  'id' | 'code' | 'max_uses' | 'note' | 'expires_at' | 'created_at'
> & {
  uses: number
  ended: boolean
}

const usesOf = (sql: Db): Fragment =>
  sql`(select count(*)::int from invitation_uses u where u.invitation_id = i.id)`
const isOpen = (sql: Db): Fragment => sql`i.ended_at is null and i.expires_at > now()`

/** Condition that invitation `i` has expired, ended or is used up. */
export const hasEnded = (sql: Db): Fragment => sql`not (${isOpen(sql)} and ${usesOf(sql)} < i.max_uses)`

/** Columns of invitations `i`. */
export const invitationColumns = (sql: Db): Fragment => sql`
  i.id, i.code, i.max_uses, i.note, i.expires_at, i.created_at, ${usesOf(sql)} as uses,
  ${hasEnded(sql)} as ended`

/** Inserts and returns an invitation. Undefined if its creator has `openMax` open ones. */
export async function insertInvitation(
  tx: Tx,
  given: {
    userId: number
    code: string
    maxUses: number
    days: number
    note: string | null
    openMax: number
  },
): Promise<InvitationRow | undefined> {
  const { userId, code, maxUses, days, note, openMax } = given
  // Serializes requests of one creator, since concurrent ones would both pass the limit.
  await tx`select from users where id = ${userId} for no key update`
  const [row] = await tx<InvitationRow[]>`
    with i as (
      insert into invitations (code, user_id, max_uses, note, expires_at)
      select ${code}, ${userId}, ${maxUses}, ${note}, now() + make_interval(days => ${days})
      where (select count(*) from invitations i where i.user_id = ${userId} and ${isOpen(tx)}) < ${openMax}
      returning *
    )
    select i.id, i.code, i.max_uses, i.note, i.expires_at, i.created_at, 0 as uses, false as ended from i`
  return row
}

/** A user's invitations, newest first. */
export const listInvitations = (sql: Db, userId: number, { limit = 15, after = 0 }: InvitationQuery) => sql<
  InvitationRow[]
>`
  select ${invitationColumns(sql)} from invitations i
  where i.user_id = ${userId} ${when(sql, after > 0, () => sql`and i.id < ${after}`)}
  order by i.id desc limit ${limit}`

/** Ends an invitation, optionally only of this user. False if there is none. Idempotent. */
export async function endInvitation(sql: Db, id: number, userId?: number): Promise<boolean> {
  const rows = await sql`
    update invitations set ended_at = coalesce(ended_at, now())
    where id = ${id} ${when(sql, userId !== undefined, () => sql`and user_id = ${userId ?? 0}`)} returning 1`
  return rows.length === 1
}

/** Ids of users that someone invited, newest first, without disabled ones. */
export async function listInvitedIds(
  sql: Db,
  userId: number,
  { limit = 15, after = 0 }: InvitationQuery,
): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select n.user_id from invitation_uses n join users u on u.id = n.user_id and u.deleted_at is null
    where n.inviter_id = ${userId} ${when(sql, after > 0, () => sql`and n.user_id < ${after}`)}
    order by n.user_id desc limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

type Open = Row<'invitations', 'id' | 'user_id' | 'max_uses'>

const openByCode = (sql: Db, code: string): Fragment => sql`
  select i.id, i.user_id, i.max_uses from invitations i join users m on m.id = i.user_id and m.deleted_at is null
  where i.code = ${code} and ${isOpen(sql)}`

/** Checks that a code is valid now. */
export async function isInvitationGood(sql: Db, code: string): Promise<boolean> {
  const [row] = await sql<[{ good: boolean }]>`
    select exists (
      select from (${openByCode(sql, code)}) i where ${usesOf(sql)} < i.max_uses
    ) as good`
  return row.good
}

/** Records the use of a code. False if it is no longer valid. */
export async function useInvitation(tx: Tx, code: string, userId: number): Promise<boolean> {
  const [open] = await tx<Open[]>`${openByCode(tx, code)} for no key update of i`
  if (!open) return false
  // A separate statement, so that it counts uses committed before the lock was granted.
  const rows = await tx`
    insert into invitation_uses (user_id, invitation_id, inviter_id)
    select ${userId}, i.id, i.user_id from invitations i
    where i.id = ${open.id} and ${usesOf(tx)} < i.max_uses returning 1`
  return rows.length === 1
}

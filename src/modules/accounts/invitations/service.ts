import { randomInt } from 'node:crypto'
import { wireTime } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { isSanctioned } from '#modules/sanctions/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, type Row, type Tx, transaction, when } from '#platform/database'
import { apiError, fieldError } from '#platform/errors.ts'
import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'
import { readAccountSettings } from '../settings.ts'

export const invitationNeeded = fieldError(
  'invitation_code',
  'invitation_needed',
  'You need an invitation to join this site. Enter its code.',
  '本站仅限邀请注册，请填写邀请码。',
)
const invitationNotGood = fieldError(
  'invitation_code',
  'invitation_not_good',
  'This invitation does not exist, is used up or has expired.',
  '邀请码不存在、已用完或已过期。',
)
export const INVITATION_ERRORS = [invitationNeeded, invitationNotGood]

export const mayNotInvite = apiError(
  403,
  'may_not_invite',
  'You cannot create invitations on this site.',
  '你没有创建邀请码的权限。',
)
export const tooManyInvitations = apiError(
  422,
  'too_many_invitations',
  'You have too many active invitations. Revoke one first.',
  '你的有效邀请码过多，请先停用一个。',
)
export const noSuchInvitation = apiError(
  404,
  'no_such_invitation',
  'This invitation does not exist.',
  '邀请码不存在。',
)

export const Invitation = Shared('SiteInvitation', {
  id: Type.Integer(),
  code: Type.String(),
  max_uses: Type.Integer({ description: 'Maximum number of registrations' }),
  uses: Type.Integer({ description: 'Number of registrations so far' }),
  note: Nullable(Type.String()),
  ended: Type.Boolean({ description: 'True when revoked, used up or expired' }),
  expires_at: Time,
  created_at: Time,
})
export type Invitation = Static<typeof Invitation>

/** `max_uses` and `days` default to the settings `register:invitation-uses` and `register:invitation-days`. */
export const NewInvitation = Shared('NewSiteInvitation', {
  max_uses: Type.Optional(Int(1, 1000)),
  days: Type.Optional(Int(1, 365, { description: 'Lifetime in days' })),
  note: Type.Optional(Text(100)),
})
export type NewInvitation = Static<typeof NewInvitation>

export const InvitationParams = Type.Object({ invitation: Id })

export const InvitationQuery = Type.Object({ limit: Limit(), after: Cursor })
export type InvitationQuery = Static<typeof InvitationQuery>

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

export const hasEnded = (sql: Db): Fragment => sql`not (${isOpen(sql)} and ${usesOf(sql)} < i.max_uses)`

export const invitationColumns = (sql: Db): Fragment => sql`
  i.id, i.code, i.max_uses, i.note, i.expires_at, i.created_at, ${usesOf(sql)} as uses,
  ${hasEnded(sql)} as ended`

async function insertInvitation(
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
  // Locks the creator. Otherwise concurrent requests could exceed the maximum number of open invitations.
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

export const listInvitations = (sql: Db, userId: number, { limit = 15, after = 0 }: InvitationQuery) => sql<
  InvitationRow[]
>`
  select ${invitationColumns(sql)} from invitations i
  where i.user_id = ${userId} ${when(sql, after > 0, () => sql`and i.id < ${after}`)}
  order by i.id desc limit ${limit}`

export async function endInvitation(sql: Db, id: number, userId?: number): Promise<boolean> {
  const rows = await sql`
    update invitations set ended_at = coalesce(ended_at, now())
    where id = ${id} ${when(sql, userId !== undefined, () => sql`and user_id = ${userId ?? 0}`)} returning 1`
  return rows.length === 1
}

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

/** Selects `user_id` of everybody whom the account invited, and whom those invited. `union` ends a cycle. */
export const selectInvitationTree = (sql: Db, userId: number): Fragment => sql`
  with recursive tree as (
    select n.user_id from invitation_uses n where n.inviter_id = ${userId}
    union
    select n.user_id from tree t join invitation_uses n on n.inviter_id = t.user_id
  )
  select user_id from tree`

export const listInviters = (sql: Db, userIds: readonly number[]) =>
  sql<
    Row<'invitation_uses', 'user_id' | 'inviter_id'>[]
  >`select user_id, inviter_id from invitation_uses where user_id = any(${userIds})`

type Open = Row<'invitations', 'id' | 'user_id' | 'max_uses'>

const openByCode = (sql: Db, code: string): Fragment => sql`
  select i.id, i.user_id, i.max_uses from invitations i join users m on m.id = i.user_id and m.deleted_at is null
  where i.code = ${code} and ${isOpen(sql)} and not ${isSanctioned(sql, sql`m.id`)}`

async function isInvitationGood(sql: Db, code: string): Promise<boolean> {
  const [row] = await sql<[{ good: boolean }]>`
    select exists (
      select from (${openByCode(sql, code)}) i where ${usesOf(sql)} < i.max_uses
    ) as good`
  return row.good
}

export async function useInvitation(tx: Tx, code: string, userId: number): Promise<boolean> {
  const [open] = await tx<Open[]>`${openByCode(tx, code)} for no key update of i`
  if (!open) return false
  // Counts uses in a separate statement, because the snapshot must include uses committed before the lock.
  const rows = await tx`
    insert into invitation_uses (user_id, invitation_id, inviter_id)
    select ${userId}, i.id, i.user_id from invitations i
    where i.id = ${open.id} and ${usesOf(tx)} < i.max_uses returning 1`
  return rows.length === 1
}

/** Omits look-alike characters, such as 0 and O. Ten characters give 48 bits of entropy. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const LENGTH = 10
const OPEN_MAX = 20
const OPEN_MAX_OF_ADMINISTRATORS = 1000

const newCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

const codeOf = (typed: string) => typed.toUpperCase().replace(/[\s-]/g, '')

export const invitationView = ({ expires_at, created_at, ...row }: InvitationRow): Invitation => ({
  ...row,
  expires_at: wireTime(expires_at),
  created_at: wireTime(created_at),
})

export async function invite(
  ctx: Context,
  userId: number,
  { max_uses, days, note }: NewInvitation,
): Promise<Invitation> {
  const settings = await readAccountSettings(ctx)
  const isAdministrator = await hasAbility(ctx, userId, 'admin: invitations')
  if (!isAdministrator && !settings['register:invitations-by-everybody']) throw mayNotInvite()
  const [mostUses, mostDays] = isAdministrator
    ? [1000, 365]
    : [settings['register:invitation-uses'], settings['register:invitation-days']]
  const row = await transaction(ctx.sql, (tx) =>
    insertInvitation(tx, {
      userId,
      code: newCode(),
      maxUses: Math.min(max_uses ?? settings['register:invitation-uses'], mostUses),
      days: Math.min(days ?? settings['register:invitation-days'], mostDays),
      note: note ?? null,
      openMax: isAdministrator ? OPEN_MAX_OF_ADMINISTRATORS : OPEN_MAX,
    }),
  )
  if (!row) throw tooManyInvitations()
  return invitationView(row)
}

export async function checkInvitation(ctx: Context, typed: string): Promise<void> {
  if (!(await isInvitationGood(ctx.sql, codeOf(typed)))) throw invitationNotGood()
}

/** Throws 422 if the invitation was used up, revoked or expired after the last check. */
export async function recordInvitation(tx: Tx, typed: string, userId: number): Promise<void> {
  if (!(await useInvitation(tx, codeOf(typed), userId))) throw invitationNotGood()
}

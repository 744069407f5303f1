import { randomInt } from 'node:crypto'
import { wireTime } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { type InvitationRow, insertInvitation, isInvitationGood, useInvitation } from './queries.ts'
import type { Invitation, NewInvitation } from './schema.ts'
import { invitationNotGood, mayNotInvite, tooManyInvitations } from './schema.ts'

/**
 * Omits look-alikes (0 and O, 1, I and L, U and V), because codes are read aloud. Ten characters give 48
 * bits.
 */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const LENGTH = 10
/** Limit of open invitations per user, except administrators. */
const OPEN_MAX = 20
const OPEN_MAX_OF_ADMINISTRATORS = 1000

const newCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

const codeOf = (typed: string) => typed.toUpperCase().replace(/[\s-]/g, '')

export const invitationView = ({ expires_at, created_at, ...row }: InvitationRow): Invitation => ({
  ...row,
  expires_at: wireTime(expires_at),
  created_at: wireTime(created_at),
})

/** Creates an invitation within the limits of the settings (registration-6). */
export async function invite(
  ctx: Context,
  userId: number,
  { max_uses, days, note }: NewInvitation,
): Promise<Invitation> {
  const settings = await readSettings(ctx)
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

/** Throws 422 on `invitation_code` unless the code is valid now. */
export async function checkInvitation(ctx: Context, typed: string): Promise<void> {
  if (!(await isInvitationGood(ctx.sql, codeOf(typed)))) throw invitationNotGood()
}

/**
 * Records a new user's invitation in the transaction of the registration. Throws 422 if others took the last
 * place.
 */
export async function comeByInvitation(tx: Tx, typed: string, userId: number): Promise<void> {
  if (!(await useInvitation(tx, codeOf(typed), userId))) throw invitationNotGood()
}

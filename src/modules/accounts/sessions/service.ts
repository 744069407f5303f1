import { wireTime } from '#lib/time.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import {
  forgetTokens,
  type IssuedToken,
  isNewDevice,
  issueToken,
  listSignIns,
  revokeTokens,
} from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import type { Device } from '#platform/http/device.ts'
import { findContacts } from '../alerts/queries.ts'
import { takeDeletionBack } from '../deletion/service.ts'
import { addLetter } from '../letters/service.ts'
import { noSuchSession } from './errors.ts'
import type { Session } from './schema.ts'

/** Tells somebody of a sign-in from a device that was not seen before (rights-5). */
async function tellSignIn(
  ctx: Context,
  tx: Tx,
  userId: number,
  { userAgent, network }: Device,
): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await addLetter(
      ctx,
      tx,
      { email: contacts.email, phone: null },
      {
        subject: '新设备登录提醒 Sign-in from a new device',
        text: `您的账号刚刚在新设备上登录（${userAgent}，${network}）。如非本人操作，请立即修改密码并结束该登录。 Somebody signed in to your account from a new device (${userAgent}, ${network}). If it was not you, change your password and end that sign-in.`,
        page: 'sessions',
      },
    )
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'users', id: userId },
    data: { type: 'account:changed', state: 'sign-in' },
  })
}

/** Signs somebody in who proved who they are and whose account the caller holds. */
export async function openSession(
  ctx: Context,
  tx: Tx,
  userId: number,
  device: Device,
): Promise<IssuedToken> {
  await takeDeletionBack(ctx, tx, userId)
  const { 'account:sign-in-notices': tells } = await readSettings(ctx)
  if (tells && (await isNewDevice(tx, userId, device))) await tellSignIn(ctx, tx, userId, device)
  return issueToken(tx, userId, { device })
}

/** Where somebody is signed in, the last used first; `current` is the sign-in that asks. */
export const sessionsOf = async (ctx: Context, userId: number, current: string): Promise<Session[]> =>
  (await listSignIns(ctx.sql, userId)).map((row) => ({
    id: row.id,
    device: row.user_agent,
    place: row.network,
    current: row.id === current,
    created_at: wireTime(row.created_at),
    used_at: wireTime(row.used_at),
  }))

/** Tells somebody that an administrator ended sign-ins of theirs. */
async function tellSignOut(ctx: Context, tx: Tx, userId: number): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await addLetter(
      ctx,
      tx,
      { email: contacts.email, phone: null },
      {
        subject: '您已被退出登录 You were signed out',
        text: '管理员刚刚结束了您账号的登录，请重新登录。 An administrator just ended sign-ins of your account. Sign in again.',
      },
    )
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'users', id: userId },
    data: { type: 'account:changed', state: 'sign-outs' },
  })
}

/**
 * Ends one sign-in of somebody, or all but the administrator's own, who is told and whose audit log holds it
 * (administration-22). What was signed in a moment later stays.
 */
export async function signOut(
  ctx: Context,
  actor: Actor & { viewer: { family: string } },
  userId: number,
  session?: string,
): Promise<void> {
  const ended = (await listSignIns(ctx.sql, userId)).filter(({ id }) =>
    session === undefined ? id !== actor.viewer.family : id === session,
  )
  if (session !== undefined && ended.length === 0) throw noSuchSession()
  if (ended.length === 0) return
  const keys = await transaction(ctx.sql, async (tx) => {
    const revoked = await revokeTokens(
      ctx,
      tx,
      userId,
      session === undefined ? { except: actor.viewer.family } : { family: session },
    )
    await tellSignOut(ctx, tx, userId)
    await recordAudit(tx, actor, {
      action: 'users.sign-out',
      subjectType: 'users',
      subjectId: userId,
      before: { sessions: ended.map(({ user_agent, network }) => ({ device: user_agent, place: network })) },
    })
    return revoked
  })
  forgetTokens(ctx, keys)
}

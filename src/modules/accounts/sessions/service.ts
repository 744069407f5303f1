import { deviceName } from '#lib/device-name.ts'
import { wireTime } from '#lib/time.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import {
  dropCachedTokens,
  type IssuedToken,
  isNewDevice,
  issueToken,
  listSignIns,
  revokeTokens,
} from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { type Device, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'
import { findContacts } from '../alerts/service.ts'
import { takeDeletionBack } from '../deletion/service.ts'
import { enqueueMessage } from '../messages/service.ts'

export const noSuchSession = apiError(404, 'no_such_session', 'You have no such sign-in.', '没有该登录记录。')

export const Session = Shared('Session', {
  id: Type.String(),
  device: Nullable(
    Type.String({ description: 'what the client calls itself; null for one from before this was kept' }),
  ),
  place: Nullable(Type.String({ description: 'the network it was last seen in' })),
  current: Type.Boolean({ description: 'whether this request belongs to it' }),
  created_at: Time,
  used_at: Time,
})
export type Session = Static<typeof Session>

export const SessionParams = Type.Object({
  session: Text(36, { pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
})

/** Alerts a user of a sign-in from a new device (rights-5). */
async function tellSignIn(
  ctx: Context,
  tx: Tx,
  userId: number,
  { userAgent, network }: Device,
): Promise<void> {
  const contacts = await findContacts(tx, userId)
  const name = deviceName(userAgent)
  const [zh, en] = name === undefined ? ['未知设备', 'unknown device'] : [name, name]
  if (contacts)
    await enqueueMessage(
      ctx,
      tx,
      { email: contacts.email, phone: null },
      {
        subject: '新设备登录提醒 Sign-in from a new device',
        text: `您的账号刚刚在新设备上登录（${zh}，${network}）。如非本人操作，请立即修改密码并结束该登录。 Somebody signed in to your account from a new device (${en}, ${network}). If it was not you, change your password and end that sign-in.`,
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

/** Opens a session for a proven user. The caller holds the lock of the account. */
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

/** A user's sessions, last used first. `current` marks the session of the request. */
export const sessionsOf = async (ctx: Context, userId: number, current: string): Promise<Session[]> =>
  (await listSignIns(ctx.sql, userId)).map((row) => ({
    id: row.id,
    device: row.user_agent,
    place: row.network,
    current: row.id === current,
    created_at: wireTime(row.created_at),
    used_at: wireTime(row.used_at),
  }))

/** Notifies a user of sessions that an administrator ended. */
async function tellSignOut(ctx: Context, tx: Tx, userId: number): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await enqueueMessage(
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
 * Ends one session of a user, or all except the administrator's own, with a notification and an audit record
 * (administration-22). Sessions opened later stay.
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
  await dropCachedTokens(ctx, keys)
}

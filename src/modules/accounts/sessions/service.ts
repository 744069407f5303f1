import { notify } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { type IssuedToken, isNewDevice, issueToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import type { Device } from '#platform/http/device.ts'
import { findContacts } from '../alerts/queries.ts'
import { takeDeletionBack } from '../deletion/service.ts'
import { addLetter } from '../letters/service.ts'

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

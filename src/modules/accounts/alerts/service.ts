import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { addJob } from '#platform/jobs'
import type { Channel } from '../codes/schema.ts'

/** Current phone and e-mail of a user. */
export async function findContacts(
  sql: Db,
  userId: number,
): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<
    Row<'users', 'email' | 'phone'>[]
  >`select email, phone from users where id = ${userId}`
  return row
}

/** A credential of an account. */
export type Holding = 'password' | 'phone' | 'email' | 'link' | 'unlink'

/** Job payload, encrypted because queued jobs are stored in the database. */
export type Alert = { channel: Channel; to: string } & ({ changed: Holding } | { suspended: Suspended })

/** Reason and end of a suspension. */
type Suspended = { reason: string; ends_at: string | null }

const enqueue = (ctx: Context, tx: Db, alert: Alert) =>
  addJob(tx, 'alert_owner', { sealed: ctx.secrets.seal(JSON.stringify(alert)) }, { maxAttempts: 5 })

/** E-mails a suspended user, since they cannot read their notifications. */
export async function alertOfSuspension(
  ctx: Context,
  tx: Db,
  userId: number,
  { reason, ends_at }: Suspended,
): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts?.email)
    await enqueue(ctx, tx, { channel: 'mail', to: contacts.email, suspended: { reason, ends_at } })
}

/**
 * Alerts a user that a credential changes: in notifications, on devices, and at the current phone and e-mail.
 * Call it in the transaction of the change and before it, so that it reaches the old contacts.
 */
export async function alertAccountOwner(
  ctx: Context,
  tx: Db,
  userId: number,
  changed: Holding,
): Promise<void> {
  const contacts = await findContacts(tx, userId)
  const told: [Channel, string | null | undefined][] = [
    ['mail', contacts?.email],
    ['sms', contacts?.phone],
  ]
  for (const [channel, to] of told) {
    if (!to) continue
    await enqueue(ctx, tx, { channel, to, changed })
  }
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'users', id: userId },
    data: { type: 'account:changed', state: changed },
  })
}

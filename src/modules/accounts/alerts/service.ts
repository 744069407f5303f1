import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import type { Channel } from '../codes/schema.ts'
import { findContacts } from './queries.ts'

/** By what an account is held. */
export type Holding = 'password' | 'phone' | 'email'

/** What the job carries, sealed, because a waiting job lies in the database. */
export type Alert = { channel: Channel; to: string } & ({ changed: Holding } | { suspended: Suspended })

/** Why somebody is suspended, and until when. */
type Suspended = { reason: string; ends_at: string | null }

const enqueue = (ctx: Context, tx: Db, alert: Alert) =>
  addJob(tx, 'alert_owner', { sealed: ctx.secrets.seal(JSON.stringify(alert)) }, { maxAttempts: 5 })

/** Tells a person by e-mail that they are suspended: what else they are told they cannot read meanwhile. */
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
 * Tells a person that what holds their account changes, whoever changes it: in their notifications and on their devices,
 * and at the phone and e-mail that they have now. Called in the transaction of the change and before it, so that the old
 * ones are told.
 */
export async function alertOwner(ctx: Context, tx: Db, userId: number, changed: Holding): Promise<void> {
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

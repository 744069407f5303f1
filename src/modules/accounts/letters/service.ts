import { webLinks } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import type { Channel } from '../codes/schema.ts'

/** What the job carries, sealed, because a waiting job lies in the database. */
export type SealedLetter = { channel: Channel; to: string; subject: string; text: string; link?: string }

/** Pages of a web client about one's own account. */
export type AccountPage = 'sessions' | 'exports' | 'sanctions' | 'deletion' | 'security'

/** Where somebody can be reached. */
export type Contacts = { email: string | null; phone: string | null }

/**
 * Has somebody told something, by mail and, where there is no address, by text message. Nobody knows which language the
 * reader has, so the caller says both. In the transaction of what is told.
 */
export async function addLetter(
  ctx: Context,
  tx: Db,
  { email, phone }: Contacts,
  { subject, text, page }: { subject: string; text: string; page?: AccountPage },
): Promise<void> {
  const to = email ?? phone
  if (to === null) return
  const link = page === undefined ? null : (await webLinks(ctx))('account', page)
  const letter: SealedLetter = {
    channel: email === null ? 'sms' : 'mail',
    to,
    subject,
    text,
    ...(link === null ? {} : { link }),
  }
  await addJob(tx, 'send_letter', { sealed: ctx.secrets.seal(JSON.stringify(letter)) }, { maxAttempts: 5 })
}

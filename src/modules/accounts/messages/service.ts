import { webLinks } from '#modules/settings/index.ts'
import { sendText } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { addJob, type TaskList } from '#platform/jobs'
import type { Channel } from '../codes/schema.ts'

/** Job payload, encrypted because queued jobs are stored in the database. */
export type SealedMessage = { channel: Channel; to: string; subject: string; text: string; link?: string }

/** Account pages of a web client. */
export type AccountPage = 'sessions' | 'exports' | 'sanctions' | 'deletion' | 'security'

export type Contacts = { email: string | null; phone: string | null }

/**
 * Enqueues a message by e-mail, or by text message without an address, in the caller's transaction. The
 * recipient's language is unknown, so the caller provides both.
 */
export async function enqueueMessage(
  ctx: Context,
  tx: Db,
  { email, phone }: Contacts,
  { subject, text, page }: { subject: string; text: string; page?: AccountPage },
): Promise<void> {
  const to = email ?? phone
  if (to === null) return
  const link = page === undefined ? null : (await webLinks(ctx))('account', page)
  const letter: SealedMessage = {
    channel: email === null ? 'sms' : 'mail',
    to,
    subject,
    text,
    ...(link === null ? {} : { link }),
  }
  await addJob(tx, 'send_letter', { sealed: ctx.secrets.seal(JSON.stringify(letter)) }, { maxAttempts: 5 })
}

async function send(ctx: Context, { channel, to, subject, text, link }: SealedMessage): Promise<void> {
  try {
    if (channel === 'sms') await sendText(ctx, { phone: to, text, purpose: 'message' })
    else await ctx.mail.send({ to, subject, text, kind: 'message', ...(link === undefined ? {} : { link }) })
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'a message was rejected permanently')
  }
}

export const messageTasks = (ctx: Context): TaskList => ({
  send_letter: (payload) => send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

import { findReceipt } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { readSiteSettings, siteAccent, siteName, webLinks } from '#modules/settings/index.ts'
import { sendText, type TextPurpose } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import { addJob, type TaskList } from '#platform/jobs'
import type { MailName } from './catalogue.ts'
import { type MailSite, mailSender } from './mail.ts'
import { type MailValues, ORIGINAL, readMailTexts, renderMail } from './texts.ts'

export type Channel = 'mail' | 'sms'

type Contacts = Row<'users', 'email' | 'phone'>

async function findContacts(sql: Db, userId: number): Promise<Contacts | undefined> {
  const [row] = await sql<Contacts[]>`select email, phone from users where id = ${userId}`
  return row
}

type AccountPage = 'sessions' | 'exports' | 'sanctions' | 'deletion' | 'security'

/** True for an active user with an e-mail address. */
export async function hasEmail(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`select from users where id = ${userId} and email is not null and deleted_at is null`
  return rows.length === 1
}

/** `mailOnly` drops the message if the account has no e-mail address. */
type Message = {
  mail: MailName
  values?: MailValues
  page?: AccountPage
  mailOnly?: true
  purpose?: 'alert'
  /** Set when the recipient's language is known. */
  language?: Language
  /** Address that ends mails of this kind with a POST (RFC 8058). */
  unsubscribe?: string
}

/**
 * Payload of the jobs `send_message` and `send_letter`. Encrypted, because the queue would otherwise contain texts and contacts
 * of users in plain text.
 */
type SealedMessage = {
  channel: Channel
  to: string
  mail?: MailName
  values?: MailValues
  language?: Language
  unsubscribe?: string
  /** Only in `send_letter`, which earlier versions enqueued with the text instead of the mail. */
  subject?: string
  text?: string
  purpose?: TextPurpose
  code?: string
  link?: string
}

/** Enqueues an e-mail, or a text message to a user without an e-mail address, in the caller's transaction. */
export async function enqueueMessage(
  ctx: Context,
  tx: Db,
  { email, phone }: Contacts,
  { page, mailOnly, ...message }: Message,
): Promise<void> {
  const to = email ?? (mailOnly ? null : phone)
  if (to === null) return
  const link = page === undefined ? null : (await webLinks(ctx))('account', page)
  const sealed: SealedMessage = {
    channel: email === null ? 'sms' : 'mail',
    to,
    ...message,
    ...(link === null ? {} : { link }),
  }
  await addJob(tx, 'send_message', { sealed: ctx.secrets.seal(JSON.stringify(sealed)) }, { maxAttempts: 5 })
}

/** Enqueues a message to the current contacts of a user. */
export async function messageUser(ctx: Context, tx: Db, userId: number, message: Message): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts) await enqueueMessage(ctx, tx, contacts, message)
}

export async function mailSite(ctx: Context): Promise<MailSite> {
  const settings = await readSiteSettings(ctx)
  const { publicUrl: url } = ctx.config
  const accent = siteAccent(settings)?.light
  return {
    name: siteName(ctx.config, settings),
    url,
    isPoweredBy: settings['site:powered-by'],
    ...(accent === undefined ? {} : { accent }),
  }
}

/** Text messages have the original text, because services in China require approved texts. */
async function textOf(ctx: Context, message: SealedMessage): Promise<{ subject: string; text: string }> {
  const { channel, mail, values, language, subject = '', text = '' } = message
  if (mail === undefined) return { subject, text }
  const settings = await readSiteSettings(ctx)
  const all = {
    ...values,
    site: { en: siteName(ctx.config, settings, 'en'), zh: siteName(ctx.config, settings, 'zh') },
    address: ctx.config.publicUrl,
  }
  const texts = channel === 'mail' ? await readMailTexts(ctx, mail) : ORIGINAL
  return renderMail(mail, texts, all, language)
}

/** Sends a message. Gives up when the mail or text message service rejects the message permanently. */
export async function deliver(ctx: Context, message: SealedMessage): Promise<void> {
  const { channel, to, purpose = 'message', code, link, unsubscribe } = message
  const { subject, text } = await textOf(ctx, message)
  const parts = { text, ...(code === undefined ? {} : { code }) }
  const kind = code === undefined ? 'message' : 'verification'
  try {
    if (channel === 'sms') await sendText(ctx, { phone: to, purpose, ...parts })
    else {
      const site = await mailSite(ctx)
      const more = {
        ...(link === undefined ? {} : { link }),
        ...(unsubscribe === undefined ? {} : { unsubscribe }),
      }
      const named = { subject: `${subject} · ${site.name}`, site }
      await mailSender(ctx).send({ to, kind, ...named, ...parts, ...more })
    }
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error, purpose }, 'a message was rejected permanently')
  }
}

const TEXTS = {
  password: {
    zh: '您的账号密码刚刚被修改。如非本人操作，请立即重置密码。',
    en: 'The password of your account was just changed. If it was not you, reset it at once.',
  },
  phone: {
    zh: '您的账号绑定的手机号刚刚被修改。如非本人操作，请立即修改密码。',
    en: 'The phone number of your account was just changed. If it was not you, change your password at once.',
  },
  email: {
    zh: '您的账号绑定的邮箱刚刚被修改。如非本人操作，请立即修改密码。',
    en: 'The e-mail address of your account was just changed. If it was not you, change your password at once.',
  },
  link: {
    zh: '您的账号刚刚绑定了一个第三方账号，该账号可用于登录。如非本人操作，请立即解除绑定并修改密码。',
    en: 'An external account was just linked to your account and can sign in to it. If it was not you, unlink it and change your password at once.',
  },
  unlink: {
    zh: '您的账号刚刚解除了一个第三方账号的绑定。如非本人操作，请立即修改密码。',
    en: 'An external account was just unlinked from your account. If it was not you, change your password at once.',
  },
}

type Changed = keyof typeof TEXTS

const changedMessage = (changed: Changed): Message => ({
  mail: 'account-changed',
  values: { change: TEXTS[changed] },
  page: 'security',
  purpose: 'alert',
})

type Suspended = { reason: string; ends_at: string | null }

function suspendedMessage({ reason, ends_at: end }: Suspended): Message {
  const until = end === null ? '' : { zh: `至 ${end}（UTC）`, en: ` until ${end} (UTC)` }
  return {
    mail: 'suspended',
    values: { until, reason },
    page: 'sanctions',
    mailOnly: true,
    purpose: 'alert',
  }
}

/** E-mails a suspended user, since they cannot read their notifications. */
export const alertOfSuspension = (ctx: Context, tx: Db, userId: number, suspended: Suspended) =>
  messageUser(ctx, tx, userId, suspendedMessage(suspended))

/** Notifies a user of a change of credentials, or of a sign-in or sign-out. */
export const notifyAccountChanged = (tx: Db, userId: number, state: Changed | 'sign-in' | 'sign-outs') =>
  notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'users', id: userId },
    data: { type: 'account:changed', state },
  })

/**
 * Alerts a user to a changed credential by notification, e-mail and text message. Callers that change the phone
 * or e-mail call this first, in the same transaction, so that the alert reaches the old contact.
 */
export async function alertAccountOwner(
  ctx: Context,
  tx: Db,
  userId: number,
  changed: Changed,
): Promise<void> {
  const { email = null, phone = null } = (await findContacts(tx, userId)) ?? {}
  await enqueueMessage(ctx, tx, { email, phone: null }, changedMessage(changed))
  await enqueueMessage(ctx, tx, { email: null, phone }, changedMessage(changed))
  await notifyAccountChanged(tx, userId, changed)
}

/** Payload of the job `alert_owner`, which only earlier versions of Kith enqueued. */
type Alert = { channel: Channel; to: string } & ({ changed: Changed } | { suspended: Suspended })

const sendAlert = (ctx: Context, { channel, to, ...alert }: Alert) =>
  deliver(ctx, {
    channel,
    to,
    ...('changed' in alert ? changedMessage(alert.changed) : suspendedMessage(alert.suspended)),
  })

export const messageTasks = (ctx: Context): TaskList => ({
  alert_owner: (payload) =>
    sendAlert(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
  // Nodes of the previous version leave this task to nodes that know the mails.
  send_message: (payload) =>
    deliver(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
  send_letter: (payload) =>
    deliver(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

/**
 * Sends no receipt to a user without an e-mail address. The user can find the payment in the list of orders.
 */
async function sendReceipt(ctx: Context, id: number): Promise<void> {
  const receipt = await findReceipt(ctx.sql, id)
  if (!receipt) return
  const { provider, order_number: order, payment_number: payment, paid_at: at } = receipt
  const amount = `${(receipt.amount / 100).toFixed(2)} ${receipt.charge_currency.toUpperCase()}`
  const time = `${String(at).slice(0, 19)} UTC`
  const money = (receipt.credited / 100).toFixed(2)
  const credited =
    receipt.currency === 'points'
      ? { zh: `${receipt.credited} 积分`, en: `${receipt.credited} points` }
      : { zh: `钱包 ${money}`, en: `${money} in the wallet` }
  const values = { amount, credited, provider, order, payment: payment ?? '', time }
  await messageUser(ctx, ctx.sql, receipt.owner_id, { mail: 'receipt', values, mailOnly: true })
}

export const receiptTasks = (ctx: Context): TaskList => ({
  send_receipt: (payload) => sendReceipt(ctx, (payload as { id: number }).id),
})

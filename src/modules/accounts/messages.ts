import { findReceipt } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { webLinks } from '#modules/settings/index.ts'
import { sendText } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { addJob, type TaskList } from '#platform/jobs'
import type { Channel } from './identity/schema.ts'

export async function findContacts(
  sql: Db,
  userId: number,
): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<
    Row<'users', 'email' | 'phone'>[]
  >`select email, phone from users where id = ${userId}`
  return row
}

type Holding = 'password' | 'phone' | 'email' | 'link' | 'unlink'

/** Job payload. Encrypted, because the database stores queued jobs. */
type Alert = { channel: Channel; to: string } & ({ changed: Holding } | { suspended: Suspended })

type Suspended = { reason: string; ends_at: string | null }

const enqueue = (ctx: Context, tx: Db, alert: Alert) =>
  addJob(tx, 'alert_owner', { sealed: ctx.secrets.seal(JSON.stringify(alert)) }, { maxAttempts: 5 })

/** Sends an e-mail, because a suspended user cannot read notifications. */
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

/** Call it before the change, so that the alert reaches the old phone and e-mail. */
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

type SealedMessage = { channel: Channel; to: string; subject: string; text: string; link?: string }

type AccountPage = 'sessions' | 'exports' | 'sanctions' | 'deletion' | 'security'

type Contacts = { email: string | null; phone: string | null }

/**
 * Sends an e-mail, or a text message to an account without e-mail. `text` contains both languages, because
 * the recipient's language is unknown.
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

async function sendMessage(ctx: Context, { channel, to, subject, text, link }: SealedMessage): Promise<void> {
  try {
    if (channel === 'sms') await sendText(ctx, { phone: to, text, purpose: 'message' })
    else await ctx.mail.send({ to, subject, text, kind: 'message', ...(link === undefined ? {} : { link }) })
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'a message was rejected permanently')
  }
}

export const messageTasks = (ctx: Context): TaskList => ({
  send_letter: (payload) =>
    sendMessage(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

/** Each text has both languages, because the recipient's language is unknown. */
const TEXTS = {
  password:
    '您账号的密码刚刚被修改。如非本人操作，请立即重置密码。 The password of your account was just changed. If it was not you, reset it at once.',
  phone:
    '您账号的手机号刚刚被修改。如非本人操作，请立即修改密码。 The phone number of your account was just changed. If it was not you, change your password at once.',
  email:
    '您账号的邮箱刚刚被修改。如非本人操作，请立即修改密码。 The e-mail address of your account was just changed. If it was not you, change your password at once.',
  link: '一个外部账号刚刚绑定到您的账号，可用于登录。如非本人操作，请立即解除绑定并修改密码。 An account outside was just linked to your account and can sign in to it. If it was not you, end the link and change your password at once.',
  unlink:
    '您账号的外部账号绑定刚刚被解除。如非本人操作，请立即修改密码。 A link of an account outside to your account was just ended. If it was not you, change your password at once.',
}
const CHANGED_SUBJECT = '账号安全提醒 Your account was changed'

const SUSPENDED_SUBJECT = '账号已被暂停使用 Your account is suspended'

function textOf(alert: Alert): string {
  if ('changed' in alert) return TEXTS[alert.changed]
  const { reason, ends_at: end } = alert.suspended
  const [zh, en] = end === null ? ['', ''] : [`至 ${end}（UTC）`, ` until ${end} (UTC)`]
  return `您的账号已被暂停使用${zh}。如有异议，可以申诉。 Your account is suspended${en}. You can appeal.\n\n${reason}`
}

async function sendAlert(ctx: Context, alert: Alert): Promise<void> {
  const { channel, to } = alert
  const text = textOf(alert)
  const subject = 'changed' in alert ? CHANGED_SUBJECT : SUSPENDED_SUBJECT
  try {
    if (channel === 'sms') await sendText(ctx, { phone: to, text, purpose: 'alert' })
    else {
      const page: AccountPage = 'changed' in alert ? 'security' : 'sanctions'
      const link = (await webLinks(ctx))('account', page)
      await ctx.mail.send({ to, subject, text, kind: 'message', ...(link === null ? {} : { link }) })
    }
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'an account alert was rejected permanently')
  }
}

export const alertTasks = (ctx: Context): TaskList => ({
  alert_owner: (payload) =>
    sendAlert(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

const RECEIPT_SUBJECT = '充值收据 Receipt of your payment'

/** Skips an account without e-mail, whose owner finds the payment among the orders. */
async function sendReceipt(ctx: Context, id: number): Promise<void> {
  const receipt = await findReceipt(ctx.sql, id)
  if (!receipt) return
  const { provider, order_number: order, payment_number: payment, paid_at: at } = receipt
  const contacts = await findContacts(ctx.sql, receipt.owner_id)
  if (!contacts?.email) return
  const amount = `${(receipt.amount / 100).toFixed(2)} ${receipt.charge_currency.toUpperCase()}`
  const time = `${String(at).slice(0, 19)} UTC`
  const [zh, en] =
    receipt.currency === 'points'
      ? [`${receipt.credited} 积分`, `${receipt.credited} points`]
      : [
          `钱包 ${(receipt.credited / 100).toFixed(2)}`,
          `${(receipt.credited / 100).toFixed(2)} in the wallet`,
        ]
  const text = [
    `您的付款已到账。\n金额：${amount}\n到账：${zh}\n渠道：${provider}\n订单号：${order}\n支付单号：${payment}\n时间：${time}`,
    `Your payment was credited.\nAmount: ${amount}\nCredited: ${en}\nProvider: ${provider}\nOrder: ${order}\nPayment: ${payment}\nTime: ${time}`,
  ].join('\n\n')
  await enqueueMessage(
    ctx,
    ctx.sql,
    { email: contacts.email, phone: null },
    { subject: RECEIPT_SUBJECT, text },
  )
}

export const receiptTasks = (ctx: Context): TaskList => ({
  send_receipt: (payload) => sendReceipt(ctx, (payload as { id: number }).id),
})

import { webLinks } from '#modules/settings/index.ts'
import { sendText } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { AccountPage } from '../messages/service.ts'
import type { Alert } from './service.ts'

/** The recipient's language is unknown, so each text has both. */
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
const SUBJECT = '账号安全提醒 Your account was changed'

const SUSPENDED_SUBJECT = '账号已被暂停使用 Your account is suspended'

function textOf(alert: Alert): string {
  if ('changed' in alert) return TEXTS[alert.changed]
  const { reason, ends_at: end } = alert.suspended
  const [zh, en] = end === null ? ['', ''] : [`至 ${end}（UTC）`, ` until ${end} (UTC)`]
  return `您的账号已被暂停使用${zh}。如有异议，可以申诉。 Your account is suspended${en}. You can appeal.\n\n${reason}`
}

async function send(ctx: Context, alert: Alert): Promise<void> {
  const { channel, to } = alert
  const text = textOf(alert)
  const subject = 'changed' in alert ? SUBJECT : SUSPENDED_SUBJECT
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
  alert_owner: (payload) => send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { type Dispatch, tidyCodes } from './service.ts'

const TEXTS = {
  en: (code: string) =>
    `Your verification code is ${code}. It is good for ten minutes. If you did not ask for it, ignore this message.`,
  zh: (code: string) => `您的验证码是 ${code}，十分钟内有效。如非本人操作，请忽略。`,
}
const SUBJECTS = { en: 'Verification code', zh: '验证码' }

async function send(ctx: Context, { channel, to, code, language, until }: Dispatch): Promise<void> {
  if (Date.now() > until) return
  const text = TEXTS[language](code)
  try {
    if (channel === 'sms') await ctx.sms.send({ phone: to, text, code })
    else await ctx.mail.send({ to, subject: SUBJECTS[language], text, kind: 'verification', code })
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'a verification code was refused for good')
  }
}

export const codeTasks = (ctx: Context): TaskList => ({
  send_code: (payload) => send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
  tidy_codes: () => tidyCodes(ctx),
})

export const codeSchedules: Schedule[] = [{ task: 'tidy_codes', pattern: '41 * * * *' }]

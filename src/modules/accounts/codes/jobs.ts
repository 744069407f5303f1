import { sendText } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import { type Dispatch, tidyCodes } from './service.ts'

const TEXTS = {
  en: (code: string) =>
    `Your verification code is ${code}. It is good for ten minutes. If you did not ask for it, ignore this message.`,
  zh: (code: string) => `您的验证码是 ${code}，十分钟内有效。如非本人操作，请忽略。`,
}
const SUBJECTS = { en: 'Verification code', zh: '验证码' }

async function send(ctx: Context, { channel, to, code, language }: Dispatch, askedAt: Date): Promise<void> {
  // Reads the database's clock, because the node's own may be off.
  const [late] =
    await ctx.sql`select where now() > ${askedAt.toISOString()}::timestamptz + interval '10 minutes'`
  if (late) return
  const text = TEXTS[language](code)
  try {
    if (channel === 'sms') await sendText(ctx, { phone: to, text, purpose: 'code', code })
    else await ctx.mail.send({ to, subject: SUBJECTS[language], text, kind: 'verification', code })
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'a verification code was rejected permanently')
  }
}

export const codeTasks = (ctx: Context): TaskList => ({
  send_code: (payload, { job }) =>
    send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed)), new Date(job.created_at)),
  tidy_codes: () => tidyCodes(ctx),
})

export const codeSchedules: Schedule[] = [{ task: 'tidy_codes', pattern: '41 * * * *' }]

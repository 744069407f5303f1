import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs.ts'
import type { SealedLetter } from './service.ts'

async function send(ctx: Context, { channel, to, subject, text, link }: SealedLetter): Promise<void> {
  try {
    if (channel === 'sms') await ctx.sms.send({ phone: to, text })
    else await ctx.mail.send({ to, subject, text, kind: 'message', ...(link === undefined ? {} : { link }) })
  } catch (error) {
    if (!(error as { permanent?: boolean }).permanent) throw error
    ctx.log.warn({ err: error }, 'a letter to somebody was refused for good')
  }
}

export const letterTasks = (ctx: Context): TaskList => ({
  send_letter: (payload) => send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed))),
})

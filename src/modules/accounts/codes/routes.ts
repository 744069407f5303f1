import type { Context } from '#platform/context.ts'
import { attemptsOf, language, type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { CodeTarget, type Purpose } from './schema.ts'
import { sendCode } from './service.ts'

export function codeRoutes(server: Server, ctx: Context) {
  const add = (path: string, purpose: Purpose, summary: string) =>
    server.post(
      path,
      {
        config: { access: 'public' },
        schema: { tags: ['Sign-in'], summary, body: CodeTarget, response: { 202: Message } },
      },
      async (request, reply) => {
        await sendCode(ctx, attemptsOf(ctx, { request, reply }), request.body, {
          purpose,
          language: language(request),
        })
        return reply.code(202).send(say(request, 'The code is on its way.', '验证码已发送。'))
      },
    )
  add('/verifycodes/register', 'register', 'Send a code to a phone or e-mail that nobody uses yet')
  add('/verifycodes', 'user', "Send a code to somebody's phone or e-mail")
}

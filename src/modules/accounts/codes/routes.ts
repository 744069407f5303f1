import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, language, type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { CONTACT_ERRORS, DOOR_ERRORS } from '../doors/errors.ts'
import { emailTaken, phoneTaken } from '../errors.ts'
import { codeTooEarly, noSuchEmail, noSuchPhone } from './errors.ts'
import { CodeTarget, type Purpose, RegistrationCodeTarget } from './schema.ts'
import { sendCode } from './service.ts'

/** Codes that prove who has a phone or e-mail. */
export function codeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  const send = (
    purpose: Purpose,
    path: '/verifycodes' | '/verifycodes/register',
    operation: { operationId: string; summary: string; errors: readonly DeclaredError[] },
  ) =>
    route(`POST ${path}`, {
      ...operation,
      errors: [codeTooEarly, ...operation.errors],
      whileSilenced: true,
      access: 'optional',
      body: purpose === 'register' ? RegistrationCodeTarget : CodeTarget,
      reply: { 202: Message },
      handler: async (call) => {
        const { request, viewer } = call
        await sendCode(ctx, attemptsOf(ctx, call), call.body, {
          purpose,
          language: language(request),
          viewerId: viewer.id,
        })
        return say(request, 'The code is on its way.', '验证码已发送。')
      },
    })

  send('register', '/verifycodes/register', {
    operationId: 'sendRegistrationCode',
    summary: 'Send a code to a phone or e-mail that nobody uses yet',
    errors: [emailTaken, phoneTaken, ...DOOR_ERRORS, ...CONTACT_ERRORS],
  })
  send('user', '/verifycodes', {
    operationId: 'sendCode',
    summary: "Send a code to somebody's phone or e-mail",
    errors: [noSuchEmail, noSuchPhone],
  })
}

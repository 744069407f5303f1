import { tooManyTexts } from '#modules/text-messages/index.ts'
import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import {
  addressKey,
  attemptCounter,
  language,
  localizedMessage,
  Message,
  routesOn,
  type Server,
} from '#platform/http'
import { CONTACT_ERRORS, REGISTRATION_RULE_ERRORS } from '../registration/rules.ts'
import { emailTaken, phoneTaken } from '../schema.ts'
import {
  CodeTarget,
  codeTooEarly,
  noSuchEmail,
  noSuchPhone,
  type Purpose,
  RegistrationCodeTarget,
} from './schema.ts'
import { sendCode } from './service.ts'

/** Codes that verify a phone or e-mail. */
export function codeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  const send = (
    purpose: Purpose,
    path: '/verifycodes' | '/verifycodes/register',
    operation: { operationId: string; summary: string; errors: readonly DeclaredError[] },
  ) =>
    route(`POST ${path}`, {
      ...operation,
      errors: [codeTooEarly, tooManyTexts, ...operation.errors],
      whileSilenced: true,
      access: 'optional',
      body: purpose === 'register' ? RegistrationCodeTarget : CodeTarget,
      reply: { 202: Message },
      handler: async (call) => {
        const { request, viewer } = call
        await sendCode(ctx, attemptCounter(ctx, call), call.body, {
          purpose,
          language: language(request),
          viewerId: viewer.id,
          address: addressKey(request.ip),
        })
        return localizedMessage(request, 'The code is on its way.', '验证码已发送。')
      },
    })

  send('register', '/verifycodes/register', {
    operationId: 'sendRegistrationCode',
    summary: 'Send a code to an unused phone or e-mail',
    errors: [emailTaken, phoneTaken, ...REGISTRATION_RULE_ERRORS, ...CONTACT_ERRORS],
  })
  send('user', '/verifycodes', {
    operationId: 'sendCode',
    summary: 'Send a code to the phone or e-mail of an account',
    errors: [noSuchEmail, noSuchPhone],
  })
}

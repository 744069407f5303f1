import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { deviceOf, localizedMessage, Message, routesOn, type Server } from '#platform/http'
import { CONTACT_ERRORS, REGISTRATION_RULE_ERRORS } from '../registration/rules.ts'
import { accountWaiting } from '../requests/errors.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, wrongCode } from '../schema.ts'
import { RegisteredToken, Registration } from './schema.ts'
import { register } from './service.ts'

export function registrationRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('POST /users', {
    operationId: 'register',
    summary: 'Register with a code that was sent to a phone or e-mail',
    access: 'public',
    body: Registration,
    reply: { 201: RegisteredToken, 202: Message },
    errors: [
      wrongCode,
      ...NAME_ERRORS,
      emailTaken,
      phoneTaken,
      sensitiveWords,
      ...REGISTRATION_RULE_ERRORS,
      ...CONTACT_ERRORS,
    ],
    handler: async ({ body, request, reply }) => {
      const issued = await register(ctx, body, deviceOf(request))
      return (
        issued ??
        reply.code(202).send(localizedMessage(request, accountWaiting.text.en, accountWaiting.text.zh))
      )
    },
  })
}

import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { deviceOf } from '#platform/http/device.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { CONTACT_ERRORS, DOOR_ERRORS } from '../doors/errors.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, wrongCode } from '../errors.ts'
import { accountWaiting } from '../requests/errors.ts'
import { RegisteredToken, Registration } from './schema.ts'
import { register } from './service.ts'

/** Making an account of one's own. */
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
      ...DOOR_ERRORS,
      ...CONTACT_ERRORS,
    ],
    handler: async ({ body, request, reply }) => {
      const issued = await register(ctx, body, deviceOf(request))
      return issued ?? reply.code(202).send(say(request, accountWaiting.text.en, accountWaiting.text.zh))
    },
  })
}

import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { CONTACT_ERRORS, DOOR_ERRORS } from '../doors/errors.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, wrongCode } from '../errors.ts'
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
    reply: { 201: RegisteredToken },
    errors: [
      wrongCode,
      ...NAME_ERRORS,
      emailTaken,
      phoneTaken,
      sensitiveWords,
      ...DOOR_ERRORS,
      ...CONTACT_ERRORS,
    ],
    handler: ({ body }) => register(ctx, body),
  })
}

import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { attemptsOf, type Server } from '#platform/http.ts'
import { Created } from '#platform/schema.ts'
import { wrongCode } from '../errors.ts'
import { accountWaiting } from '../requests/errors.ts'
import { accountDisabled, wrongSignIn } from '../sign-in/errors.ts'
import { appealOpen, nothingToAppeal } from './errors.ts'
import { AppealInput, OutsideAppealInput } from './schema.ts'
import { appeal, appealOutside } from './service.ts'

/** Appealing against what moderators decided about oneself (sign-in-28). */
export function appealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })
  const errors = [nothingToAppeal, appealOpen]

  route('POST /user/appeals', {
    operationId: 'appeal',
    summary: 'Appeal against what is in force against me; one appeal at a time',
    tag: 'Me',
    whileSilenced: true,
    access: 'user',
    body: AppealInput,
    reply: { 201: Created },
    errors,
    handler: async ({ viewer, body }) => ({ id: await appeal(ctx.sql, viewer.id, body) }),
  })

  route('POST /auth/appeals', {
    operationId: 'appealOutside',
    summary: 'Appeal against a suspension, with what one signs in with',
    access: 'public',
    body: OutsideAppealInput,
    example: { login: 'ann', password: 'the password', contents: 'It was not me.' },
    reply: { 201: Created },
    errors: [...errors, wrongSignIn, wrongCode, accountDisabled, accountWaiting],
    handler: async (call) => ({ id: await appealOutside(ctx, attemptsOf(ctx, call), call.body) }),
  })
}

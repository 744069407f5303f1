import type { Context } from '#platform/context.ts'
import { attemptCounter, Created, routesOn, type Server } from '#platform/http'
import { OUTSIDE_ERRORS } from '../sign-in/schema.ts'
import { AppealInput, appealOpen, nothingToAppeal, OutsideAppealInput } from './schema.ts'
import { appeal, appealOutside } from './service.ts'

/** Appeals against own sanctions (sign-in-28). */
export function appealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })
  const errors = [nothingToAppeal, appealOpen]

  route('POST /user/appeals', {
    operationId: 'appeal',
    summary: 'Appeal my active sanction; one appeal at a time',
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
    summary: 'Appeal a suspension with login and password',
    access: 'public',
    body: OutsideAppealInput,
    example: { login: 'ann', password: 'the password', contents: 'It was not me.' },
    reply: { 201: Created },
    errors: [...errors, ...OUTSIDE_ERRORS],
    handler: async (call) => ({ id: await appealOutside(ctx, attemptCounter(ctx, call), call.body) }),
  })
}

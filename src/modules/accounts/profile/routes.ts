import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { ownAttemptsOf, type Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { CONTACT_ERRORS } from '../doors/errors.ts'
import { emailTaken, NAME_ERRORS, phoneTaken, wrongCode } from '../errors.ts'
import { wrongPassword } from '../passwords/errors.ts'
import { notBound, proofRequired, wrongOldCode } from './errors.ts'
import { Binding, PrivateUser, ProfilePatch, Unbinding } from './schema.ts'
import { bind, unbind, updateProfile } from './service.ts'
import { privateUser } from './view.ts'

/** One's own account. */
export function profileRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user', {
    operationId: 'getMe',
    summary: 'Read my account',
    access: 'user',
    reply: { 200: PrivateUser },
    errors: [notFound],
    handler: ({ viewer }) => privateUser(ctx, viewer.id),
  })

  route('PATCH /user', {
    operationId: 'updateMe',
    summary: 'Change my profile; null or an empty text clears a field',
    access: 'user',
    body: ProfilePatch,
    reply: { 204: Empty },
    errors: [...NAME_ERRORS, fileNotUsable],
    handler: ({ viewer, body }) => updateProfile(ctx, viewer.id, body),
  })

  route('PUT /user', {
    operationId: 'bindAccount',
    summary: 'Bind a phone or e-mail, with a code and a proof of who has one already',
    whileSilenced: true,
    access: 'user',
    body: Binding,
    reply: { 204: Empty },
    errors: [
      wrongCode,
      proofRequired,
      wrongPassword,
      wrongOldCode,
      emailTaken,
      phoneTaken,
      ...CONTACT_ERRORS,
    ],
    handler: (call) => bind(ctx, ownAttemptsOf(ctx, call), call.viewer.id, call.body),
  })

  for (const [field, name] of [
    ['phone', 'Phone'],
    ['email', 'Email'],
  ] as const)
    route(`DELETE /user/${field}`, {
      operationId: `unbind${name}`,
      summary: `Unbind my ${field}, with password and code`,
      access: 'user',
      body: Unbinding,
      reply: { 204: Empty },
      errors: [notBound[field], wrongPassword, wrongCode],
      handler: (call) => unbind(ctx, ownAttemptsOf(ctx, call), call.viewer.id, field, call.body),
    })
}

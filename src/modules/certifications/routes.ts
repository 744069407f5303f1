import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server, say } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { certificationExists, certificationPassed, noCertification } from './errors.ts'
import { findCertification } from './queries.ts'
import { CertificationChanges, MaybeCertification, NewCertification } from './schema.ts'
import { apply, applyAgain, requireChangeable, requireNone } from './service.ts'
import { certificationViews } from './view.ts'

/** One's own certification (sign-in-20). */
export function certificationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Certification' })

  route('GET /user/certification', {
    operationId: 'getMyCertification',
    summary: 'Read my certification and what became of it; an empty object while there is none',
    access: 'user',
    personal: true,
    reply: { 200: MaybeCertification },
    handler: async ({ viewer, request }) => {
      const row = await findCertification(sql, { userId: viewer.id })
      const shown = await certificationViews(ctx, row ? [row] : [], language(request), { withFiles: true })
      return shown[0] ?? {}
    },
  })

  route('POST /user/certification', {
    operationId: 'createMyCertification',
    summary: 'Ask to be certified as a person or an organisation, with papers uploaded before',
    access: 'user',
    personal: true,
    body: NewCertification,
    reply: { 201: Message },
    errors: [certificationExists, fileNotUsable],
    whenInvalid: ({ viewer }) => requireNone(sql, viewer.id),
    handler: async ({ viewer, body, request }) => {
      await transaction(sql, (tx) => apply(tx, viewer.id, body))
      return say(request, 'Sent in, waiting for review.', '申请成功，等待审核。')
    },
  })

  route('PATCH /user/certification', {
    operationId: 'updateMyCertification',
    summary: 'Change what was sent in, unless it was accepted, and have it reviewed again',
    access: 'user',
    personal: true,
    body: CertificationChanges,
    reply: { 201: Message },
    errors: [noCertification, certificationPassed, fileNotUsable],
    whenInvalid: ({ viewer }) => requireChangeable(sql, viewer.id),
    handler: async ({ viewer, body, request }) => {
      await transaction(sql, (tx) => applyAgain(tx, viewer.id, body))
      return say(request, 'Changed, waiting for review.', '修改成功，等待审核。')
    },
  })
}

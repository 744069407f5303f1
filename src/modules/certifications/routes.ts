import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { language, type Server, say, viewerOf } from '#platform/http.ts'
import { Message } from '#platform/schema.ts'
import { findCertification } from './queries.ts'
import { CertificationChanges, MaybeCertification, NewCertification } from './schema.ts'
import { apply, applyAgain, requireChangeable, requireNone } from './service.ts'
import { certificationViews } from './view.ts'

const tags = ['Certification']

/** One's own certification (R §23.6). */
export function certificationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/user/certification',
    {
      config: { access: 'user', personal: true },
      schema: {
        tags,
        summary: 'My certification and what became of it; an empty object while there is none',
        response: { 200: MaybeCertification },
      },
    },
    async (request) => {
      const row = await findCertification(sql, { userId: viewerOf(request).id })
      const shown = await certificationViews(sql, row ? [row] : [], language(request), { withFiles: true })
      return shown[0] ?? {}
    },
  )

  server.post(
    '/user/certification',
    {
      config: {
        access: 'user',
        personal: true,
        before: (request) => requireNone(sql, viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Ask to be certified as a person or an organisation, with papers uploaded before',
        body: NewCertification,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await transaction(sql, (tx) => apply(tx, viewerOf(request).id, request.body))
      return reply.code(201).send(say(request, 'Sent in, waiting for review.', '申请成功，等待审核。'))
    },
  )

  server.patch(
    '/user/certification',
    {
      config: {
        access: 'user',
        personal: true,
        before: (request) => requireChangeable(sql, viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Change what was sent in, unless it was accepted, and have it reviewed again',
        body: CertificationChanges,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await transaction(sql, (tx) => applyAgain(tx, viewerOf(request).id, request.body))
      return reply.code(201).send(say(request, 'Changed, waiting for review.', '修改成功，等待审核。'))
    },
  )
}

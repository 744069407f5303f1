import type { FastifyRequest } from 'fastify'
import { userViews } from '#modules/accounts/index.ts'
import {
  addCertified,
  type CertificationRow,
  certificationViews,
  changeCertified,
  findCertification,
  noCertification,
  pass,
  reject,
  removeCertification,
} from '#modules/certifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { language, type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { listCertifications } from './queries.ts'
import {
  Acceptance,
  AddedCertification,
  CertificationListing,
  CertificationParams,
  CertificationQuery,
  CorrectedCertification,
  ManagedCertification,
  Rejection,
} from './schema.ts'

/** Whom the site certifies, and as what. The log of changes names no papers: it is never cleared. */
export function adminCertificationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: certifications' }
  const config = { access, personal: true } as const
  const params = CertificationParams

  const get = async (request: FastifyRequest): Promise<CertificationRow> => {
    const { certification: id } = request.params as { certification: number }
    const row = await findCertification(sql, { id })
    if (!row) throw noCertification()
    return row
  }
  const view = async (request: FastifyRequest, rows: CertificationRow[], withFiles: boolean) => {
    const [shown, people] = await Promise.all([
      certificationViews(sql, rows, language(request), { withFiles }),
      userViews(
        ctx,
        sql,
        rows.map((row) => row.user_id),
        viewerOf(request).id,
      ),
    ])
    return rows.map(({ version, user_id }, n) => ({
      ...shown[n]!,
      version,
      user: people.get(user_id) ?? null,
    }))
  }
  /** Changes one and keeps that it was done, in one transaction. */
  const change = (
    request: FastifyRequest,
    action: string,
    after: Record<string, unknown> | null,
    work: (tx: Tx, id: number) => Promise<CertificationRow>,
  ) =>
    transaction(sql, async (tx) => {
      const { certification: id } = request.params as { certification: number }
      const { user_id, type, status } = await work(tx, id)
      await recordAudit(tx, request, {
        action: `certifications.${action}`,
        subjectType: 'certifications',
        subjectId: id,
        before: { user_id, type, status },
        after,
      })
    })

  server.get(
    '/admin/certifications',
    {
      config,
      schema: {
        tags,
        summary: 'Who asked to be certified and what became of it',
        querystring: CertificationQuery,
        response: { 200: CertificationListing },
      },
    },
    async (request) => {
      const { data, total } = await listCertifications(sql, request.query)
      return { data: await view(request, data, false), total }
    },
  )

  server.get(
    '/admin/certifications/:certification',
    {
      config,
      schema: {
        tags,
        summary: 'A certification with its papers',
        params,
        response: { 200: ManagedCertification },
      },
    },
    async (request) => (await view(request, [await get(request)], true))[0]!,
  )

  server.post(
    '/admin/certifications',
    {
      config,
      schema: {
        tags,
        summary: 'Certify somebody at once, with papers that you uploaded',
        body: AddedCertification,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { user_id: userId, ...input } = request.body
      const id = await transaction(sql, async (tx) => {
        const made = await addCertified(tx, { userId, uploaderId: viewerOf(request).id }, input)
        await recordAudit(tx, request, {
          action: 'certifications.create',
          subjectType: 'certifications',
          subjectId: made,
          after: { user_id: userId, type: input.type, status: 1 },
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/certifications/:certification',
    {
      config: { ...config, before: get },
      schema: {
        tags,
        summary: 'Correct a certification, which is thereby accepted',
        params,
        body: CorrectedCertification,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const after = { status: 1, changed: Object.keys(request.body) }
      await change(request, 'update', after, (tx, id) =>
        changeCertified(tx, id, viewerOf(request).id, request.body),
      )
      return reply.code(204).send()
    },
  )

  server.patch(
    '/admin/certifications/:certification/pass',
    {
      config: { ...config, before: get },
      schema: {
        tags,
        summary: 'Accept a certification with what everybody sees of it; the person is told',
        params,
        body: Acceptance,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const examiner = viewerOf(request).id
      await change(request, 'pass', { status: 1 }, (tx, id) => pass(tx, id, { ...request.body, examiner }))
      return reply.code(204).send()
    },
  )

  server.patch(
    '/admin/certifications/:certification/reject',
    {
      config: { ...config, before: get },
      schema: {
        tags,
        summary: 'Reject a certification, an accepted one too, with a reason; the person is told',
        params,
        body: Rejection,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { reject_content: reason, version } = request.body
      const examiner = viewerOf(request).id
      await change(request, 'reject', { status: 2 }, (tx, id) =>
        reject(tx, id, { reason, version, examiner }),
      )
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/certifications/:certification',
    {
      config,
      schema: {
        tags,
        summary: 'Remove a certification and its papers for good',
        params,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await change(request, 'delete', null, removeCertification)
      return reply.code(204).send()
    },
  )
}

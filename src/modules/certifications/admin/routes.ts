import { userViews } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import type { Language } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { language, type Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty } from '#platform/schema.ts'
import {
  certificationChanged,
  certificationDecided,
  certificationExists,
  noCertification,
  unknownPerson,
} from '../errors.ts'
import { type CertificationRow, findCertification } from '../queries.ts'
import { addCertified, changeCertified, pass, reject, removeCertification } from '../service.ts'
import { certificationViews } from '../view.ts'
import { listCertifications } from './queries.ts'
import {
  Acceptance,
  AddedCertification,
  CertificationParams,
  CertificationQuery,
  CorrectedCertification,
  ManagedCertification,
  Rejection,
} from './schema.ts'

type OnCertification = { params: { certification: number } }

/**
 * Whom the site certifies, and as what (administration-10). The log of changes names no papers: it is never cleared.
 */
export function adminCertificationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const common = { access: { ability: 'admin: certifications' }, personal: true } as const

  const get = async ({ params }: OnCertification): Promise<CertificationRow> => {
    const row = await findCertification(sql, { id: params.certification })
    if (!row) throw noCertification()
    return row
  }
  const view = async (
    rows: CertificationRow[],
    viewerId: number,
    options: { language: Language; withFiles: boolean },
  ) => {
    const ids = rows.map((row) => row.user_id)
    const [shown, people] = await Promise.all([
      certificationViews(ctx, rows, options.language, options),
      userViews(ctx, sql, ids, viewerId),
    ])
    return rows.map(({ version, user_id }, n) => ({
      ...shown[n]!,
      version,
      user: people.get(user_id) ?? null,
    }))
  }
  /** Changes one and keeps that it was done, in one transaction. */
  const change = (
    call: Actor & OnCertification,
    action: string,
    after: Record<string, unknown> | null,
    work: (tx: Tx, id: number) => Promise<CertificationRow>,
  ) =>
    transaction(sql, async (tx) => {
      const { certification: id } = call.params
      const { user_id, type, status } = await work(tx, id)
      await recordAudit(tx, call, {
        action: `certifications.${action}`,
        subjectType: 'certifications',
        subjectId: id,
        before: { user_id, type, status },
        after,
      })
    })

  route('GET /admin/certifications', {
    ...common,
    operationId: 'adminListCertifications',
    summary: 'List who asked to be certified and what became of it',
    query: CertificationQuery,
    reply: { 200: Listing(ManagedCertification) },
    handler: async ({ query, viewer, request }) => {
      const { data, total } = await listCertifications(sql, query)
      return { data: await view(data, viewer.id, { language: language(request), withFiles: false }), total }
    },
  })

  route('GET /admin/certifications/:certification', {
    ...common,
    operationId: 'adminGetCertification',
    summary: 'Read a certification with its papers',
    params: CertificationParams,
    reply: { 200: ManagedCertification },
    errors: [noCertification],
    load: get,
    handler: async ({ loaded, viewer, request }) =>
      (await view([loaded], viewer.id, { language: language(request), withFiles: true }))[0]!,
  })

  route('POST /admin/certifications', {
    ...common,
    operationId: 'adminCreateCertification',
    summary: 'Certify somebody at once, with papers that you uploaded',
    body: AddedCertification,
    reply: { 201: Created },
    errors: [certificationExists, unknownPerson, fileNotUsable],
    handler: async (call) => {
      const { user_id: userId, ...input } = call.body
      const id = await transaction(sql, async (tx) => {
        const made = await addCertified(tx, { userId, uploaderId: call.viewer.id }, input)
        await recordAudit(tx, call, {
          action: 'certifications.create',
          subjectType: 'certifications',
          subjectId: made,
          after: { user_id: userId, type: input.type, status: 1 },
        })
        return made
      })
      return { id }
    },
  })

  route('PATCH /admin/certifications/:certification', {
    ...common,
    operationId: 'adminUpdateCertification',
    summary: 'Correct a certification, which is thereby accepted',
    params: CertificationParams,
    body: CorrectedCertification,
    reply: { 204: Empty },
    errors: [noCertification, fileNotUsable],
    whenInvalid: get,
    handler: (call) =>
      change(call, 'update', { status: 1, changed: Object.keys(call.body) }, (tx, id) =>
        changeCertified(tx, id, call.viewer.id, call.body),
      ),
  })

  route('PATCH /admin/certifications/:certification/pass', {
    ...common,
    operationId: 'adminAcceptCertification',
    summary: 'Accept a certification with what everybody sees of it; the person is told',
    params: CertificationParams,
    body: Acceptance,
    reply: { 204: Empty },
    errors: [noCertification, certificationDecided, certificationChanged],
    whenInvalid: get,
    handler: (call) =>
      change(call, 'pass', { status: 1 }, (tx, id) =>
        pass(tx, id, { ...call.body, examiner: call.viewer.id }),
      ),
  })

  route('PATCH /admin/certifications/:certification/reject', {
    ...common,
    operationId: 'adminRejectCertification',
    summary: 'Reject a certification, an accepted one too, with a reason; the person is told',
    params: CertificationParams,
    body: Rejection,
    reply: { 204: Empty },
    errors: [noCertification, certificationDecided, certificationChanged],
    whenInvalid: get,
    handler: (call) => {
      const { reject_content: reason, version } = call.body
      return change(call, 'reject', { status: 2 }, (tx, id) =>
        reject(tx, id, { reason, version, examiner: call.viewer.id }),
      )
    },
  })

  route('DELETE /admin/certifications/:certification', {
    ...common,
    operationId: 'adminDeleteCertification',
    summary: 'Remove a certification and its papers for good',
    params: CertificationParams,
    reply: { 204: Empty },
    errors: [noCertification],
    handler: (call) => change(call, 'delete', null, removeCertification),
  })
}

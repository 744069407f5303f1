import { escapeLike } from '#lib/text.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { sqlNameContainsEvenDisabled, UserView, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Tx, transaction } from '#platform/database'
import { accountErased, type Language } from '#platform/errors.ts'
import {
  Created,
  Empty,
  Id,
  Int,
  Listing,
  language,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import {
  type CertificationRow,
  certificationColumns,
  certificationViews,
  findCertification,
} from '../queries.ts'
import {
  CERTIFICATION_TYPES,
  CertificationChanges,
  CertificationView,
  certificationChanged,
  certificationDecided,
  certificationExists,
  Description,
  NewCertification,
  noCertification,
  unknownPerson,
} from '../schema.ts'
import { addCertified, changeCertified, pass, reject, removeCertification } from '../service.ts'

const ManagedCertification = Shared('ManagedCertification', {
  ...CertificationView.properties,
  version: Type.Integer({ description: 'Version of the submitted data, to send with a decision' }),
  user: Nullable(UserView),
})

export const CertificationQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(Int(0, 2)),
  certification_name: Type.Optional(OneOf(CERTIFICATION_TYPES)),
  user_id: Type.Optional(Id),
})
export type CertificationQuery = Static<typeof CertificationQuery>

const CertificationParams = Type.Object({ certification: Id })

const AddedCertification = Shared('AddedCertification', {
  user_id: Id,
  ...NewCertification.properties,
})

const CorrectedCertification = CertificationChanges

const version = Type.Optional(Int(1, 1_000_000_000))

const Acceptance = Shared('CertificationAcceptance', { desc: Description, version })

const Rejection = Shared('CertificationRejection', { reject_content: Text(255), version })

function listCertifications(sql: Db, query: CertificationQuery) {
  const { q, status, certification_name: type, user_id: userId } = query
  const where = sql`
    where true
      ${ifGiven(sql, status, (value) => sql`and c.status = ${value}`)}
      ${ifGiven(sql, type, (value) => sql`and c.type = ${value}`)}
      ${ifGiven(sql, userId, (value) => sql`and c.user_id = ${value}`)}
      ${ifGiven(sql, q, (part) => {
        const pattern = `%${escapeLike(part)}%`
        return sql`and (c.name ilike ${pattern} or c.phone like ${pattern} or c.number ilike ${pattern}
          or c.org_name ilike ${pattern} or c.org_address ilike ${pattern}
          or c.user_id in (select u.id from users u where ${sqlNameContainsEvenDisabled(sql, part)}))`
      })}`
  return pageOf<CertificationRow>(
    sql,
    sql`select ${certificationColumns(sql)} from certifications c ${where}
      ${listingClause(sql, query, { id: sql`c.id` })}`,
    sql`select count(*)::int as total from certifications c ${where}`,
  )
}

type OnCertification = { params: { certification: number } }

/** Omits the applicant's data and documents from audit records, which are permanent (administration-10). */
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
    summary: 'List certification requests with their status',
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
    summary: 'Read a certification with its documents',
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
    summary: 'Certify a person at once, with uploaded documents',
    body: AddedCertification,
    reply: { 201: Created },
    errors: [accountErased, certificationExists, unknownPerson, fileNotUsable],
    handler: async (call) => {
      const { user_id: userId, ...input } = call.body
      const id = await transaction(sql, async (tx) => {
        const newId = await addCertified(tx, { userId, uploaderId: call.viewer.id }, input)
        await recordAudit(tx, call, {
          action: 'certifications.create',
          subjectType: 'certifications',
          subjectId: newId,
          after: { user_id: userId, type: input.type, status: 1 },
        })
        return newId
      })
      return { id }
    },
  })

  route('PATCH /admin/certifications/:certification', {
    ...common,
    operationId: 'adminUpdateCertification',
    summary: 'Correct and accept a certification',
    params: CertificationParams,
    body: CorrectedCertification,
    reply: { 204: Empty },
    errors: [noCertification, fileNotUsable],
    precheck: get,
    handler: (call) =>
      change(call, 'update', { status: 1, changed: Object.keys(call.body) }, (tx, id) =>
        changeCertified(tx, id, call.viewer.id, call.body),
      ),
  })

  route('PATCH /admin/certifications/:certification/pass', {
    ...common,
    operationId: 'adminAcceptCertification',
    summary: 'Accept a certification with its public text; the person is notified',
    params: CertificationParams,
    body: Acceptance,
    reply: { 204: Empty },
    errors: [noCertification, certificationDecided, certificationChanged],
    precheck: get,
    handler: (call) =>
      change(call, 'pass', { status: 1 }, (tx, id) =>
        pass(tx, id, { ...call.body, examiner: call.viewer.id }),
      ),
  })

  route('PATCH /admin/certifications/:certification/reject', {
    ...common,
    operationId: 'adminRejectCertification',
    summary: 'Reject a certification with a reason, even after acceptance; the person is notified',
    params: CertificationParams,
    body: Rejection,
    reply: { 204: Empty },
    errors: [noCertification, certificationDecided, certificationChanged],
    precheck: get,
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
    summary: 'Delete a certification and its documents permanently',
    params: CertificationParams,
    reply: { 204: Empty },
    errors: [noCertification],
    handler: (call) => change(call, 'delete', null, removeCertification),
  })
}

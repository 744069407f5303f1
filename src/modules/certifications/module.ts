import { personalTable } from '#contracts/personal-data.ts'
import type { Statistics } from '#contracts/statistics.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { language, localizedMessage, Message, routesOn, type Server } from '#platform/http'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminCertificationCategoryRoutes } from './admin/categories/routes.ts'
import { adminCertificationRoutes } from './admin/routes.ts'
import { certificationViews, findCertification } from './queries.ts'
import {
  CERTIFICATION_FILE,
  CertificationChanges,
  type CertificationType,
  certificationExists,
  certificationPassed,
  MaybeCertification,
  NewCertification,
  noCertification,
} from './schema.ts'
import {
  apply,
  applyAgain,
  forgetCertification,
  mayReadDocuments,
  requireChangeable,
  requireNone,
  revokeCertification,
  updateAllBadges,
} from './service.ts'

export function certificationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Certification' })

  route('GET /user/certification', {
    operationId: 'getMyCertification',
    summary: 'Read my certification with its status; an empty object without one',
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
    summary: 'Request certification as a person or an organisation, with uploaded documents',
    access: 'user',
    personal: true,
    body: NewCertification,
    reply: { 201: Message },
    errors: [certificationExists, fileNotUsable],
    precheck: ({ viewer }) => requireNone(sql, viewer.id),
    handler: async ({ viewer, body, request }) => {
      await transaction(sql, (tx) => apply(tx, viewer.id, body))
      return localizedMessage(request, 'Submitted and waiting for review.', '申请成功，等待审核。')
    },
  })

  route('PATCH /user/certification', {
    operationId: 'updateMyCertification',
    summary: 'Change and resubmit my certification request before it is accepted',
    access: 'user',
    personal: true,
    body: CertificationChanges,
    reply: { 201: Message },
    errors: [noCertification, certificationPassed, fileNotUsable],
    precheck: ({ viewer }) => requireChangeable(sql, viewer.id),
    handler: async ({ viewer, body, request }) => {
      await transaction(sql, (tx) => applyAgain(tx, viewer.id, body))
      return localizedMessage(request, 'Changed and waiting for review.', '修改成功，等待审核。')
    },
  })
}

export const certificationTasks = (ctx: Context): TaskList => ({
  renew_badges: (payload) => updateAllBadges(ctx, (payload as { name: CertificationType }).name),
})

/** Exports only the ids of the documents, because the export contains their files as uploads. */
export const certificationPersonal = [
  personalTable({
    file: 'certification',
    about: { en: 'Your certification', zh: '您的认证资料' },
    table: 'certifications',
    key: ['user_id'],
    columns: [
      ...([
        'id',
        'type',
        'status',
        'name',
        'phone',
        'number',
        'description',
        'org_name',
        'org_address',
      ] as const),
      ...(['files', 'reject_reason', 'created_at', 'updated_at'] as const),
    ],
  }),
]

export const certificationStatistics: Statistics = {
  queues: [
    {
      name: 'certifications',
      ability: 'admin: certifications',
      waiting: (sql) => sql`select updated_at as since from certifications where status = 0 order by id`,
    },
  ],
}

export const module: Module = {
  tags: {
    Certification: { place: 6, about: 'Certification of people and organisations.' },
  },
  routes: () => [certificationRoutes, adminCertificationCategoryRoutes, adminCertificationRoutes],
  personalData: { place: 5, tables: certificationPersonal },
  statistics: { place: 10, ...certificationStatistics },
  erase: forgetCertification,
  tasks: () => [certificationTasks],
  offers: { revokeCertification },
  confidentialFiles: { [CERTIFICATION_FILE]: mayReadDocuments },
}

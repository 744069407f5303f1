import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import {
  Empty,
  Listing,
  Nullable,
  OneOf,
  routesOn,
  type Server,
  Shared,
  Text,
  Time,
  Type,
} from '#platform/http'
import { type CertificationCategoryRow, findCategory, listCategories } from '../../queries.ts'
import { CERTIFICATION_TYPES } from '../../schema.ts'
import { changeCategory } from '../../service.ts'

const CategoryRecord = Shared('CertificationCategoryRecord', {
  name: Type.String(),
  display_name_en: Type.String(),
  display_name_zh: Type.String(),
  description: Nullable(Type.String()),
  icon: Nullable(Type.String({ description: 'URL of the badge beside the names of certified people' })),
  updated_at: Time,
})

const CategoryListing = Listing(CategoryRecord)

const CategoryParams = Type.Object({ name: OneOf(CERTIFICATION_TYPES) })

const CategoryChange = Shared('CertificationCategoryChanges', {
  display_name_en: Type.Optional(Text(100)),
  display_name_zh: Type.Optional(Text(100)),
  description: Type.Optional(Nullable(Text(255))),
  icon: Type.Optional(Nullable(Text(2000, { pattern: '^https?://[^\\s"\'<>\\\\]+$' }))),
})

const view = (row: CertificationCategoryRow) => ({ ...row, updated_at: wireTime(row.updated_at) })

export function adminCertificationCategoryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: certifications' }

  route('GET /admin/certifications/categories', {
    operationId: 'adminListCertificationCategories',
    summary: 'List certification categories',
    access,
    reply: { 200: CategoryListing },
    handler: async () => {
      const data = await listCategories(sql)
      return { data: data.map(view), total: data.length }
    },
  })

  route('GET /admin/certifications/categories/:name', {
    operationId: 'adminGetCertificationCategory',
    summary: 'Read a certification category',
    access,
    params: CategoryParams,
    reply: { 200: CategoryRecord },
    handler: async ({ params }) => view(await findCategory(sql, params.name)),
  })

  route('PATCH /admin/certifications/categories/:name', {
    operationId: 'adminUpdateCertificationCategory',
    summary: 'Rename a certification category or change its badge; profiles show the new badge soon',
    access,
    params: CategoryParams,
    body: CategoryChange,
    reply: { 204: Empty },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { params, body } = call
        const before = await changeCategory(tx, params.name, body)
        await recordAudit(tx, call, {
          action: 'certification-categories.update',
          subjectType: 'certification-categories',
          subjectId: params.name,
          before: Object.fromEntries(
            Object.keys(body).map((field) => [field, before[field as keyof CertificationCategoryRow]]),
          ),
          after: body,
        })
      }),
  })
}

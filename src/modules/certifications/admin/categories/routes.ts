import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { type CertificationCategoryRow, findCategory, listCategories } from '../../queries.ts'
import { changeCategory } from '../../service.ts'
import { CategoryChange, CategoryListing, CategoryParams, CategoryRecord } from './schema.ts'

const view = (row: CertificationCategoryRow) => ({ ...row, updated_at: wireTime(row.updated_at) })

/** The two kinds of certification: what they are called, and their badges. */
export function adminCertificationCategoryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin: certifications' }

  route('GET /admin/certifications/categories', {
    operationId: 'adminListCertificationCategories',
    summary: 'List the kinds of certification',
    access,
    reply: { 200: CategoryListing },
    handler: async () => {
      const data = await listCategories(sql)
      return { data: data.map(view), total: data.length }
    },
  })

  route('GET /admin/certifications/categories/:name', {
    operationId: 'adminGetCertificationCategory',
    summary: 'Read a kind of certification',
    access,
    params: CategoryParams,
    reply: { 200: CategoryRecord },
    handler: async ({ params }) => view(await findCategory(sql, params.name)),
  })

  route('PATCH /admin/certifications/categories/:name', {
    operationId: 'adminUpdateCertificationCategory',
    summary: 'Rename a kind of certification or change its badge, which certified people get soon',
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

import { wireTime } from '#lib/time.ts'
import {
  type CategoryRow,
  changeCategory,
  findCategory,
  listCategories,
} from '#modules/certifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import type { Server } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { CategoryChange, CategoryListing, CategoryParams, CategoryRecord } from './schema.ts'

const view = (row: CategoryRow) => ({ ...row, updated_at: wireTime(row.updated_at) })

/** The two kinds of certification: what they are called, and their badges. */
export function certificationCategoryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const config = { access: { ability: 'admin: certifications' } }
  const params = CategoryParams

  server.get(
    '/admin/certifications/categories',
    {
      config,
      schema: { tags, summary: 'The kinds of certification', response: { 200: CategoryListing } },
    },
    async () => {
      const data = await listCategories(sql)
      return { data: data.map(view), total: data.length }
    },
  )

  server.get(
    '/admin/certifications/categories/:name',
    {
      config,
      schema: { tags, summary: 'A kind of certification', params, response: { 200: CategoryRecord } },
    },
    async (request) => view(await findCategory(sql, request.params.name)),
  )

  server.patch(
    '/admin/certifications/categories/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Rename a kind of certification or change its badge, which certified people get soon',
        params,
        body: CategoryChange,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      await transaction(sql, async (tx) => {
        const before = await changeCategory(tx, name, request.body)
        await recordAudit(tx, request, {
          action: 'certification-categories.update',
          subjectType: 'certification-categories',
          subjectId: name,
          before: Object.fromEntries(
            Object.keys(request.body).map((field) => [field, before[field as keyof CategoryRow]]),
          ),
          after: request.body,
        })
      })
      return reply.code(204).send()
    },
  )
}

import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { appealDecided } from '../../appeals/errors.ts'
import { findAppeal, listAppeals } from '../../appeals/queries.ts'
import { Appeal, AppealDecision, AppealParams, AppealQuery } from '../../appeals/schema.ts'
import { decideAppeal } from '../../appeals/service.ts'
import { appealView } from '../../appeals/view.ts'

/** Appeals for those who decide on them (administration-17). */
export function adminAppealRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: sanctions' }
  const get = async ({ params }: { params: { appeal: number } }) => {
    const row = await findAppeal(ctx.sql, params.appeal)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/appeals', {
    operationId: 'adminListAppeals',
    summary: 'List appeals',
    access,
    query: AppealQuery,
    reply: { 200: Listing(Appeal) },
    handler: async ({ query }) => {
      const { data, total } = await listAppeals(ctx.sql, query)
      return { data: data.map(appealView), total }
    },
  })

  route('GET /admin/appeals/:appeal', {
    operationId: 'adminGetAppeal',
    summary: 'Read an appeal',
    access,
    params: AppealParams,
    reply: { 200: Appeal },
    load: get,
    handler: ({ loaded }) => appealView(loaded),
  })

  route('PATCH /admin/appeals/:appeal', {
    operationId: 'adminDecideAppeal',
    summary: 'Accept or reject an appeal, once; accepting lifts the sanction, and the person is told',
    access,
    params: AppealParams,
    body: AppealDecision,
    reply: { 204: Empty },
    errors: [appealDecided],
    load: get,
    handler: (call) => decideAppeal(ctx, call, call.params.appeal, call.body),
  })
}

import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { GroupParams } from '../schema.ts'
import { getOwned } from '../service.ts'
import { listIncomes } from './queries.ts'
import { Income, IncomesQuery } from './schema.ts'

/** What a circle earned, for its founder. */
export function groupIncomeRoutes(server: Server, ctx: Context) {
  server.get(
    '/groups/:group/incomes',
    {
      config: {
        access: 'user',
        before: (request) =>
          getOwned(ctx.sql, (request.params as { group: number }).group, viewerOf(request).id),
      },
      schema: {
        tags: ['Groups'],
        summary: 'List what my group earned me',
        params: GroupParams,
        querystring: IncomesQuery,
        response: { 200: Type.Array(Income) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { group } = request.params
      await getOwned(ctx.sql, group, viewer)
      const rows = await listIncomes(ctx.sql, group, request.query)
      const people = await userViews(
        ctx,
        ctx.sql,
        rows.map((row) => row.user_id),
        viewer,
      )
      return rows.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        updated_at: wireTime(row.created_at),
        user: people.get(row.user_id) ?? null,
      }))
    },
  )
}

import { withWireTimes } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { noSuchGroup, notFounder } from '../errors.ts'
import { GroupParams } from '../schema.ts'
import { getOwned } from '../standing/service.ts'
import { listIncomes } from './queries.ts'
import { GroupIncome, IncomesQuery } from './schema.ts'

/** What a group earned, for its founder (groups-15). */
export function groupIncomeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /groups/:group/incomes', {
    operationId: 'listGroupIncomes',
    summary: 'List what my group earned me',
    access: 'user',
    params: GroupParams,
    query: IncomesQuery,
    reply: { 200: Type.Array(GroupIncome) },
    errors: [noSuchGroup, notFounder],
    load: ({ params, viewer }) => getOwned(ctx.sql, params.group, viewer.id),
    handler: async ({ params, query, viewer }) => {
      const rows = await listIncomes(ctx.sql, params.group, query)
      const payers = rows.map((row) => row.user_id)
      const people = await userViews(ctx, ctx.sql, payers, viewer.id)
      return rows.map((row) => ({
        ...withWireTimes({ ...row, updated_at: row.created_at }),
        user: people.get(row.user_id) ?? null,
      }))
    },
  })
}

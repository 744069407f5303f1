import { withWireTimes } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { getOwnedGroup } from '../access/service.ts'
import { noSuchGroup, notFounder } from '../errors.ts'
import { GroupParams } from '../schema.ts'
import { GroupIncome, IncomesQuery, listIncomes } from './queries.ts'

/** Income of a group, for its founder (groups-15). */
export function groupIncomeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /groups/:group/incomes', {
    operationId: 'listGroupIncomes',
    summary: 'List my income from a group',
    access: 'user',
    params: GroupParams,
    query: IncomesQuery,
    reply: { 200: Type.Array(GroupIncome) },
    errors: [noSuchGroup, notFounder],
    load: ({ params, viewer }) => getOwnedGroup(ctx.sql, params.group, viewer.id),
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

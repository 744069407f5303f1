import { withWireTimes } from '#lib/time.ts'
import { IN_CURRENCY } from '#modules/ledger/index.ts'
import { UserView, withUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, type Tables, when } from '#platform/database'
import {
  Cursor,
  Int,
  Limit,
  Nullable,
  OneOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { getOwnedGroup } from './access/service.ts'
import { noSuchGroup, notFounder } from './errors.ts'
import { GroupParams } from './schema.ts'

const MAX_SECONDS = 9_999_999_999

const IncomesQuery = Type.Object({
  type: Type.Optional(OneOf(['all', 'join', 'pinned'], { default: 'all' })),
  start: Type.Optional(Int(0, MAX_SECONDS)),
  end: Type.Optional(Int(0, MAX_SECONDS)),
  after: Cursor,
  limit: Limit(),
})
type IncomesQuery = Static<typeof IncomesQuery>

const GroupIncome = Shared('GroupIncome', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  subject: Type.String({ description: 'New member, or the pinned post' }),
  type: Type.Integer({ description: '1 joining fee, 2 pin' }),
  amount: Type.Integer(IN_CURRENCY),
  currency: Type.String({ description: 'points or wallet' }),
  user_id: Type.Integer({ description: 'User who paid' }),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
})

type GroupIncomeRow = Tables['group_incomes']

function listIncomes(sql: Db, groupId: number, query: IncomesQuery) {
  const { type = 'all', start, end, after = 0, limit = 15 } = query
  return sql<GroupIncomeRow[]>`
    select i.id, i.group_id, i.subject, i.type, i.amount, i.currency, i.user_id, i.created_at from group_incomes i
    where i.group_id = ${groupId} ${when(sql, type !== 'all', () => sql`and i.type = ${type === 'join' ? 1 : 2}`)}
      ${ifGiven(sql, start, (seconds) => sql`and i.created_at >= to_timestamp(${seconds}::bigint)`)}
      ${ifGiven(sql, end, (seconds) => sql`and i.created_at <= to_timestamp(${seconds}::bigint)`)}
      ${when(sql, after > 0, () => sql`and i.id < ${after}`)}
    order by i.id desc limit ${limit}`
}

export async function addPinIncome(
  sql: Db,
  { groupId, subject, amount, userId }: { groupId: number; subject: string; amount: number; userId: number },
): Promise<void> {
  await sql`
    with earned as (
      insert into group_incomes (group_id, subject, type, amount, currency, user_id)
      values (${groupId}, ${subject}, 2, ${amount}, 'points', ${userId})
      returning group_id, amount
    )
    update group_counts n set pinned_income_count = n.pinned_income_count + e.amount
    from earned e where n.group_id = e.group_id`
}

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
      const shown = rows.map((row) => withWireTimes({ ...row, updated_at: row.created_at }))
      return withUser(ctx, shown, viewer.id)
    },
  })
}

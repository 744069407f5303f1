import { wireTime } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, listingClause, listingOrder, type Row } from '#platform/database'
import {
  Cursor,
  Id,
  Limit,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { Owner } from './admin/queries.ts'
import { CURRENCIES, type Currency, IN_CURRENCY } from './schema.ts'

const PAGE = 15

const common = {
  id: Type.Integer(),
  currency: Type.String({ description: 'points or wallet' }),
  title: Type.String(),
  body: Nullable(Type.String()),
  type: Type.Integer({ description: '1 income, -1 expense' }),
  amount: Type.Integer(IN_CURRENCY),
  state: Type.Integer({ description: '0 waiting, 1 done, -1 failed' }),
  refunded: Type.Boolean({ description: 'True for the refund of an earlier expense' }),
  number: Nullable(Type.String({ description: 'Number of the order at the former site' })),
  provider_number: Nullable(Type.String({ description: 'Number of the payment at its provider' })),
  created_at: Time,
}

const EarlierOrder = Shared('EarlierOrder', common)
const AdminEarlierOrder = Shared('AdminEarlierOrder', {
  ...common,
  owner_id: Type.Integer(),
  user: Owner,
  provider: Nullable(Type.String({ description: 'Payment provider, by its name at the former site' })),
  target_type: Type.String(),
  target_id: Type.String(),
  source: Type.String({ description: 'Table of the former site' }),
  source_id: Type.Integer(),
})

type Columns =
  | ('id' | 'owner_id' | 'title' | 'body' | 'amount' | 'state' | 'refunded' | 'number')
  | ('provider' | 'provider_number' | 'target_type' | 'target_id' | 'source' | 'source_id' | 'created_at')
type OrderRow = Row<'earlier_orders', Columns> & { currency: Currency }
type AdminRow = OrderRow & { user: Static<typeof Owner> }

const viewOf = (row: OrderRow): Static<typeof EarlierOrder> => {
  const { id, currency, title, body, amount, state, refunded, number, provider_number, created_at } = row
  return {
    ...{ id, currency, title, body, type: amount < 0 ? -1 : 1, amount: Math.abs(amount), state },
    ...{ refunded, number, provider_number, created_at: wireTime(created_at) },
  }
}

const listOwn = (
  sql: Db,
  ownerId: number,
  { after, limit, currency }: { after: number; limit: number; currency: Currency | undefined },
) => sql<OrderRow[]>`
  select * from earlier_orders o where o.owner_id = ${ownerId}
    ${ifGiven(sql, currency, (value) => sql`and o.currency = ${value}`)}
    ${
      after > 0
        ? sql`and (o.created_at, o.id) < (
            select p.created_at, p.id from earlier_orders p where p.id = ${after} and p.owner_id = ${ownerId})`
        : sql``
    }
  order by o.created_at desc, o.id desc limit ${limit}`

export function earlierOrderRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Wallet and points' })

  route('GET /wallet/earlier-orders', {
    operationId: 'listEarlierOrders',
    summary: 'List my transactions at the former site, newest first',
    access: 'user',
    query: Type.Object({ after: Cursor, limit: Limit(), currency: Type.Optional(OneOf(CURRENCIES)) }),
    reply: { 200: Type.Array(EarlierOrder) },
    handler: async ({ viewer, query: { after = 0, limit = PAGE, currency } }) =>
      (await listOwn(ctx.sql, viewer.id, { after, limit, currency })).map(viewOf),
  })
}

const EarlierOrderQuery = Type.Object({
  ...listingQuery(['id', 'created_at'] as const),
  currency: Type.Optional(OneOf(CURRENCIES)),
  user: Type.Optional(Id),
})

const withOwner = (sql: Db): Fragment => sql`
  o.*, (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = o.owner_id) as user`

function listAll(sql: Db, query: Static<typeof EarlierOrderQuery>) {
  const { currency, user, q, sort = 'id' } = query
  const where = sql`where true
    ${ifGiven(sql, currency, (value) => sql`and o.currency = ${value}`)}
    ${ifGiven(sql, user, (value) => sql`and o.owner_id = ${value}`)}
    ${ifGiven(
      sql,
      q,
      (value) => sql`and o.id in (
        select id from earlier_orders where number = ${value}
        union select id from earlier_orders where provider_number = ${value})`,
    )}`
  const by = { id: undefined, created_at: sql`o.created_at` }[sort]
  const list = { id: sql`o.id`, by, from: sql`earlier_orders o` }
  return pageOf<AdminRow>(
    sql,
    sql`select ${withOwner(sql)}
      from (select o.* from earlier_orders o ${where} ${listingClause(sql, query, list)}) o
      ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from earlier_orders o ${where}`,
  )
}

async function findOne(sql: Db, id: number): Promise<AdminRow | undefined> {
  const [row] = await sql<AdminRow[]>`select ${withOwner(sql)} from earlier_orders o where o.id = ${id}`
  return row
}

/** The orders of the former site, for questions about refunds and disputes. */
export function adminEarlierOrderRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/earlier-orders',
    tag: 'Admin: money',
    ability: 'admin: recharges',
    subject: 'earlier-orders',
    entity: 'EarlierOrder',
    noun: 'an order of the former site',
    nouns: 'orders of the former site',
    param: 'order',
    item: AdminEarlierOrder,
    query: EarlierOrderQuery,
    list: listAll,
    find: findOne,
    view: async (rows) =>
      rows.map((row) => {
        const { owner_id, user, provider, target_type, target_id, source, source_id } = row
        return { ...viewOf(row), owner_id, user, provider, target_type, target_id, source, source_id }
      }),
  })
}

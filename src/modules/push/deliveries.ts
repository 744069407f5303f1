import { escapeLike } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, listingOrder, type Tables } from '#platform/database'
import { Listing, listingQuery, OneOf, pageOf, routesOn, type Server, Shared, Type } from '#platform/http'

const WAYS = ['web', 'fcm', 'apns', 'jpush', 'gateway'] as const
export type PushWay = (typeof WAYS)[number]
export type PushOutcome = 'sent' | 'failed' | 'rejected' | 'gone'

const KEPT_DAYS = 90

export async function countOutcomes(
  sql: Db,
  outcomes: readonly { way: PushWay; outcome: PushOutcome }[],
): Promise<void> {
  if (outcomes.length === 0) return
  const ways = outcomes.map(({ way }) => way)
  const names = outcomes.map(({ outcome }) => outcome)
  await sql`
    insert into push_deliveries as p (day, way, sent, failed, rejected, gone)
    select (now() at time zone 'utc')::date, way, count(*) filter (where outcome = 'sent'),
      count(*) filter (where outcome = 'failed'), count(*) filter (where outcome = 'rejected'),
      count(*) filter (where outcome = 'gone')
    from unnest(${ways}::text[], ${names}::text[]) as o (way, outcome) group by way order by way
    on conflict (day, way) do update set sent = p.sent + excluded.sent, failed = p.failed + excluded.failed,
      rejected = p.rejected + excluded.rejected, gone = p.gone + excluded.gone`
}

export async function deleteOldOutcomes(sql: Db): Promise<void> {
  await sql`delete from push_deliveries where day < (now() at time zone 'utc')::date - ${KEPT_DAYS}::int`
}

const PushDelivery = Shared('PushDelivery', {
  id: Type.Integer(),
  day: Type.String({ description: 'Day in UTC' }),
  way: Type.String({ description: WAYS.join(', ') }),
  sent: Type.Integer(),
  failed: Type.Integer({ description: 'Failed attempts that are retried' }),
  rejected: Type.Integer({ description: 'Rejected by the service permanently' }),
  gone: Type.Integer({ description: 'Sent to devices that no longer exist and were removed' }),
})

const PushDeliveryQuery = Type.Object({
  ...listingQuery(['id'] as const),
  way: Type.Optional(OneOf(WAYS)),
})

export function adminPushDeliveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  routesOn(server, ctx, { tag: 'Admin: site' })('GET /admin/push-deliveries', {
    operationId: 'adminListPushDeliveries',
    summary: 'List the number of push messages by day, service and outcome',
    access: { ability: 'admin: health' },
    query: PushDeliveryQuery,
    reply: { 200: Listing(PushDelivery) },
    handler: ({ query }) => {
      const where = sql`where true ${ifGiven(sql, query.way, (way) => sql`and p.way = ${way}`)}
        ${ifGiven(sql, query.q, (part) => sql`and p.way like ${`%${escapeLike(part)}%`}`)}`
      const list = { id: sql`p.id` }
      return pageOf<Tables['push_deliveries']>(
        sql,
        sql`select p.*, p.day::text as day
          from (select p.* from push_deliveries p ${where} ${listingClause(sql, query, list)}) p
          ${listingOrder(sql, query, list)}`,
        sql`select count(*)::int as total from push_deliveries p ${where}`,
      )
    },
  })
}

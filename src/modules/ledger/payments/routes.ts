import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, listingOrder, type Tables, transaction } from '#platform/database'
import {
  Empty,
  encapsulate,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { alreadyDecided } from '../schema.ts'
import { receiveNotice } from './notices.ts'
import { BadNotice, PaymentFault, paymentService } from './providers/choose.ts'

const MAX_NOTICE = 256 * 1024
const Provider = Type.Object({ provider: Type.String({ maxLength: 20 }) })

/** Receives webhook requests of payment providers, outside the API's rate limit for guests (money-20). */
export function paymentNoticeRoutes(server: Server, ctx: Context) {
  encapsulate(server, (scope) => {
    scope.removeAllContentTypeParsers()
    // Does not parse the body, because the provider's signature covers its raw bytes.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(
      '/payments/:provider/notices',
      {
        bodyLimit: MAX_NOTICE,
        config: { access: 'public' },
        // Rejects unknown providers before the server reads the body.
        onRequest: async (request, reply) => {
          if (!(await paymentService(ctx.config.payments, request.params.provider)))
            return reply.code(404).type('text/plain').send('no such provider')
        },
        schema: { hide: true, params: Provider, response: { '2xx': {}, '4xx': {} } },
      },
      async (request, reply) => {
        const { provider } = request.params
        const service = (await paymentService(ctx.config.payments, provider))!
        const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
        try {
          const facts = await service.readNotice({ headers: request.headers, body })
          if (facts) await receiveNotice(ctx, provider, 'notice', facts)
        } catch (error) {
          if (!(error instanceof BadNotice || error instanceof PaymentFault)) throw error
          ctx.log.warn({ provider, reason: error.message }, 'a payment notice was refused')
          return reply.code(400).type('text/plain').send('refused')
        }
        const { status, type, body: text } = service.acknowledgement
        return reply.code(status).type(type).send(text)
      },
    )
  })
}

const Difference = Shared('PaymentDifference', {
  id: Type.Integer(),
  provider: Type.String(),
  day: Type.String({ description: 'Day of the statement or of the notice' }),
  kind: Type.String({
    description:
      'unknown: payment without an order; amount: different amount or currency; uncredited: paid but not credited; refund: refunded at the provider only; missing: credited but not on the statement; refund_failed: the provider could not pay a completed refund; payment_failed: the payer’s bank returned a completed payment',
  }),
  number: Type.String({ description: 'Number of the payment at the provider, or of the failed refund' }),
  recharge_id: Nullable(Type.Integer()),
  expected: Nullable(
    Type.Integer({ description: 'Amount of the order, in the minor unit of `charge_currency`' }),
  ),
  charge_currency: Nullable(Type.String({ description: 'Currency of the order. Null without an order' })),
  found: Nullable(
    Type.Integer({ description: 'Amount at the provider, in the minor unit of `found_currency`' }),
  ),
  found_currency: Nullable(
    Type.String({ description: 'Currency at the provider. Null when the provider gave none' }),
  ),
  state: Type.String({ description: 'open or resolved' }),
  remark: Nullable(Type.String()),
  resolved_by: Nullable(Type.Integer()),
  resolved_at: Nullable(Time),
  created_at: Time,
})

const DifferenceQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(['open', 'resolved'] as const)),
})
const DifferenceParams = Type.Object({ difference: Id })
const Resolution = Shared('PaymentDifferenceResolution', { remark: Text(255) })

type Row = Tables['payment_differences'] & { charge_currency: string | null }

const view = (row: Row): Static<typeof Difference> => ({
  ...row,
  state: row.resolved_at === null ? 'open' : 'resolved',
  resolved_at: wireTimeOrNull(row.resolved_at),
  created_at: wireTime(row.created_at),
})

const columns = (sql: Db) => sql`
  d.*, d.day::text as day,
  (select p.charge_currency from payments p where p.recharge_id = d.recharge_id) as charge_currency`

function listDifferences(sql: Db, query: Static<typeof DifferenceQuery>) {
  const where = sql`where true ${ifGiven(sql, query.state, (state) =>
    state === 'open' ? sql`and d.resolved_at is null` : sql`and d.resolved_at is not null`,
  )} ${ifGiven(sql, query.q, (part) => sql`and d.number like ${`%${escapeLike(part)}%`}`)}`
  const list = { id: sql`d.id` }
  return pageOf<Row>(
    sql,
    sql`select ${columns(sql)}
      from (select d.* from payment_differences d ${where} ${listingClause(sql, query, list)}) d
      ${listingOrder(sql, query, list)}`,
    sql`select count(*)::int as total from payment_differences d ${where}`,
  )
}

const findDifference = async (sql: Db, id: number) =>
  (await sql<Row[]>`select ${columns(sql)} from payment_differences d where id = ${id}`)[0]

export function adminPaymentRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: money' })
  const access = { ability: 'admin: recharges' }

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/payment-differences',
    tag: 'Admin: money',
    ability: access.ability,
    subject: 'payment_differences',
    entity: 'PaymentDifference',
    noun: 'a payment difference',
    nouns: 'differences between the statements of payment providers and the ledger',
    param: 'difference',
    item: Difference,
    query: DifferenceQuery,
    list: listDifferences,
    find: findDifference,
    view: async (rows) => rows.map(view),
  })

  route('PATCH /admin/payment-differences/:difference', {
    operationId: 'adminResolvePaymentDifference',
    summary: 'Resolve a payment difference with a remark, once',
    access,
    params: DifferenceParams,
    body: Resolution,
    reply: { 204: Empty },
    errors: [alreadyDecided],
    load: ({ params }) => get(params.difference),
    handler: (call) =>
      transaction(ctx.sql, async (tx) => {
        const { difference: id } = call.params
        const { remark } = call.body
        const rows = await tx`
          update payment_differences set resolved_at = now(), resolved_by = ${call.viewer.id}, remark = ${remark}
          where id = ${id} and resolved_at is null returning id`
        if (rows.length === 0) throw alreadyDecided()
        await recordAudit(tx, call, {
          action: 'payment_differences.resolve',
          subjectType: 'payment_differences',
          subjectId: id,
          after: { remark },
        })
      }),
  })
}

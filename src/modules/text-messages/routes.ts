import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { ifGiven, listingClause, listingOrder, type Tables, transaction } from '#platform/database'
import {
  encapsulate,
  Listing,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  Time,
  Type,
} from '#platform/http'
import { saveReceipt } from './service.ts'
import { isReceiptKey, smsSender } from './services/sender.ts'
import { BadReceipt } from './services/text-service.ts'

const STATES = ['accepted', 'delivered', 'failed', 'refused'] as const

const TextMessageView = Shared('TextMessage', {
  id: Type.Integer(),
  service: Type.String({
    description: 'Service that accepted the message; when none did, all services that refused it',
  }),
  reference: Nullable(Type.String({ description: 'Id of the message at the service' })),
  purpose: Type.String({ description: 'code, alert or message' }),
  country: Type.String(),
  ending: Type.String({ description: 'Last four digits of the number' }),
  state: Type.String({ description: 'accepted, delivered, failed or refused' }),
  fault: Nullable(
    Type.String({ description: 'Error codes of services that refused or did not deliver the message' }),
  ),
  created_at: Time,
  reported_at: Nullable(Time),
})

const TextMessageQuery = Type.Object({
  ...listingQuery(['id'] as const),
  state: Type.Optional(OneOf(STATES)),
})

type TextRow = Tables['text_messages']

/** Lists text messages without their texts, and with only the last four digits of phone numbers. */
export function adminTextMessageRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  routesOn(server, ctx, { tag: 'Admin: site' })('GET /admin/text-messages', {
    operationId: 'adminListTextMessages',
    summary: 'List text messages of the last 30 days; q is the last four digits of a number',
    access: { ability: 'admin: health' },
    query: TextMessageQuery,
    reply: { 200: Listing(TextMessageView) },
    handler: async ({ query }) => {
      const where = sql`where t.purpose is not null
        ${ifGiven(sql, query.state, (state) => sql`and t.state = ${state}`)}
        ${ifGiven(sql, query.q, (ending) => sql`and t.number_ending = ${ending.slice(-4)}`)}`
      const list = { id: sql`t.id` }
      const { data, total } = await pageOf<TextRow>(
        sql,
        sql`select t.* from (select t.* from text_messages t ${where} ${listingClause(sql, query, list)}) t
          ${listingOrder(sql, query, list)}`,
        sql`select count(*)::int as total from text_messages t ${where}`,
      )
      return {
        data: data.map((row) => ({
          id: row.id,
          service: row.service,
          reference: row.service_reference,
          purpose: row.purpose ?? '',
          country: row.country ?? '',
          ending: row.number_ending ?? '',
          state: row.state,
          fault: row.fault,
          created_at: wireTime(row.created_at),
          reported_at: wireTimeOrNull(row.reported_at),
        })),
        total,
      }
    },
  })
}

const MAX_REPORT = 256 * 1024
const Receipt = Type.Object({ service: Type.String({ maxLength: 20 }), key: Type.String({ maxLength: 64 }) })

/**
 * Receives delivery reports outside the API, where the guest rate limit does not apply. The URL contains a
 * secret, because most services sign nothing.
 */
export function receiptRoutes(server: Server, ctx: Context) {
  encapsulate(server, (scope) => {
    scope.removeAllContentTypeParsers()
    // Keeps the body unparsed, because the signature of a report covers the raw body.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(
      '/text-messages/:service/receipts/:key',
      {
        bodyLimit: MAX_REPORT,
        config: { access: 'public' },
        // Rejects unknown services and wrong keys before the server reads the body.
        onRequest: async (request, reply) => {
          const { service, key } = request.params
          if (!smsSender(ctx).services[service]?.receipts || !isReceiptKey(ctx, service, key))
            return reply.code(404).type('text/plain').send('no such receipt URL')
        },
        schema: { hide: true, params: Receipt, response: { '2xx': {}, '4xx': {} } },
      },
      async (request, reply) => {
        const { service } = request.params
        const receipts = smsSender(ctx).services[service]!.receipts!
        const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
        try {
          const reports = receipts.read({ headers: request.headers, body })
          await transaction(ctx.sql, async (tx) => {
            for (const report of reports) await saveReceipt(tx, service, report)
          })
        } catch (error) {
          if (!(error instanceof BadReceipt)) throw error
          ctx.log.warn({ service, reason: error.message }, 'a report about a text message was refused')
          return reply.code(400).type('text/plain').send('refused')
        }
        const { type, body: text } = receipts.acknowledgement
        return reply.code(200).type(type).send(text)
      },
    )
  })
}

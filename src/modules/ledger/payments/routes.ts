import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { encapsulate, type Server, Type } from '#platform/http'
import { BadNotice, PaymentFault, paymentService } from '#platform/payments'
import { applyFacts } from './service.ts'

const MAX_NOTICE = 256 * 1024
const Provider = Type.Object({ provider: Type.String({ maxLength: 20 }) })

/**
 * Notices of payment providers (money-20). The address is outside of the API, so that a provider that sends many
 * from one address is not counted as a guest. A notice changes nothing until its signature is verified.
 */
export function paymentNoticeRoutes(server: Server, ctx: Context) {
  encapsulate(server, (scope) => {
    scope.removeAllContentTypeParsers()
    // The signature covers the bytes as they came.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(
      '/payments/:provider/notices',
      {
        bodyLimit: MAX_NOTICE,
        config: { access: 'public' },
        // Before the body is read.
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
          if (facts && !(await transaction(ctx.sql, (tx) => applyFacts(tx, provider, facts))))
            ctx.log.info({ provider }, 'a notice is about a payment of another site')
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

import type { FastifyRequest } from 'fastify'
import { confirmRecharge, rejectRecharge } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { findOneRecharge, listAllRecharges } from '../queries.ts'
import { Recharge, RechargeDecision, RechargeListing, RechargeParams, RechargeQuery } from '../schema.ts'
import { withTimes } from '../view.ts'

const referenceMissing = () =>
  invalidField('reference', {
    en: 'The reference field is required to accept a payment.',
    zh: '确认充值时 reference 不能为空。',
  })

/** Decisions on payments that people say to have made. */
export function adminRechargeRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: recharges' }
  const getRecharge = async (request: FastifyRequest) => {
    const row = await findOneRecharge(sql, (request.params as { recharge: number }).recharge)
    if (!row) throw notFound()
    return row
  }

  server.get(
    '/admin/recharges',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Orders to pay money in',
        querystring: RechargeQuery,
        response: { 200: RechargeListing },
      },
    },
    async (request) => {
      const { data, total } = await listAllRecharges(sql, request.query)
      return { data: data.map(withTimes), total }
    },
  )

  server.get(
    '/admin/recharges/:recharge',
    {
      config: { access },
      schema: { tags, params: RechargeParams, response: { 200: Recharge } },
    },
    async (request) => withTimes(await getRecharge(request)),
  )

  server.patch(
    '/admin/recharges/:recharge',
    {
      config: { access, before: getRecharge },
      schema: {
        tags,
        summary: 'Confirm a payment by its reference, or close the order, once',
        params: RechargeParams,
        body: RechargeDecision,
        response: { 204: Empty },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        await getRecharge(request)
        const { recharge: id } = request.params
        const { action, reference, remark = null } = request.body
        const by = viewerOf(request).id
        return atomically(async (tx) => {
          if (action === 'accept' && reference === undefined) throw referenceMissing()
          const row =
            reference !== undefined && action === 'accept'
              ? await confirmRecharge(tx, id, { reference, remark, by })
              : await rejectRecharge(tx, id, { remark, by })
          await recordAudit(tx, request, {
            action: `recharges.${action}`,
            subjectType: 'recharges',
            subjectId: id,
            before: { state: 'pending' },
            after: { state: row.state, reference: row.reference, remark, credited: row.credited },
          })
          return { status: 204 }
        })
      }),
  )
}

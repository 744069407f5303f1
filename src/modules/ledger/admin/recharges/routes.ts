import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { alreadyDecided, referenceUsed } from '../../errors.ts'
import { confirmRecharge, rejectRecharge } from '../../recharges/service.ts'
import { findRequest, listRequests } from '../queries.ts'
import { withTimes } from '../view.ts'
import { AdminRecharge, RechargeDecision, RechargeParams, RechargeQuery } from './schema.ts'

const referenceMissing = fieldError(
  'reference',
  'validation_failed',
  'The reference field is required to accept a payment.',
  '确认充值时 reference 不能为空。',
)

/** Decisions on payments that people say to have made (money-9). */
export function adminRechargeRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: money' })
  const access = { ability: 'admin: recharges' }
  const getRecharge = async (id: number) => {
    const row = await findRequest<AdminRecharge>(sql, 'recharges', id)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/recharges', {
    operationId: 'adminListRecharges',
    summary: 'List orders to pay money in',
    access,
    query: RechargeQuery,
    reply: { 200: Listing(AdminRecharge) },
    handler: async ({ query }) => {
      const { data, total } = await listRequests<AdminRecharge>(sql, 'recharges', query)
      return { data: data.map(withTimes), total }
    },
  })

  route('GET /admin/recharges/:recharge', {
    operationId: 'adminGetRecharge',
    summary: 'Read an order to pay money in',
    access,
    params: RechargeParams,
    reply: { 200: AdminRecharge },
    handler: async ({ params }) => withTimes(await getRecharge(params.recharge)),
  })

  route('PATCH /admin/recharges/:recharge', {
    operationId: 'adminDecideRecharge',
    summary: 'Confirm a payment by its reference, or close the order, once',
    access,
    params: RechargeParams,
    body: RechargeDecision,
    reply: { 204: Empty },
    errors: [referenceMissing, referenceUsed, alreadyDecided],
    load: ({ params }) => getRecharge(params.recharge),
    idempotent: true,
    handler: (call) => {
      const { recharge: id } = call.params
      const { action, reference, remark = null } = call.body
      const by = call.viewer.id
      return call.atomically(async (tx) => {
        if (action === 'accept' && reference === undefined) throw referenceMissing()
        const row =
          reference !== undefined && action === 'accept'
            ? await confirmRecharge(tx, id, { reference, remark, by })
            : await rejectRecharge(tx, id, { remark, by })
        await recordAudit(tx, call, {
          action: `recharges.${action}`,
          subjectType: 'recharges',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: row.state, reference: row.reference, remark, credited: row.credited },
        })
      })
    },
  })
}

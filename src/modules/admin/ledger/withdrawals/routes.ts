import type { FastifyRequest } from 'fastify'
import { decideWithdrawal } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { findOneWithdrawal, listAllWithdrawals } from '../queries.ts'
import {
  Withdrawal,
  WithdrawalDecision,
  WithdrawalListing,
  WithdrawalParams,
  WithdrawalQuery,
} from '../schema.ts'
import { withTimes } from '../view.ts'

/** Decisions on money that people want out. */
export function adminWithdrawalRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: withdrawals' }
  const getWithdrawal = async (request: FastifyRequest) => {
    const row = await findOneWithdrawal(sql, (request.params as { withdrawal: number }).withdrawal)
    if (!row) throw notFound()
    return row
  }

  server.get(
    '/admin/withdrawals',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Requests to take money or points out',
        querystring: WithdrawalQuery,
        response: { 200: WithdrawalListing },
      },
    },
    async (request) => {
      const { data, total } = await listAllWithdrawals(sql, request.query)
      return { data: data.map(withTimes), total }
    },
  )

  server.get(
    '/admin/withdrawals/:withdrawal',
    {
      config: { access },
      schema: { tags, params: WithdrawalParams, response: { 200: Withdrawal } },
    },
    async (request) => withTimes(await getWithdrawal(request)),
  )

  server.patch(
    '/admin/withdrawals/:withdrawal',
    {
      config: { access, before: getWithdrawal },
      schema: {
        tags,
        summary: 'Pay a withdrawal out, or give it back, once; who asked is told',
        params: WithdrawalParams,
        body: WithdrawalDecision,
        response: { 204: Empty },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, (atomically) =>
        atomically(async (tx) => {
          const { withdrawal: id } = request.params
          const { action, remark = null } = request.body
          const decision = { passed: action === 'accept', remark, by: viewerOf(request).id }
          const row = await decideWithdrawal(tx, id, decision)
          await recordAudit(tx, request, {
            action: `withdrawals.${action}`,
            subjectType: 'withdrawals',
            subjectId: id,
            before: { state: 'pending' },
            after: { state: row.state, remark, amount: row.amount, currency: row.currency },
          })
          const wallet = row.currency === 'wallet'
          const kind = wallet ? 'wallet-cashes' : 'currency-cashes'
          await notify(tx, {
            type: 'system',
            recipients: [row.owner_id],
            senderId: 0,
            cause: { type: kind, id },
            data: {
              type: wallet ? 'user-cash' : 'user-currency:cash',
              state: row.state,
              resource: { type: kind, id },
              ...(remark === null ? {} : { remark }),
            },
          })
          return { status: 204 }
        }),
      ),
  )
}

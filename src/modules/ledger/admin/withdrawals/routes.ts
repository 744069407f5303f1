import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { alreadyDecided } from '../../errors.ts'
import type { WithdrawalRow } from '../../withdrawals/queries.ts'
import { decideWithdrawal } from '../../withdrawals/service.ts'
import { findRequest, listRequests } from '../queries.ts'
import { withTimes } from '../view.ts'
import { AdminWithdrawal, WithdrawalDecision, WithdrawalParams, WithdrawalQuery } from './schema.ts'

/** Tells somebody what became of a withdrawal; the module of notifications knows how. */
export type TellOwner = (
  tx: Tx,
  notice: {
    type: 'system'
    recipients: number[]
    senderId: number
    cause: { type: string; id: number }
    data: {
      type: 'user-cash' | 'user-currency:cash'
      state: string
      resource: { type: string; id: number }
      remark?: string
    }
  },
) => Promise<void>

const noticeOf = ({ id, owner_id, currency, state, remark }: WithdrawalRow) => {
  const isMoney = currency === 'wallet'
  const resource = { type: isMoney ? 'wallet-cashes' : 'currency-cashes', id }
  return {
    type: 'system' as const,
    recipients: [owner_id],
    senderId: 0,
    cause: resource,
    data: {
      type: isMoney ? ('user-cash' as const) : ('user-currency:cash' as const),
      state,
      resource,
      ...(remark === null ? {} : { remark }),
    },
  }
}

/** Decisions on money that people want out (money-10). */
export const adminWithdrawalRoutes = (tellOwner: TellOwner) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: money' })
  const access = { ability: 'admin: withdrawals' }
  const getWithdrawal = async (id: number) => {
    const row = await findRequest<AdminWithdrawal>(sql, 'withdrawals', id)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/withdrawals', {
    operationId: 'adminListWithdrawals',
    summary: 'List requests to take money or points out',
    access,
    query: WithdrawalQuery,
    reply: { 200: Listing(AdminWithdrawal) },
    handler: async ({ query }) => {
      const { data, total } = await listRequests<AdminWithdrawal>(sql, 'withdrawals', query)
      return { data: data.map(withTimes), total }
    },
  })

  route('GET /admin/withdrawals/:withdrawal', {
    operationId: 'adminGetWithdrawal',
    summary: 'Read a request to take money or points out',
    access,
    params: WithdrawalParams,
    reply: { 200: AdminWithdrawal },
    handler: async ({ params }) => withTimes(await getWithdrawal(params.withdrawal)),
  })

  route('PATCH /admin/withdrawals/:withdrawal', {
    operationId: 'adminDecideWithdrawal',
    summary: 'Pay a withdrawal out, or give it back, once; who asked is told',
    access,
    params: WithdrawalParams,
    body: WithdrawalDecision,
    reply: { 204: Empty },
    errors: [alreadyDecided],
    whenInvalid: ({ params }) => getWithdrawal(params.withdrawal),
    idempotent: true,
    handler: (call) =>
      call.atomically(async (tx) => {
        const { withdrawal: id } = call.params
        const { action, remark = null } = call.body
        const row = await decideWithdrawal(tx, id, {
          passed: action === 'accept',
          remark,
          by: call.viewer.id,
        })
        await recordAudit(tx, call, {
          action: `withdrawals.${action}`,
          subjectType: 'withdrawals',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: row.state, remark, amount: row.amount, currency: row.currency },
        })
        await tellOwner(tx, noticeOf(row))
      }),
  })
}

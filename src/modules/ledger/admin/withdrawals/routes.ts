import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Empty,
  Id,
  Listing,
  Nullable,
  OneOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import { alreadyDecided, IN_CURRENCY } from '../../schema.ts'
import { decideWithdrawal, type WithdrawalRow } from '../../withdrawals.ts'
import { decided, findRequest, listRequests, Owner, requestQuery, withTimes } from '../queries.ts'

const WithdrawalQuery = requestQuery(['pending', 'passed', 'rejected'])

export const AdminWithdrawal = Shared('AdminWithdrawal', {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: Owner,
  currency: Type.String(),
  amount: Type.Integer(IN_CURRENCY),
  payout: Type.Integer({ description: 'What is paid for it, in fen: 15000 is 150.00 CNY' }),
  type: Nullable(Type.String()),
  account: Nullable(Type.String()),
  state: Type.String({ description: 'pending, passed or rejected' }),
  ...decided,
})
export type AdminWithdrawal = Static<typeof AdminWithdrawal>
const WithdrawalParams = Type.Object({ withdrawal: Id })

const WithdrawalDecision = Shared('WithdrawalDecision', {
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})

/** Injected, because this module may not import notifications. */
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
    summary: 'List withdrawals',
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
    summary: 'Read a withdrawal',
    access,
    params: WithdrawalParams,
    reply: { 200: AdminWithdrawal },
    handler: async ({ params }) => withTimes(await getWithdrawal(params.withdrawal)),
  })

  route('PATCH /admin/withdrawals/:withdrawal', {
    operationId: 'adminDecideWithdrawal',
    summary: 'Pay out or return a withdrawal once; the requester is notified',
    access,
    params: WithdrawalParams,
    body: WithdrawalDecision,
    reply: { 204: Empty },
    errors: [alreadyDecided],
    precheck: ({ params }) => getWithdrawal(params.withdrawal),
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

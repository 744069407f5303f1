import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { Nullable, OneOf, type Server, Shared, type Static, Text, Type } from '#platform/http'
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
  payout: Type.Integer({ description: 'Amount to pay out, in fen: 15000 is 150.00 CNY' }),
  type: Nullable(Type.String()),
  account: Nullable(Type.String()),
  state: Type.String({ description: 'pending, passed or rejected' }),
  ...decided,
})
export type AdminWithdrawal = Static<typeof AdminWithdrawal>

const WithdrawalDecision = Shared('WithdrawalDecision', {
  action: OneOf(['accept', 'reject'] as const),
  remark: Type.Optional(Text(255)),
})

/** Notifies the owner of a decided withdrawal. Injected, because this module cannot import notifications. */
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
  mountAdminRecords(server, ctx, {
    path: '/admin/withdrawals',
    tag: 'Admin: money',
    ability: 'admin: withdrawals',
    subject: 'withdrawals',
    entity: 'Withdrawal',
    noun: 'a withdrawal',
    nouns: 'withdrawals',
    param: 'withdrawal',
    item: AdminWithdrawal,
    query: WithdrawalQuery,
    list: (sql, query) => listRequests<AdminWithdrawal>(sql, 'withdrawals', query),
    find: (sql, id) => findRequest<AdminWithdrawal>(sql, 'withdrawals', id),
    view: async (rows) => rows.map(withTimes),
    decide: {
      summary: 'Pay out or return a withdrawal once; the requester is notified',
      body: WithdrawalDecision,
      errors: [alreadyDecided],
      idempotent: true,
      async run(tx, by, { id }, { action, remark = null }) {
        const row = await decideWithdrawal(tx, id, { passed: action === 'accept', remark, by })
        await tellOwner(tx, noticeOf(row))
        return { after: { state: row.state, remark, amount: row.amount, currency: row.currency } }
      },
    },
  })
}

import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import { Nullable, OneOf, type Server, Shared, type Static, Text, Type } from '#platform/http'
import { confirmRecharge, rejectRecharge } from '../../recharges/service.ts'
import { alreadyDecided, referenceUsed } from '../../schema.ts'
import { decided, findRequest, listRequests, Owner, requestQuery, withTimes } from '../queries.ts'

const RechargeQuery = requestQuery(['pending', 'confirmed', 'rejected'])

export const AdminRecharge = Shared('AdminRecharge', {
  id: Type.Integer(),
  owner_id: Type.Integer(),
  user: Owner,
  currency: Type.String(),
  provider: Type.String(),
  amount: Type.Integer({ description: 'Amount to pay, in fen: 15000 is 150.00 CNY' }),
  credited: Type.Integer({ description: 'Amount to credit, in points or in fen of the wallet' }),
  state: Type.String({ description: 'pending, confirmed or rejected' }),
  charged: Nullable(
    Type.Integer({
      description:
        'Amount that the provider charges, in the minor unit of `charge_currency`. Null without a provider',
    }),
  ),
  charge_currency: Nullable(Type.String({ description: 'Currency code, such as cny' })),
  refunded: Nullable(
    Type.Integer({ description: 'Refunded part of `charged`, in the minor unit of `charge_currency`' }),
  ),
  payment: Nullable(
    Type.String({
      description:
        'opened, pending, paid (and not credited), credited, expired, failed, refunded or disputed',
    }),
  ),
  dispute: Nullable(Type.String({ description: 'State of a dispute by the payer: open, won or lost' })),
  fee: Nullable(
    Type.Integer({
      description: 'Fee of the provider by its statement, in the minor unit of `fee_currency`',
    }),
  ),
  fee_currency: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  ...decided,
})
export type AdminRecharge = Static<typeof AdminRecharge>

const RechargeDecision = Shared('RechargeDecision', {
  action: OneOf(['accept', 'reject'] as const),
  reference: Type.Optional(Text(255)),
  remark: Type.Optional(Text(255)),
})

const referenceMissing = fieldError(
  'reference',
  'validation_failed',
  'The reference field is required to accept a payment.',
  '确认充值时凭证号不能为空。',
)

export function adminRechargeRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/recharges',
    tag: 'Admin: money',
    ability: 'admin: recharges',
    subject: 'recharges',
    entity: 'Recharge',
    noun: 'a recharge order',
    nouns: 'recharge orders',
    param: 'recharge',
    item: AdminRecharge,
    query: RechargeQuery,
    list: (sql, query) => listRequests<AdminRecharge>(sql, 'recharges', query),
    find: (sql, id) => findRequest<AdminRecharge>(sql, 'recharges', id),
    view: async (rows) => rows.map(withTimes),
    decide: {
      summary: 'Confirm a payment by its reference, or close the order, once',
      body: RechargeDecision,
      errors: [referenceMissing, referenceUsed, alreadyDecided],
      idempotent: true,
      async run(tx, by, { id }, { action, reference, remark = null }) {
        if (action === 'accept' && reference === undefined) throw referenceMissing()
        const row =
          reference !== undefined && action === 'accept'
            ? await confirmRecharge(tx, id, { reference, remark, by })
            : await rejectRecharge(tx, id, { remark, by })
        return { after: { state: row.state, reference: row.reference, remark, credited: row.credited } }
      },
    },
  })
}

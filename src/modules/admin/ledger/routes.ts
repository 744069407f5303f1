import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import {
  auditLedger,
  type Currency,
  confirmRecharge,
  decideWithdrawal,
  findBalance,
  move,
  notEnough,
  PLATFORM,
  rejectRecharge,
} from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import {
  findOneRecharge,
  findOneWithdrawal,
  isUser,
  listAllRecharges,
  listAllWithdrawals,
  listPostings,
} from './queries.ts'
import {
  Adjustment,
  AuditReport,
  Balance,
  LedgerQuery,
  PostingListing,
  Recharge,
  RechargeDecision,
  RechargeListing,
  RechargeParams,
  RechargeQuery,
  UserParams,
  Withdrawal,
  WithdrawalDecision,
  WithdrawalListing,
  WithdrawalParams,
  WithdrawalQuery,
} from './schema.ts'

const tags = ['Administration']

const nothingToMove = () =>
  invalidField('amount', { en: 'The amount may not be zero.', zh: '数额不能为零。' })
const referenceMissing = () =>
  invalidField('reference', {
    en: 'The reference field is required to accept a payment.',
    zh: '确认充值时 reference 不能为空。',
  })

type Decided = { created_at: string; updated_at: string; decided_at: string | null }
const withTimes = <T extends Decided>(row: T): T => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  decided_at: wireTimeOrNull(row.decided_at),
})

/** What people own: looked at, given and taken. */
export function adminBalanceRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const areas = [
    ['points', 'points', 'admin: currency'],
    ['wallet', 'wallet', 'admin: wallet'],
  ] as const satisfies [string, Currency, string][]

  const requireUser = async (request: FastifyRequest) => {
    if (!(await isUser(sql, (request.params as { user: number }).user))) throw notFound()
  }

  for (const [path, currency, ability] of areas) {
    server.get(
      `/admin/users/:user/${path}`,
      {
        config: { access: { ability }, before: requireUser },
        schema: {
          tags,
          summary: `The ${path} of a user, with every movement`,
          params: UserParams,
          querystring: LedgerQuery,
          response: { 200: PostingListing },
        },
      },
      async (request) => {
        await requireUser(request)
        const { user } = request.params
        const [{ data, total }, balance] = await Promise.all([
          listPostings(sql, user, currency, request.query),
          findBalance(sql, user, currency),
        ])
        return { data: data.map((row) => ({ ...row, created_at: wireTime(row.created_at) })), total, balance }
      },
    )

    server.post(
      `/admin/users/:user/${path}`,
      {
        config: { access: { ability }, before: requireUser },
        schema: {
          tags,
          summary: `Give ${path} to a user, or take them with a negative amount`,
          params: UserParams,
          body: Adjustment,
          response: { 201: Balance },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          await requireUser(request)
          const { user } = request.params
          const { amount, reason } = request.body
          if (amount === 0) throw nothingToMove()
          const { issuance } = PLATFORM
          return atomically(async (tx) => {
            const posted = await move(
              tx,
              {
                currency,
                amount: Math.abs(amount),
                ...(amount > 0 ? { from: issuance, to: user } : { from: user, to: issuance }),
                kind: 'adjustment',
                subject: { type: 'users', id: viewerOf(request).id },
                body: reason,
              },
              notEnough,
            )
            const balance = posted.find(({ owner_id }) => owner_id === user)?.balance_after ?? 0
            await recordAudit(tx, request, {
              action: `${path}.adjust`,
              subjectType: 'users',
              subjectId: user,
              before: { balance: balance - amount },
              after: { balance, amount, reason },
            })
            return { status: 201, body: { balance } }
          })
        }),
    )
  }
}

/** Decisions on money that people want out, and on payments that they say to have made. */
export function adminPaymentRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const withdrawals = { ability: 'admin: withdrawals' }
  const recharges = { ability: 'admin: recharges' }

  const getWithdrawal = async (request: FastifyRequest) => {
    const row = await findOneWithdrawal(sql, (request.params as { withdrawal: number }).withdrawal)
    if (!row) throw notFound()
    return row
  }
  const getRecharge = async (request: FastifyRequest) => {
    const row = await findOneRecharge(sql, (request.params as { recharge: number }).recharge)
    if (!row) throw notFound()
    return row
  }

  server.get(
    '/admin/withdrawals',
    {
      config: { access: withdrawals },
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
      config: { access: withdrawals },
      schema: { tags, params: WithdrawalParams, response: { 200: Withdrawal } },
    },
    async (request) => withTimes(await getWithdrawal(request)),
  )

  server.patch(
    '/admin/withdrawals/:withdrawal',
    {
      config: { access: withdrawals, before: getWithdrawal },
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

  server.get(
    '/admin/recharges',
    {
      config: { access: recharges },
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
      config: { access: recharges },
      schema: { tags, params: RechargeParams, response: { 200: Recharge } },
    },
    async (request) => withTimes(await getRecharge(request)),
  )

  server.patch(
    '/admin/recharges/:recharge',
    {
      config: { access: recharges, before: getRecharge },
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

/** The audit of the ledger; `checks` are those of modules that keep money in escrow. */
export const adminLedgerRoutes =
  (checks: CounterCheck[]) =>
  (server: Server, { sql }: Context) => {
    server.get(
      '/admin/ledger/audit',
      {
        config: { access: { ability: 'admin: ledger' } },
        schema: {
          tags,
          summary: 'Checks that nothing was lost, minted or charged twice',
          response: { 200: AuditReport },
        },
      },
      () => auditLedger(sql, checks),
    )
  }

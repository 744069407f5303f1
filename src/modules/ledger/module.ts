import type { CounterCheck } from '#contracts/counters.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Queue, Series, Statistics } from '#contracts/statistics.ts'
import type { Context } from '#platform/context.ts'
import { deleteOldKeys, routesOn, type Server, Shared, Type } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminBalanceRoutes } from './admin/balances/routes.ts'
import { adminRechargeRoutes } from './admin/recharges/routes.ts'
import { adminWithdrawalRoutes } from './admin/withdrawals/routes.ts'
import { auditLedger, ledgerChecks, writeCheckpoints } from './audit.ts'
import { returnWithdrawals } from './deleted-accounts.ts'
import { adminEarlierOrderRoutes, earlierOrderRoutes } from './earlier-orders.ts'
import { exchangeRoutes } from './exchange.ts'
import { orderRoutes } from './orders/routes.ts'
import { adminNoticeRoutes, deleteOldNotices, pursueNotices, queryDisputes } from './payments/notices.ts'
import { compareStatements, paymentProbe, queryDuePayments } from './payments/reconcile.ts'
import { adminRefundRoutes } from './payments/refunds/routes.ts'
import { requestDueRefunds, requestRefundOf } from './payments/refunds/service.ts'
import { adminPaymentRoutes, paymentNoticeRoutes } from './payments/routes.ts'
import { rechargeOrderRoutes, rechargeRoutes } from './recharges/routes.ts'
import { type Currency, IN_CURRENCY } from './schema.ts'
import { LEDGER_SETTINGS } from './settings.ts'
import { withdrawalRoutes } from './withdrawals.ts'

const Totals = Shared('LedgerTotals', {
  people: Type.Integer(IN_CURRENCY),
  escrow: Type.Integer(IN_CURRENCY),
  income: Type.Integer(IN_CURRENCY),
  issuance: Type.Integer(IN_CURRENCY),
  sum: Type.Integer({ description: 'In points or fen; always 0 in a consistent ledger' }),
})

const AuditReport = Shared('LedgerAudit', {
  balanced: Type.Boolean(),
  drift: Type.Array(
    Shared('LedgerDrift', {
      check: Type.String(),
      key: Type.String(),
      kept: Type.Integer(),
      counted: Type.Integer(),
    }),
  ),
  totals: Shared('LedgerTotalsByCurrency', { points: Totals, wallet: Totals }),
})

export const adminLedgerAuditRoutes = (checks: CounterCheck[]) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: money' })

  route('GET /admin/ledger/audit', {
    operationId: 'adminAuditLedger',
    summary: 'Audit the ledger for lost, minted or doubled amounts',
    access: { ability: 'admin: ledger' },
    reply: { 200: AuditReport },
    handler: () => auditLedger(ctx.sql, checks),
  })
}

export const ledgerTasks = (ctx: Context): TaskList => ({
  async ask_for_payments() {
    await queryDuePayments(ctx)
    await requestDueRefunds(ctx)
    await pursueNotices(ctx)
  },
  refund_payment: (payload) => requestRefundOf(ctx, (payload as { id: number }).id),
  async compare_statements() {
    await compareStatements(ctx)
    await queryDisputes(ctx)
  },
  delete_old_payment_notices: () => deleteOldNotices(ctx.sql),
  async ledger_checkpoints() {
    await writeCheckpoints(ctx.sql)
  },
  async delete_old_idempotency_keys() {
    await deleteOldKeys(ctx.sql)
  },
})

export const ledgerSchedules: Schedule[] = [
  { task: 'ask_for_payments', pattern: '* * * * *' },
  { task: 'compare_statements', pattern: '7 * * * *' },
  { task: 'ledger_checkpoints', pattern: '17 * * * *' },
  { task: 'delete_old_idempotency_keys', pattern: '41 * * * *' },
  { task: 'delete_old_payment_notices', pattern: '43 4 * * *' },
]

export const ledgerPersonal = [
  personalTable({
    file: 'balances',
    about: { en: 'Your points and wallet', zh: '您的积分与钱包余额' },
    table: 'ledger_accounts',
    owner: 'owner_id',
    key: ['currency'],
    columns: ['currency', 'balance', 'income', 'expenses', 'created_at'],
  }),
  personalTable({
    file: 'movements',
    about: { en: 'All movements of your points and wallet', zh: '您的积分与钱包流水' },
    table: 'ledger_postings',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'transaction_id', 'amount', 'balance_after', 'kind'] as const),
      ...(['subject_type', 'subject_id', 'title', 'body', 'created_at'] as const),
    ],
  }),
  personalTable({
    file: 'recharges',
    about: { en: 'Your recharges', zh: '您的充值记录' },
    table: 'recharges',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'provider', 'amount', 'credited', 'state', 'reference', 'remark'] as const),
      ...(['decided_at', 'created_at', 'updated_at'] as const),
    ],
  }),
  personalTable({
    file: 'earlier-orders',
    about: { en: 'Your transactions at the former site', zh: '您在旧站的收支记录' },
    table: 'earlier_orders',
    owner: 'owner_id',
    key: ['created_at', 'id'],
    columns: [
      ...(['id', 'currency', 'title', 'body', 'amount', 'state', 'refunded', 'provider'] as const),
      ...(['number', 'provider_number', 'target_type', 'target_id', 'created_at'] as const),
    ],
  }),
  personalTable({
    file: 'withdrawals',
    about: { en: 'Your withdrawals', zh: '您的提现记录' },
    table: 'withdrawals',
    owner: 'owner_id',
    within: 'currency',
    key: ['id'],
    columns: [
      ...(['id', 'currency', 'amount', 'payout', 'type', 'account', 'state', 'remark'] as const),
      ...(['decided_at', 'created_at', 'updated_at'] as const),
    ],
  }),
]

const waiting = (table: 'withdrawals' | 'recharges'): Queue => ({
  name: table,
  ability: `admin: ${table}`,
  waiting: (sql) => sql`select created_at as since from ${sql(table)} where state = 'pending' order by id`,
})

/** Sums only postings that add to an account, so that each movement counts once. */
const moved = (name: string, currency: Currency, ability: string): Series => ({
  name,
  ability,
  happened: (sql, from, until) => sql`
    select created_at as at, amount as value from ledger_postings
    where created_at >= ${from} and created_at < ${until} and currency = ${currency} and amount > 0`,
})

export const ledgerStatistics: Statistics = {
  queues: [waiting('withdrawals'), waiting('recharges')],
  series: [
    moved('points-moved', 'points', 'admin: currency'),
    moved('wallet-moved', 'wallet', 'admin: wallet'),
  ],
}

export const module: Module = {
  tags: {
    'Wallet and points': { place: 10, about: 'Balances, orders, transfers, recharges and withdrawals.' },
    'Admin: money': { place: 30, about: 'Balances, recharges, withdrawals and the audit of the ledger.' },
  },
  settings: LEDGER_SETTINGS,
  routes: (site) => [
    orderRoutes,
    earlierOrderRoutes,
    exchangeRoutes(site.service('people')),
    rechargeRoutes,
    rechargeOrderRoutes,
    withdrawalRoutes(site.service('people')),
    adminBalanceRoutes,
    adminWithdrawalRoutes(site.service('notify')),
    adminRechargeRoutes,
    adminEarlierOrderRoutes,
    adminPaymentRoutes,
    adminNoticeRoutes,
    adminRefundRoutes,
    adminLedgerAuditRoutes(site.paymentChecks),
  ],
  outerRoutes: () => [paymentNoticeRoutes],
  probes: [paymentProbe],
  pools: [{ concurrency: 1, names: ['ask_for_payments', 'compare_statements', 'refund_payment'] }],
  personalData: { place: 19, tables: ledgerPersonal },
  statistics: { place: 9, ...ledgerStatistics },
  moneyChecks: ledgerChecks,
  erase: returnWithdrawals,
  tasks: () => [ledgerTasks],
  schedules: ledgerSchedules,
}

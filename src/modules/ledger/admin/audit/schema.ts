import { Shared, Type } from '#platform/schema.ts'

const Totals = Shared('LedgerTotals', {
  people: Type.Integer(),
  escrow: Type.Integer(),
  income: Type.Integer(),
  issuance: Type.Integer(),
  sum: Type.Integer({ description: 'Always 0 in a sound ledger' }),
})

/** Whether every check holds, what does not, and what the accounts hold. */
export const AuditReport = Shared('LedgerAudit', {
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

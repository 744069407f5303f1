import { auditLedger } from '#modules/ledger/index.ts'
import type { Context } from '#platform/context.ts'
import type { CounterCheck } from '#platform/counters.ts'
import type { Server } from '#platform/http.ts'
import { AuditReport } from './schema.ts'

/** The audit of the ledger; `checks` are those of modules that keep money in escrow. */
export const adminLedgerRoutes =
  (checks: CounterCheck[]) =>
  (server: Server, { sql }: Context) => {
    server.get(
      '/admin/ledger/audit',
      {
        config: { access: { ability: 'admin: ledger' } },
        schema: {
          tags: ['Administration'],
          summary: 'Checks that nothing was lost, minted or charged twice',
          response: { 200: AuditReport },
        },
      },
      () => auditLedger(sql, checks),
    )
  }

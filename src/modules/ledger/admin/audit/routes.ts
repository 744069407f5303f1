import type { Context } from '#platform/context.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { auditLedger } from '../../audit/service.ts'
import { AuditReport } from './schema.ts'

/** The audit of the ledger (money-18); `checks` are those of modules that keep money in escrow. */
export const adminLedgerAuditRoutes = (checks: CounterCheck[]) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: money' })

  route('GET /admin/ledger/audit', {
    operationId: 'adminAuditLedger',
    summary: 'Check that nothing was lost, minted or charged twice',
    access: { ability: 'admin: ledger' },
    reply: { 200: AuditReport },
    handler: () => auditLedger(ctx.sql, checks),
  })
}

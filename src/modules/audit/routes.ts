import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { listAudit } from './queries.ts'
import { AuditQuery, AuditRecord } from './schema.ts'

/** The log of administrative changes (administration-4). */
export function auditRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })

  route('GET /admin/audit-log', {
    operationId: 'adminListAuditLog',
    summary: 'List every administrative change',
    access: { ability: 'admin: audit log' },
    query: AuditQuery,
    reply: { 200: Listing(AuditRecord) },
    handler: async ({ query }) => {
      const { data, total } = await listAudit(ctx.sql, query)
      return { data: data.map((row) => ({ ...row, created_at: wireTime(row.created_at) })), total }
    },
  })
}

import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { listAudit } from './queries.ts'
import { AuditListing, AuditQuery } from './schema.ts'

export function auditRoutes(server: Server, { sql }: Context) {
  server.get(
    '/admin/audit-log',
    {
      config: { access: { ability: 'admin: audit log' } },
      schema: {
        tags: ['Administration'],
        summary: 'Every administrative change',
        querystring: AuditQuery,
        response: { 200: AuditListing },
      },
    },
    async (request) => {
      const { data, total } = await listAudit(sql, request.query)
      return { data: data.map((row) => ({ ...row, created_at: wireTime(row.created_at) })), total }
    },
  )
}

import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { Listing, routesOn, type Server } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { findAnchor, linkAuditRecords, redactAuditOf } from './chain.ts'
import { AuditAnchor, AuditQuery, AuditRecord, listAudit } from './queries.ts'

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
      return {
        data: data.map(({ content_redacted_at: redactedAt, ...row }) => ({
          ...row,
          redacted: redactedAt !== null,
          created_at: wireTime(row.created_at),
        })),
        total,
      }
    },
  })

  route('GET /admin/audit-log/anchor', {
    operationId: 'adminGetAuditAnchor',
    summary: 'Read the head of the audit hash chain, to store as an external anchor',
    access: { ability: 'admin: audit log' },
    reply: { 200: AuditAnchor },
    handler: async () => (await findAnchor(ctx.sql)) ?? { position: 0, hash: '' },
  })
}

export const auditTasks = ({ sql }: Context): TaskList => ({
  link_audit_records: () => linkAuditRecords(sql),
})

export const auditSchedules: Schedule[] = [{ task: 'link_audit_records', pattern: '* * * * *' }]

export const module: Module = {
  routes: () => [auditRoutes],
  erase: redactAuditOf,
  tasks: () => [auditTasks],
  schedules: auditSchedules,
}

import { wireTime } from '#lib/time.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { appealsOf } from '#modules/appeals/index.ts'
import { selectAuditOf } from '#modules/audit/index.ts'
import { accountExists, userContent } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { andAfterRow, type Db, type Fragment, limitClause } from '#platform/database'
import { apiError, notFound } from '#platform/errors.ts'
import {
  Id,
  Int,
  Nullable,
  OpenObject,
  Page,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { mountReports } from './reports.ts'

const HistoryEntry = Shared('HistoryEntry', {
  id: Type.String(),
  at: Time,
  event: Type.String({
    description: '`report`, `report.passed`, `report.rejected`, `appeal`, or an action of the audit log',
  }),
  by: Nullable(
    Type.Integer({
      description: 'User who did it; null when unknown, as for imported reports',
    }),
  ),
  subject: Type.String({ description: 'Such as `reports/7`, or `users/3` for events of the account' }),
  details: Nullable(OpenObject),
})
export type HistoryEntry = Static<typeof HistoryEntry>

const History = Shared('History', { data: Type.Array(HistoryEntry), total: Type.Integer() })

export const HistoryQuery = Type.Object({
  page: Page,
  after: Type.Optional(Text(64)),
  limit: Type.Optional(Int(1, 100, { default: 15 })),
})
export type HistoryQuery = Static<typeof HistoryQuery>

const reportsAgainst = (sql: Db, userId: number): Fragment => {
  // Adds `target_user > 0`, the condition of the partial index, so that PostgreSQL uses the index.
  const against = sql`reports r where r.target_user = ${userId} and r.target_user > 0`
  return sql`
    select r.created_at as at, 'report-' || r.id as id, 'report' as event, r.user_id as by, 'reports/' || r.id as subject,
      jsonb_build_object('type', r.reportable_type, 'id', r.reportable_id, 'subject', r.subject, 'reason', r.reason)
        as details
    from ${against}
    union all
    select r.handled_at, 'decision-' || r.id, case r.status when 1 then 'report.passed' else 'report.rejected' end, r.handled_by,
      'reports/' || r.id, jsonb_build_object('mark', r.mark)
    from ${against} and r.status <> 0`
}

function listHistory(sql: Db, userId: number, { page = 1, limit = 15, after }: HistoryQuery) {
  const events = sql`
    (${reportsAgainst(sql, userId)} union all ${appealsOf(sql, userId)} union all ${selectAuditOf(sql, 'users', userId)})`
  return pageOf<HistoryEntry>(
    sql,
    sql`select at, id, event, by, subject, details from ${events} e where true
      ${andAfterRow(sql, after, sql`e.at, e.id`, sql`select l.at, l.id from ${events} l where l.id = ${after ?? ''}`)}
      order by e.at desc, e.id desc ${limitClause(sql, { limit, offset: after === undefined ? (page - 1) * limit : 0 })}`,
    sql`select count(*)::int as total from ${events} e`,
  )
}

const CONTACTS = ['email', 'phone']

function withoutContacts(entry: HistoryEntry): HistoryEntry {
  const masked = Object.entries(entry.details ?? {}).map(([name, value]) => [name, maskIn(value)])
  return { ...entry, details: entry.details && Object.fromEntries(masked) }
}

function maskIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      CONTACTS.includes(name) && field !== null ? '***' : field,
    ]),
  )
}

export function adminHistoryRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })

  route('GET /admin/users/:user/history', {
    operationId: 'adminListUserHistory',
    summary: 'List reports, sanctions and appeals of a person',
    access: { ability: 'admin: sanctions' },
    params: Type.Object({ user: Id }),
    query: HistoryQuery,
    reply: { 200: History },
    load: async ({ params }) => {
      if (!(await accountExists(ctx.sql, params.user))) throw notFound()
    },
    handler: async ({ params, query, viewer }) => {
      const { data, total } = await listHistory(ctx.sql, params.user, query)
      const shown = (await hasAbility(ctx, viewer.id, 'admin:user:show')) ? data : data.map(withoutContacts)
      return { data: shown.map((entry) => ({ ...entry, at: wireTime(entry.at) })), total }
    },
  })
}

const oneself = apiError(422, 'report_oneself', 'You cannot report yourself.', '不能举报自己。')

export function userReportRoutes(server: Server, ctx: Context) {
  mountReports(server, ctx, userContent(ctx, 'Reports'), {
    path: '/report/users/:user',
    errors: [oneself],
    async mayWrite(target, viewerId) {
      if (target.id === viewerId) throw oneself()
    },
  })
}

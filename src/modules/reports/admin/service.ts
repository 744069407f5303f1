import type { ContentRemoval } from '#contracts/content.ts'
import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { imposeSanction, SanctionInput } from '#modules/sanctions/index.ts'
import { UserView, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, type Tables, type Tx, transaction } from '#platform/database'
import { ApiError, forbidden, notFound } from '#platform/errors.ts'
import {
  Flag,
  Id,
  Int,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { handledAlready, nobodyToSanction, nothingToRemove, onlyWhenDealtWith } from '../reports.ts'

export const Report = Shared('Report', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer({ description: 'Author of the reported content; 0 for none' }),
  reportable_type: Type.String(),
  reportable_id: Type.Integer(),
  subject: Type.String({ description: 'Text of the reported content at the time of the report' }),
  reason: Nullable(Type.String()),
  status: Type.Integer({ description: '0 open, 1 resolved, 2 rejected' }),
  mark: Nullable(Type.String()),
  handled_by: Nullable(Type.Integer()),
  handled_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  target: Nullable(UserView),
})
export type Report = Static<typeof Report>

export const ReportSearch = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(Int(0, 2)),
  type: Type.Optional(Text(50)),
  user_id: Type.Optional(Id),
  target_user: Type.Optional(Id),
})
export type ReportSearch = Static<typeof ReportSearch>

export const ReportDecision = Shared('ReportDecision', {
  action: OneOf(['deal', 'reject'] as const),
  mark: Type.Optional(Text(255)),
  remove: Type.Optional(Flag()),
  sanction: Type.Optional(SanctionInput),
})
export type ReportDecision = Static<typeof ReportDecision>

type ReportRow = Tables['reports']

function listReportRows(sql: Db, search: ReportSearch) {
  const where = sql`
    where true
      ${ifGiven(sql, search.status, (status) => sql`and status = ${status}`)}
      ${ifGiven(sql, search.type, (type) => sql`and reportable_type = ${type}`)}
      ${ifGiven(sql, search.user_id, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, search.target_user, (id) => sql`and target_user = ${id}`)}
      ${ifGiven(sql, search.q, (part) => {
        const pattern = `%${escapeLike(part)}%`
        return sql`and (subject ilike ${pattern} or reason ilike ${pattern})`
      })}`
  return pageOf<ReportRow>(
    sql,
    sql`
      select * from reports ${where} ${listingClause(sql, search, { id: sql`id` })}`,
    sql`select count(*)::int as total from reports ${where}`,
  )
}

const findReport = async (sql: Db, id: number) =>
  (await sql<ReportRow[]>`select * from reports where id = ${id}`)[0]

async function closeReport(
  sql: Db,
  options: { id: number; status: 1 | 2; mark: string | null; handledBy: number },
): Promise<ReportRow | undefined> {
  const [row] = await sql<ReportRow[]>`
    update reports set status = ${options.status}, mark = ${options.mark}, handled_by = ${options.handledBy},
      handled_at = now(), updated_at = now()
    where id = ${options.id} and status = 0
    returning *`
  return row
}

/** Maximum number of other reports that a removal closes, because each closed report sends a notification. */
const CLOSED_AT_ONCE = 1000

const closeReportsOf = (sql: Db, options: { type: string; id: number; handledBy: number }) => sql<
  ReportRow[]
>`
  update reports set status = 1, handled_by = ${options.handledBy}, handled_at = now(), updated_at = now()
  where id in (
    select id from reports
    where reportable_type = ${options.type} and reportable_id = ${options.id} and status = 0
    order by id limit ${CLOSED_AT_ONCE} for update
  )
  returning *`

async function reportViews(ctx: Context, rows: ReportRow[], viewerId: number): Promise<Report[]> {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.flatMap((row) => [row.user_id, row.target_user]),
    viewerId,
  )
  return rows.map((row) => ({
    ...row,
    handled_at: wireTimeOrNull(row.handled_at),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    user: people.get(row.user_id) ?? null,
    target: people.get(row.target_user) ?? null,
  }))
}

export async function listReports(
  ctx: Context,
  search: ReportSearch,
  viewerId: number,
): Promise<{ data: Report[]; total: number }> {
  const { data, total } = await listReportRows(ctx.sql, search)
  return { data: await reportViews(ctx, data, viewerId), total }
}

export async function getReport(ctx: Context, id: number, viewerId: number): Promise<Report> {
  const row = await findReport(ctx.sql, id)
  if (!row) throw notFound()
  const [view] = await reportViews(ctx, [row], viewerId)
  return view!
}

export type Removals = Record<string, ContentRemoval | undefined>

const tell = (tx: Tx, report: ReportRow, state: 'passed' | 'rejected') =>
  notify(tx, {
    type: 'system',
    recipients: [report.user_id],
    senderId: 0,
    cause: { type: 'reports', id: report.id },
    data: {
      type: 'report',
      state,
      subject: report.subject,
      resource: { type: report.reportable_type, id: report.reportable_id },
    },
  })

/** Decides a report once and notifies the reporter. The target stays unchanged (feeds-25). */
export async function handleReport(
  tx: Tx,
  id: number,
  { action, mark }: Pick<ReportDecision, 'action' | 'mark'>,
  handlerId: number,
): Promise<ReportRow> {
  const status = action === 'deal' ? 1 : 2
  const report = await closeReport(tx, { id, status, mark: mark ?? null, handledBy: handlerId })
  if (!report) throw (await findReport(tx, id)) ? handledAlready() : notFound()
  await tell(tx, report, action === 'deal' ? 'passed' : 'rejected')
  return report
}

/** Returns false when the target was already removed. */
async function removed(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/**
 * Decides a report with all consequences in one transaction (feeds-40). The removal and the sanction each
 * require an ability of their own.
 */
export async function decideReport(
  ctx: Context,
  actor: Actor,
  id: number,
  decision: ReportDecision,
  removals: Removals,
): Promise<void> {
  const { action, remove = false, sanction } = decision
  const by = actor.viewer.id
  if (action === 'reject' && (remove || sanction)) throw onlyWhenDealtWith()
  if (sanction && !(await hasAbility(ctx, by, 'admin: sanctions'))) throw forbidden()
  await transaction(ctx.sql, async (tx) => {
    const report = await handleReport(tx, id, decision, by)
    const { reportable_type: type, reportable_id: contentId, target_user: author } = report
    let isRemoved = false
    if (remove) {
      const removal = removals[type]
      if (!removal) throw nothingToRemove()
      if (!(await hasAbility(ctx, by, removal.ability as Ability))) throw forbidden()
      isRemoved = await removed(removal.remove(ctx, tx, contentId, by))
      const others = await closeReportsOf(tx, { type, id: contentId, handledBy: by })
      for (const other of others) await tell(tx, other, 'passed')
    }
    if (sanction && author === 0) throw nobodyToSanction()
    const imposed = sanction && (await imposeSanction(ctx, tx, actor, author, sanction, id))
    await recordAudit(tx, actor, {
      action: `reports.${action}`,
      subjectType: 'reports',
      subjectId: id,
      before: { status: 0 },
      after: {
        status: report.status,
        mark: report.mark,
        ...(remove ? { removed: isRemoved, subject: report.subject, author } : {}),
        ...(imposed ? { sanction: imposed } : {}),
      },
    })
  })
}

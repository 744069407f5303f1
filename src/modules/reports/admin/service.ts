import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { impose } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Removal } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { ApiError, forbidden, notFound } from '#platform/errors.ts'
import { handledAlready, nobodyToSanction, nothingToRemove, onlyWhenDealtWith } from '../errors.ts'
import { closeReport, closeReportsOf, findReport, listReportRows, type ReportRow } from './queries.ts'
import type { Report, ReportDecision, ReportSearch } from './schema.ts'
import { reportViews } from './view.ts'

/** A page of reports for those who handle them. */
export async function listReports(
  ctx: Context,
  search: ReportSearch,
  viewerId: number,
): Promise<{ data: Report[]; total: number }> {
  const { data, total } = await listReportRows(ctx.sql, search)
  return { data: await reportViews(ctx, data, viewerId), total }
}

/** One report for those who handle it. */
export async function getReport(ctx: Context, id: number, viewerId: number): Promise<Report> {
  const row = await findReport(ctx.sql, id)
  if (!row) throw notFound()
  const [view] = await reportViews(ctx, [row], viewerId)
  return view!
}

/** How what is reported is removed, by its kind; routes.ts hands it over. */
export type Removals = Record<string, Removal | undefined>

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

/** Deals with or rejects a report, exactly once, and tells who reported. What is reported is not touched (feeds-25). */
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

/** Whether it was there to be removed. What somebody else removed meanwhile is gone, and that is all the same. */
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
 * Handles a report with what follows from it, in one transaction: removes what is reported, closes the other reports of
 * it, and warns, silences or suspends its author (feeds-40). Each needs its own ability.
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
  const after = await transaction(ctx.sql, async (tx) => {
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
    const imposed = sanction && (await impose(ctx, tx, actor, author, sanction, id))
    await recordAudit(tx, actor, {
      action: `reports.${action}`,
      subjectType: 'reports',
      subjectId: id,
      before: { status: 0 },
      after: {
        status: report.status,
        mark: report.mark,
        ...(remove ? { removed: isRemoved, subject: report.subject, author } : {}),
        ...(imposed ? { sanction: imposed.id } : {}),
      },
    })
    return imposed?.after
  })
  after?.()
}

import { cutCharacters } from '#lib/text.ts'
import { findComment, findComments } from '#modules/comments/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import { addReport } from '#modules/reports/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { apiError, notFound } from '#platform/errors.ts'
import { postContent, requireWriter } from '../posts/content.ts'
import { findGroupOf } from '../posts/queries.ts'
import { POSTS } from '../posts/schema.ts'
import { findManagerIds, type Standing } from '../standing/queries.ts'
import { getManaged } from '../standing/service.ts'
import { closeReport, findReport, type GroupReportRow, insertReport } from './queries.ts'

const SUBJECT_MAX = 100

export const reportHandled = apiError(
  422,
  'report_handled',
  'This report has been handled already.',
  '该举报已被处理。',
)
export const contentGone = apiError(
  404,
  'reported_content_gone',
  'What was reported is gone.',
  '被举报的内容已不存在。',
)

type Kind = { type: 'post' | 'comment'; told: SystemType; resource: string }
const POST: Kind = { type: 'post', told: 'group:report-post', resource: POSTS }
const COMMENT: Kind = { type: 'comment', told: 'group:report-comment', resource: 'comments' }

/** A post, or a comment under one, that somebody may report, with what they are in its group. */
export type Reportable = { kind: Kind; target: Target; postId: number; group: Standing }

/** The post for who may read it; 403 for who is on the blacklist (groups-12). */
export async function getReportablePost(sql: Db, id: number, viewerId: number): Promise<Reportable> {
  const target = await postContent.find(sql, id, viewerId)
  if (!target) throw notFound()
  return { kind: POST, target, postId: id, group: await requireWriter(sql, id, viewerId) }
}

/** The same for a comment. */
export async function getReportableComment(sql: Db, id: number, viewerId: number): Promise<Reportable> {
  const [comment] = await findComments(sql, [id])
  if (comment?.commentable_type !== POSTS) throw notFound()
  const postId = comment.commentable_id
  if (!(await postContent.find(sql, postId, viewerId))) throw notFound()
  const target = { id, ownerId: comment.user_id, contents: comment.body }
  return { kind: COMMENT, target, postId, group: await requireWriter(sql, postId, viewerId) }
}

/** Reports a post or a comment under it: to the managers of the group, or to the site where that is set (groups-28). */
export async function reportToManagers(
  ctx: Context,
  { kind, target, postId, group }: Reportable,
  userId: number,
  content: string,
): Promise<void> {
  const subject = cutCharacters(target.contents, SUBJECT_MAX)
  if ((await readSettings(ctx))['group:report-handle'] === 'site') {
    const report = { type: kind.resource, id: target.id, userId, targetUser: target.ownerId, subject }
    await addReport(ctx.sql, { ...report, reason: content })
    return
  }
  await transaction(ctx.sql, async (tx) => {
    const id = await insertReport(tx, {
      group_id: group.id,
      user_id: userId,
      target_id: target.ownerId,
      type: kind.type,
      resource_id: target.id,
      post_id: postId,
      subject,
      content,
    })
    if (id === undefined) return
    await notify(tx, {
      type: 'system',
      recipients: await findManagerIds(tx, group.id),
      senderId: userId,
      cause: { type: 'group-reports', id },
      data: {
        type: kind.told,
        resource: { type: kind.resource, id: target.id },
        group: { id: group.id, name: group.name },
        contents: content,
      },
    })
  })
}

/** Whether the reported content is still there. */
async function isThere(sql: Db, report: GroupReportRow): Promise<boolean> {
  if ((await findGroupOf(sql, report.post_id)) === undefined) return false
  return (
    report.type === 'post' ||
    (await findComment(sql, POSTS, report.post_id, report.resource_id)) !== undefined
  )
}

/** Checks of a decision that need no body: 404 for no report, 403 for who does not manage its group. */
export async function getReportToHandle(sql: Db, id: number, userId: number): Promise<GroupReportRow> {
  const report = await findReport(sql, id)
  if (!report) throw notFound()
  await getManaged(sql, report.group_id, userId)
  return report
}

/** Accepts or rejects a report, once; who reported is told, and of an accepted one its author. The content stays. */
export async function handleReport(
  ctx: Context,
  id: number,
  userId: number,
  { accept, cause }: { accept: boolean; cause: string | null },
): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const report = await getReportToHandle(tx, id, userId)
    if (report.status === 0 && accept && !(await isThere(tx, report))) throw contentGone()
    const closed = await closeReport(tx, { id, status: accept ? 1 : 2, cause, handler: userId })
    if (!closed) throw reportHandled()
    const { told, resource } = report.type === 'post' ? POST : COMMENT
    const notice = {
      type: 'system' as const,
      senderId: 0,
      cause: { type: 'group-reports', id },
      data: {
        type: told,
        state: accept ? 'passed' : 'rejected',
        resource: { type: resource, id: report.resource_id },
        subject: report.subject,
      },
    }
    const recipients = accept ? [report.user_id, report.target_id] : [report.user_id]
    await notify(tx, { ...notice, recipients: [...new Set(recipients)] })
  })
}

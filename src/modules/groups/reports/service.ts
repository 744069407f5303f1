import { EXCERPT_LENGTH, type Target } from '#contracts/content.ts'
import { cutText } from '#lib/text.ts'
import { CommentWithPeople, findComment, findComments } from '#modules/comments/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import { addReport, RequiredReason } from '#modules/reports/index.ts'
import { UserView } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, insertValues, type Tables, transaction, when } from '#platform/database'
import { apiError, notFound } from '#platform/errors.ts'
import { Cursor, Id, Int, Limit, Nullable, Shared, type Static, Text, Time, Type } from '#platform/http'
import { findManagerIds, type GroupAccess, isClosed, managedGroups } from '../access/queries.ts'
import { getManagedGroup } from '../access/service.ts'
import { findGroupOf } from '../posts/queries.ts'
import { POSTS, PostItem } from '../posts/schema.ts'
import { postContent, requireWriter } from '../posts/service.ts'
import { Group } from '../schema.ts'
import { readGroupSettings } from '../settings.ts'

export const ReportParams = Type.Object({ report: Id })

export const ReportToManagers = Shared('ReportToManagers', RequiredReason)

const MAX_SECONDS = 9_999_999_999
export const ReportsQuery = Type.Object({
  group_id: Type.Optional(Id),
  status: Type.Optional(Int(0, 2)),
  start: Type.Optional(Int(0, MAX_SECONDS)),
  end: Type.Optional(Int(0, MAX_SECONDS)),
  after: Cursor,
  limit: Limit(),
})
export type ReportsQuery = Static<typeof ReportsQuery>

export const ReportRejection = Shared('GroupReportRejection', {
  cause: Type.Optional(Nullable(Text(255))),
})

export const ReportedContent = Shared('ReportedGroupContent', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.Optional(Type.String()),
  summary: Type.Optional(Type.String()),
  images: Type.Optional(PostItem.properties.images),
  body: Type.Optional(Type.String()),
  created_at: Time,
  updated_at: Time,
})

export const GroupReport = Shared('GroupReport', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  target_id: Type.Integer({ description: 'Author of the reported content' }),
  type: Type.String({ description: 'post or comment' }),
  resource_id: Type.Integer(),
  content: Type.String(),
  status: Type.Integer({ description: '0 open, 1 accepted, 2 rejected' }),
  cause: Nullable(Type.String()),
  handler: Nullable(Type.Integer()),
  created_at: Time,
  updated_at: Time,
  user: Nullable(UserView),
  target: Nullable(UserView),
  group: Nullable(Group),
  resource: Nullable(ReportedContent),
  post: Nullable(PostItem),
  comment: Nullable(CommentWithPeople),
})
export type GroupReport = Static<typeof GroupReport>

export type GroupReportRow = Tables['group_reports'] & { type: 'post' | 'comment' }

const columns = (sql: Db) => sql`
  r.id, r.group_id, r.user_id, r.target_id, r.type, r.resource_id, r.post_id, r.subject, r.content, r.status, r.cause,
  r.handler, r.created_at, r.updated_at`

type NewGroupReport = Pick<
  GroupReportRow,
  'group_id' | 'user_id' | 'target_id' | 'type' | 'resource_id' | 'post_id' | 'subject' | 'content'
>

async function insertReport(sql: Db, report: NewGroupReport): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into group_reports ${insertValues(sql, report)}
    on conflict (user_id, type, resource_id) where status = 0 do nothing
    returning id`
  return row?.id
}

export function listReports(sql: Db, userId: number, query: ReportsQuery) {
  const { group_id: groupId, status, start, end, after = 0, limit = 15 } = query
  return sql<GroupReportRow[]>`
    select r.* from (${managedGroups(sql, userId, groupId === undefined ? undefined : [groupId])}) mine cross join lateral (
      select ${columns(sql)} from group_reports r
      where r.group_id = mine.id ${ifGiven(sql, status, (value) => sql`and r.status = ${value}`)}
        ${ifGiven(sql, start, (seconds) => sql`and r.created_at >= to_timestamp(${seconds}::bigint)`)}
        ${ifGiven(sql, end, (seconds) => sql`and r.created_at <= to_timestamp(${seconds}::bigint)`)}
        ${when(sql, after > 0, () => sql`and r.id < ${after}`)}
      order by r.id desc limit ${limit}
    ) r
    order by r.id desc limit ${limit}`
}

const findReport = async (sql: Db, id: number) =>
  (await sql<GroupReportRow[]>`select ${columns(sql)} from group_reports r where r.id = ${id}`)[0]

async function closeReport(
  sql: Db,
  { id, status, cause, handler }: { id: number; status: 1 | 2; cause: string | null; handler: number },
): Promise<GroupReportRow | undefined> {
  const [row] = await sql<GroupReportRow[]>`
    update group_reports r set status = ${status}, cause = ${cause}, handler = ${handler}, updated_at = now()
    where r.id = ${id} and r.status = 0
    returning ${columns(sql)}`
  return row
}

export const reportHandled = apiError(
  422,
  'report_handled',
  'This report has already been handled.',
  '该举报已处理。',
)
export const contentGone = apiError(
  404,
  'reported_content_gone',
  'The reported content no longer exists.',
  '被举报的内容已不存在。',
)

type Kind = { type: 'post' | 'comment'; told: SystemType; resource: string }
const POST: Kind = { type: 'post', told: 'group:report-post', resource: POSTS }
const COMMENT: Kind = { type: 'comment', told: 'group:report-comment', resource: 'comments' }

type Reportable = { kind: Kind; target: Target; postId: number; group: GroupAccess }

/**
 * Throws 404 for a post hidden from the viewer, and 403 for a viewer on the group's blacklist (groups-12).
 */
export async function getReportablePost(sql: Db, id: number, viewerId: number): Promise<Reportable> {
  const target = await postContent.find(sql, id, viewerId)
  if (!target) throw notFound()
  return { kind: POST, target, postId: id, group: await requireWriter(sql, id, viewerId) }
}

export async function getReportableComment(sql: Db, id: number, viewerId: number): Promise<Reportable> {
  const [comment] = await findComments(sql, [id])
  if (comment?.commentable_type !== POSTS) throw notFound()
  const postId = comment.commentable_id
  if (!(await postContent.find(sql, postId, viewerId))) throw notFound()
  const target = { id, ownerId: comment.user_id, contents: comment.body }
  return { kind: COMMENT, target, postId, group: await requireWriter(sql, postId, viewerId) }
}

/**
 * Reports content to the group's managers, or to the site's moderators if `group:report-handle` is `site`
 * (groups-28).
 */
export async function reportToManagers(
  ctx: Context,
  { kind, target, postId, group }: Reportable,
  userId: number,
  content: string,
): Promise<void> {
  const subject = cutText(target.contents, EXCERPT_LENGTH)
  if ((await readGroupSettings(ctx))['group:report-handle'] === 'site') {
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
      hidesRecipients: isClosed(group),
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

async function isThere(sql: Db, report: GroupReportRow): Promise<boolean> {
  if ((await findGroupOf(sql, report.post_id)) === undefined) return false
  return (
    report.type === 'post' ||
    (await findComment(sql, POSTS, report.post_id, report.resource_id)) !== undefined
  )
}

/** Throws 404 for an unknown report, and 403 unless the user manages the group of the report. */
export async function getReportToHandle(
  sql: Db,
  id: number,
  userId: number,
): Promise<{ report: GroupReportRow; group: GroupAccess }> {
  const report = await findReport(sql, id)
  if (!report) throw notFound()
  return { report, group: await getManagedGroup(sql, report.group_id, userId) }
}

export async function handleReport(
  ctx: Context,
  id: number,
  userId: number,
  { accept, cause }: { accept: boolean; cause: string | null },
): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const { report, group } = await getReportToHandle(tx, id, userId)
    if (report.status === 0 && accept && !(await isThere(tx, report))) throw contentGone()
    const closed = await closeReport(tx, { id, status: accept ? 1 : 2, cause, handler: userId })
    if (!closed) throw reportHandled()
    const { told, resource } = report.type === 'post' ? POST : COMMENT
    const notice = {
      type: 'system' as const,
      senderId: 0,
      hidesRecipients: isClosed(group),
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

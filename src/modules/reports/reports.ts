import { type Content, EXCERPT_LENGTH, mountOn, type Target } from '#contracts/content.ts'
import { cutText } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { apiError, type DeclaredError, invalidField } from '#platform/errors.ts'
import {
  Id,
  localizedMessage,
  Message,
  Nullable,
  routesOn,
  type Server,
  Text,
  Type,
  WithAlias,
} from '#platform/http'

export const handledAlready = apiError(
  422,
  'report_handled',
  'This report has already been handled.',
  '该举报已处理。',
)
export const nothingToRemove = apiError(
  422,
  'nothing_to_remove',
  'The report does not concern content that can be removed.',
  '该举报的对象不是可删除的内容。',
)
export const nobodyToSanction = apiError(
  422,
  'nobody_to_sanction',
  'The report has no author to sanction.',
  '该举报没有可处罚的作者。',
)
export const onlyWhenDealtWith = apiError(
  422,
  'only_when_dealt_with',
  'A rejected report cannot remove content or sanction a user.',
  '驳回举报时不能删除内容或处罚用户。',
)

type NewReport = {
  type: string
  id: number
  userId: number
  targetUser: number
  subject: string
  reason: string | null
}

export async function addReport(sql: Db, report: NewReport): Promise<void> {
  await sql`
    insert into reports (user_id, target_user, reportable_type, reportable_id, subject, reason)
    values (${report.userId}, ${report.targetUser}, ${report.type}, ${report.id}, ${report.subject}, ${report.reason})
    on conflict (user_id, reportable_type, reportable_id) where status = 0 do nothing`
}

export const isAnyReported = async (sql: Db, type: string, ids: number[]): Promise<boolean> =>
  (await sql`select from reports where reportable_type = ${type} and reportable_id = any(${ids}) limit 1`)
    .length > 0

const alias = (field: string) => WithAlias(field, Nullable(Text(255)))

/** Body of a report. Clients name the reason in three ways (feeds-24). */
const OptionalReason = {
  reason: Type.Optional(Nullable(Text(255))),
  content: alias('reason'),
  message: alias('reason'),
}
export const RequiredReason = {
  content: Type.Optional(Text(255)),
  reason: alias('content'),
  message: alias('content'),
}

/** Requires the reason after the aliases were read, which a schema cannot do. */
export function requireReason(reason: string | null | undefined): string {
  if (reason) return reason
  throw invalidField('content', { en: 'The content field is required.', zh: '内容不能为空。' })
}

type ReportOptions = {
  path: string
  required?: boolean
  mayWrite?(target: Target, viewerId: number): Promise<void>
  errors?: readonly DeclaredError[]
}

export function mountReports(server: Server, ctx: Context, content: Content, options: ReportOptions): void {
  const find = mountOn(ctx, content)
  const { noun, param } = content
  const route = routesOn(server, ctx, { tag: content.tag })

  route(`POST ${options.path}`, {
    operationId: `report${noun}`,
    summary: 'Report to the moderators',
    access: 'user',
    params: Type.Object({ [param]: Id }),
    body: Type.Object(options.required ? RequiredReason : OptionalReason, { title: `New${noun}Report` }),
    reply: { 201: Message },
    errors: options.errors ?? [],
    async load({ params, viewer }) {
      const target = await find(params[param]!, viewer.id)
      await options.mayWrite?.(target, viewer.id)
      return target
    },
    async handler({ request, loaded: target, viewer, body }) {
      await addReport(ctx.sql, {
        type: content.type,
        id: target.id,
        userId: viewer.id,
        targetUser: target.ownerId,
        subject: cutText(target.contents, EXCERPT_LENGTH),
        reason: options.required ? requireReason(body.content) : (body.reason ?? null),
      })
      return localizedMessage(request, 'Reported.', '举报成功。')
    },
  })
}

import type { Content, Target } from '#contracts/content.ts'
import { cutCharacters } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { type DeclaredError, notFound } from '#platform/errors.ts'
import { Id, localizedMessage, Message, Nullable, routesOn, type Server, Text, Type } from '#platform/http'
import { addReport } from './queries.ts'

export type ReportOptions = {
  /** Such as `/feeds/:feed/reports`. */
  path: string
  /** Body field of the reason, if not `reason`. */
  field?: 'reason' | 'content' | 'message'
  /** Makes the reason mandatory. */
  required?: boolean
  /** Throws when the user may see the content but not report it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  /** Errors that `mayWrite` throws. */
  errors?: readonly DeclaredError[]
}

const SUBJECT_MAX = 100

/** Mounts the report route of one kind of content (feeds-24). */
export function mountReports(server: Server, ctx: Context, content: Content, options: ReportOptions): void {
  const { noun, param } = content
  const { field = 'reason', required = false } = options
  const route = routesOn(server, ctx, { tag: content.tag })

  route(`POST ${options.path}`, {
    operationId: `report${noun}`,
    summary: 'Report to the moderators',
    access: 'user',
    params: Type.Object({ [param]: Id }),
    body: Type.Object(
      { [field]: required ? Text(255, { minLength: 1 }) : Type.Optional(Nullable(Text(255))) },
      { title: `New${noun}Report` },
    ),
    reply: { 201: Message },
    errors: options.errors ?? [],
    async load({ params, viewer }) {
      const target = await content.find(ctx.sql, params[param]!, viewer.id)
      if (!target) throw notFound()
      await options.mayWrite?.(target, viewer.id)
      return target
    },
    async handler({ request, loaded: target, viewer, body }) {
      await addReport(ctx.sql, {
        type: content.type,
        id: target.id,
        userId: viewer.id,
        targetUser: target.ownerId,
        subject: cutCharacters(target.contents, SUBJECT_MAX),
        reason: body[field] ?? null,
      })
      return localizedMessage(request, 'Reported.', '举报成功。')
    },
  })
}

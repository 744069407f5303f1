import type { FastifyRequest } from 'fastify'
import { cutCharacters } from '#lib/text.ts'
import type { Content, Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Id, Message, Nullable, Text, Type } from '#platform/schema.ts'
import { addReport } from './queries.ts'

export type ReportOptions = {
  /** Such as `/feeds/:feed/reports`. */
  path: string
  /** The name of the reason in the body where it is not `reason`. */
  field?: 'reason' | 'content' | 'message'
  /** Whether a reason has to be given. */
  required?: boolean
  /** Throws for who may see the thing and yet not report it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
}

const SUBJECT_MAX = 100

/** Offers reporting things of one kind. */
export function mountReports(server: Server, ctx: Context, content: Content, options: ReportOptions): void {
  const { field = 'reason', required = false } = options
  const admit = async (request: FastifyRequest): Promise<Target> => {
    const id = (request.params as Record<string, number>)[content.param]!
    const target = await content.find(ctx.sql, id, viewerId(request))
    if (!target) throw notFound()
    await options.mayWrite?.(target, viewerOf(request).id)
    return target
  }
  server.post(
    options.path,
    {
      config: { access: 'user', before: admit },
      schema: {
        tags: [content.tag],
        summary: 'Report to the moderators',
        params: Type.Object({ [content.param]: Id }),
        body: Type.Object({
          [field]: required ? Text(255, { minLength: 1 }) : Type.Optional(Nullable(Text(255))),
        }),
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      const target = await admit(request)
      const reason = (request.body as Record<string, string | null | undefined>)[field] ?? null
      await addReport(ctx.sql, {
        type: content.type,
        id: target.id,
        userId: viewerOf(request).id,
        targetUser: target.ownerId,
        subject: cutCharacters(target.contents, SUBJECT_MAX),
        reason,
      })
      return reply.code(201).send(say(request, 'Reported.', '举报成功。'))
    },
  )
}

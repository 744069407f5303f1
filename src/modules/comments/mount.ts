import type { FastifyRequest } from 'fastify'
import { findBlockers } from '#modules/accounts/index.ts'
import { type Content, hidesOwner, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { blocked, notFound } from '#platform/errors.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Cursor, Empty, Id, Limit, Type } from '#platform/schema.ts'
import { type CommentRow, findComment, findComments, listComments } from './queries.ts'
import { CommentBody, CommentMade, CommentWithPeople, PinnedAndComments } from './schema.ts'
import { type CommentRules, removeComment, writeComment } from './service.ts'
import { commentView, withoutOwner, withPeople } from './view.ts'

export type CommentOptions = CommentRules & {
  /** Such as `/feeds/:feed/comments`. */
  path: string
  /**
   * `array`: a list, without regard to whom the viewer blocks (music, R §1.12).
   * `pinned`: `{pinneds, comments}`, without the authors that the viewer blocks.
   */
  shape: 'array' | 'pinned'
  /** The name of the cursor: `max_id` in music, else `after`. */
  cursor?: 'after' | 'max_id'
  /** The status of creation where it is not 201. */
  created?: number
  /** The comments pinned now, in their order. */
  pinned?(sql: Db, contentId: number, viewerId: number): Promise<number[]>
  /** Throws for who may see the thing and yet not comment on it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  /** Whether there is a route to a single comment. */
  single?: boolean
}

/** Offers comments on things of one kind: list, create, delete and, if wanted, read one. */
export function mountComments(server: Server, ctx: Context, content: Content, options: CommentOptions): void {
  const { sql } = ctx
  const { path, shape } = options
  const cursor = options.cursor ?? 'after'
  const hides = shape === 'pinned'
  const tags = [content.tag]
  const Params = Type.Object({ [content.param]: Id })
  const CommentParams = Type.Object({ [content.param]: Id, comment: Id })
  const param = (request: FastifyRequest, name: string) => (request.params as Record<string, number>)[name]!

  const find = async (request: FastifyRequest): Promise<Target> => {
    const target = await content.find(sql, param(request, content.param), viewerId(request))
    if (!target) throw notFound()
    return target
  }
  const admit = async (request: FastifyRequest): Promise<Target> => {
    const target = await find(request)
    const viewer = viewerOf(request).id
    await options.mayWrite?.(target, viewer)
    return target
  }
  const admitBeforeBody = async (request: FastifyRequest) => {
    const { ownerId, hidden } = await admit(request)
    if (hidden) return
    if ((await findBlockers(sql, viewerOf(request).id, [ownerId])).size > 0) throw blocked()
  }
  const shown = (target: Target, rows: CommentRow[], viewer: number) =>
    hidesOwner(target, viewer) ? withoutOwner(rows, viewer) : rows

  const list = async (request: FastifyRequest) => {
    const { limit = 15, [cursor]: before = 0 } = request.query as Record<string, number>
    const viewer = viewerId(request)
    const target = await find(request)
    const [rows, pinned] = await Promise.all([
      listComments(sql, {
        type: content.type,
        contentId: target.id,
        before,
        limit,
        hideFrom: hides ? viewer : 0,
      }),
      hides && before === 0 ? options.pinned?.(sql, target.id, viewer) : undefined,
    ])
    const ids = pinned ?? []
    const found = ids.length > 0 ? await findComments(sql, ids) : []
    const pinneds = ids.flatMap((id) => found.filter((row) => row.id === id))
    const comments = await withPeople(ctx, shown(target, [...pinneds, ...rows], viewer), viewer)
    return { pinneds: comments.slice(0, pinneds.length), comments: comments.slice(pinneds.length) }
  }

  const listSchema = {
    tags,
    summary: 'List comments, newest first',
    params: Params,
    querystring: Type.Object({ limit: Limit(), [cursor]: Cursor }),
  }
  if (shape === 'array')
    server.get(
      path,
      {
        config: { access: 'optional', before: find },
        schema: { ...listSchema, response: { 200: Type.Array(CommentWithPeople) } },
      },
      async (request) => (await list(request)).comments,
    )
  else
    server.get(
      path,
      {
        config: { access: 'optional', before: find },
        schema: { ...listSchema, response: { 200: PinnedAndComments } },
      },
      list,
    )

  server.post(
    path,
    {
      config: { access: 'user', before: admitBeforeBody },
      schema: {
        tags,
        summary: 'Comment',
        params: Params,
        body: CommentBody,
        response: { [options.created ?? 201]: CommentMade },
      },
    },
    async (request, reply) => {
      const target = await admit(request)
      const { body } = request
      const { id: viewer } = viewerOf(request)
      const written = await writeComment(ctx, content, options, target, viewer, body)
      const [comment] = shown(target, [written], viewer)
      return reply
        .code(options.created ?? 201)
        .send({ ...say(request, 'Commented.', '评论成功。'), comment: commentView(comment!) })
    },
  )

  server.delete(
    `${path}/:comment`,
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Delete a comment',
        params: CommentParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const target = await find(request)
      await removeComment(ctx, content, options, target, viewerOf(request).id, param(request, 'comment'))
      return reply.code(204).send()
    },
  )

  if (options.single)
    server.get(
      `${path}/:comment`,
      {
        config: { access: 'optional' },
        schema: {
          tags,
          summary: 'Read a comment',
          params: CommentParams,
          response: { 200: CommentWithPeople },
        },
      },
      async (request) => {
        const target = await find(request)
        const comment = await findComment(sql, content.type, target.id, param(request, 'comment'))
        if (!comment) throw notFound()
        const viewer = viewerId(request)
        const [view] = await withPeople(ctx, shown(target, [comment], viewer), viewer)
        return view!
      },
    )
}

import { findBlockers, peopleOverlay } from '#modules/accounts/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import { type Content, hidesOwner, noteMounted, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { blocked, type DeclaredError, forbidden, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { notePersonal } from '#platform/pages/reading.ts'
import { Cursor, Empty, Id, Limit, SameAs, Type } from '#platform/schema.ts'
import { type CommentRow, findComment, findComments, listComments } from './queries.ts'
import { CommentMade, CommentPage, CommentWithPeople, NewComment } from './schema.ts'
import { type CommentRules, noteRules, removeComment, writeComment } from './service.ts'
import { commentView, withoutOwner, withPeople } from './view.ts'

export type CommentOptions = CommentRules & {
  /** Such as `/feeds/:feed/comments`. */
  path: string
  /**
   * `array`: a list, without regard to whom the viewer blocks (feeds-14).
   * `pinned`: `{pinneds, comments}`, without the authors that the viewer blocks.
   */
  shape: 'array' | 'pinned'
  /** The name of the cursor: `max_id` in music, else `after`. */
  cursor?: 'after' | 'max_id'
  /** The status of creation where it is not 201. */
  created?: number
  /** The comments pinned now, in their order. */
  pinned?(sql: Db, contentId: number, viewerId: number): Promise<number[]>
  /** Throws for who may see the content and yet not comment on it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  /** What `mayWrite` throws. */
  errors?: readonly DeclaredError[]
  /** Whether there is a route to a single comment. */
  single?: boolean
}

/** Offers comments on content of one kind: list, create, delete and, if wanted, read one. */
export function mountComments(server: Server, ctx: Context, content: Content, options: CommentOptions): void {
  noteMounted(ctx, content)
  noteRules(ctx, content, options)
  const { sql } = ctx
  const { noun, param } = content
  const { path, shape, errors = [], created = 201 } = options
  const route = routesOn(server, ctx, { tag: content.tag })
  const cursor = options.cursor ?? 'after'
  const hides = shape === 'pinned'
  const alias: Record<string, typeof Cursor> = cursor === 'after' ? {} : { after: SameAs(cursor, Cursor) }
  const ContentParams = Type.Object({ [param]: Id })
  const CommentParams = Type.Object({ [param]: Id, comment: Id })

  const find = async (id: number, viewerId: number): Promise<Target> => {
    const target = await content.find(sql, id, viewerId)
    if (!target) throw notFound()
    return target
  }
  const admit = async (id: number, viewerId: number): Promise<Target> => {
    const target = await find(id, viewerId)
    await options.mayWrite?.(target, viewerId)
    return target
  }
  const shown = (target: Target, rows: CommentRow[], viewerId: number) => {
    if (!hidesOwner(target, viewerId)) return rows
    // Its owner, and who is addressed, see more.
    notePersonal([target.ownerId, ...rows.map(({ target_user }) => target_user)])
    return withoutOwner(rows, viewerId)
  }

  route(`GET ${path}`, {
    operationId: `list${noun}Comments`,
    summary: 'List the comments, newest first',
    access: 'optional',
    kept: peopleOverlay,
    params: ContentParams,
    query: Type.Object({
      limit: Limit(),
      [cursor]: Cursor,
      ...alias,
    }),
    reply: { 200: shape === 'array' ? Type.Array(CommentWithPeople) : CommentPage },
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: target, query, viewer }) {
      const { limit = 15, [cursor]: before = 0 } = query
      const [rows, pinned] = await Promise.all([
        listComments(sql, {
          type: content.type,
          contentId: target.id,
          before,
          limit,
          hideFrom: hides ? viewer.id : 0,
        }),
        hides && before === 0 ? options.pinned?.(sql, target.id, viewer.id) : undefined,
      ])
      const ids = pinned ?? []
      const found = ids.length > 0 ? await findComments(sql, ids) : []
      const pinneds = ids.flatMap((id) => found.filter((row) => row.id === id))
      const comments = await withPeople(ctx, shown(target, [...pinneds, ...rows], viewer.id), viewer.id)
      return shape === 'array'
        ? comments
        : { pinneds: comments.slice(0, pinneds.length), comments: comments.slice(pinneds.length) }
    },
  })

  route(`POST ${path}`, {
    operationId: `create${noun}Comment`,
    summary: 'Write a comment',
    access: 'user',
    params: ContentParams,
    body: NewComment,
    reply: { [created]: CommentMade },
    errors: [blocked, sensitiveWords, ...errors],
    async whenInvalid({ params, viewer }) {
      const { ownerId, hidden } = await admit(params[param]!, viewer.id)
      if (hidden) return
      if ((await findBlockers(sql, viewer.id, [ownerId])).size > 0) throw blocked()
    },
    async handler({ request, params, viewer, body }) {
      const target = await admit(params[param]!, viewer.id)
      const written = await writeComment(ctx, content, options, target, viewer.id, body)
      const [comment] = shown(target, [written], viewer.id)
      return { ...say(request, 'Commented.', '评论成功。'), comment: commentView(comment!) }
    },
  })

  route(`DELETE ${path}/:comment`, {
    operationId: `delete${noun}Comment`,
    summary: 'Delete a comment of your own, or one that you moderate',
    access: 'user',
    params: CommentParams,
    reply: { 204: Empty },
    errors: [forbidden],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    handler: ({ loaded: target, params, viewer }) =>
      removeComment(ctx, content, options, target, viewer.id, params.comment!),
  })

  if (options.single)
    route(`GET ${path}/:comment`, {
      operationId: `get${noun}Comment`,
      summary: 'Read a comment',
      access: 'optional',
      kept: peopleOverlay,
      params: CommentParams,
      reply: { 200: CommentWithPeople },
      load: ({ params, viewer }) => find(params[param]!, viewer.id),
      async handler({ loaded: target, params, viewer }) {
        const comment = await findComment(sql, content.type, target.id, params.comment!)
        if (!comment) throw notFound()
        const [view] = await withPeople(ctx, shown(target, [comment], viewer.id), viewer.id)
        return view!
      },
    })
}

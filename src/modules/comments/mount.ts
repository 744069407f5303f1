import {
  type Content,
  type ContentReaders,
  findAnonymous,
  hidesOwner,
  listReceived,
  mountOn,
  readContent,
  type Target,
} from '#contracts/content.ts'
import { contactRefused, findBlockers, userViews } from '#modules/users/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { blocked, type DeclaredError, forbidden, notFound } from '#platform/errors.ts'
import {
  Cursor,
  Empty,
  Id,
  Limit,
  localizedMessage,
  routesOn,
  type Server,
  Type,
  WithAlias,
} from '#platform/http'
import { type CommentRow, findComment, findComments, listComments, listReceivedComments } from './queries.ts'
import {
  CommentMade,
  CommentPage,
  CommentSearch,
  CommentWithPeople,
  FoundComment,
  NewComment,
  ReceivedComment,
  ReceivedCommentsQuery,
} from './schema.ts'
import {
  type CommentRules,
  commentView,
  findVisibleComments,
  foundComment,
  noteRules,
  prepareComment,
  removeComment,
  withoutOwner,
  withPeople,
} from './service.ts'

export type CommentOptions = CommentRules & {
  path: string
  /**
   * `array` returns a plain list. `pinned` returns the pinned comments and a list of comments. Both omit comments
   * by people hidden from the viewer (relations-2).
   */
  shape: 'array' | 'pinned'
  /** Name of the cursor parameter. Default: `after`. */
  cursor?: 'after' | 'max_id'
  created?: number
  pinned?(sql: Db, contentId: number, viewerId: number): Promise<number[]>
  /** Throws for a viewer who may read the content but must not comment on it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  errors?: readonly DeclaredError[]
  single?: boolean
}

export function mountComments(server: Server, ctx: Context, content: Content, options: CommentOptions): void {
  const find = mountOn(ctx, content)
  noteRules(ctx, content, options)
  const { sql } = ctx
  const { noun, param } = content
  const { path, shape, errors = [], created = 201 } = options
  const route = routesOn(server, ctx, { tag: content.tag })
  const cursor = options.cursor ?? 'after'
  const alias: Record<string, typeof Cursor> = cursor === 'after' ? {} : { after: WithAlias(cursor, Cursor) }
  const ContentParams = Type.Object({ [param]: Id })
  const CommentParams = Type.Object({ [param]: Id, comment: Id })

  const admit = async (id: number, viewerId: number): Promise<Target> => {
    const target = await find(id, viewerId)
    await options.mayWrite?.(target, viewerId)
    return target
  }
  const shown = (target: Target, rows: CommentRow[], viewerId: number) => {
    if (!hidesOwner(target, viewerId)) return rows
    return withoutOwner(rows, viewerId)
  }

  route(`GET ${path}`, {
    operationId: `list${noun}Comments`,
    summary: 'List the comments, newest first',
    access: 'optional',
    params: ContentParams,
    query: Type.Object({
      limit: Limit(),
      [cursor]: Cursor,
      ...alias,
    }),
    reply: { 200: shape === 'array' ? Type.Array(CommentWithPeople) : CommentPage },
    precheck: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ params, query, viewer }) {
      const { limit = 15, [cursor]: before = 0 } = query
      const contentId = params[param]!
      const [target, rows, pinned] = await Promise.all([
        find(contentId, viewer.id),
        listComments(sql, { type: content.type, contentId, before, limit, hideFrom: viewer.id }),
        shape === 'pinned' && before === 0 ? options.pinned?.(sql, contentId, viewer.id) : undefined,
      ])
      const ids = pinned ?? []
      const found = ids.length > 0 ? await findComments(sql, ids, viewer.id) : []
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
    errors: [blocked, contactRefused, sensitiveWords, ...errors],
    idempotent: true,
    async precheck({ params, viewer }) {
      const { ownerId, hidden } = await admit(params[param]!, viewer.id)
      if (hidden) return
      if ((await findBlockers(sql, viewer.id, [ownerId])).size > 0) throw blocked()
    },
    async handler({ request, params, viewer, body, atomically }) {
      const target = await admit(params[param]!, viewer.id)
      const store = await prepareComment(ctx, content, options, target, viewer.id, body)
      return atomically(async (tx) => {
        const [comment] = shown(target, [await store(tx)], viewer.id)
        return { ...localizedMessage(request, 'Commented.', '评论成功。'), comment: commentView(comment!) }
      })
    },
  })

  route(`DELETE ${path}/:comment`, {
    operationId: `delete${noun}Comment`,
    summary: 'Delete a comment of mine, or one that I moderate',
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

const referenceOf = (row: CommentRow) => ({ type: row.commentable_type, id: row.commentable_id })

export const commentRoutes = (readers: ContentReaders) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Comments' })

  route('GET /comments', {
    operationId: 'listComments',
    summary: 'Find comments by author, recipient or content',
    access: 'optional',
    query: CommentSearch,
    reply: { 200: Type.Array(FoundComment) },
    handler: async ({ query, viewer }) =>
      (await findVisibleComments(ctx, readers, query, viewer.id)).map(foundComment),
  })

  route('GET /user/comments', {
    operationId: 'listReceivedComments',
    summary: 'List the comments on what I published and the replies to me',
    access: 'user',
    query: ReceivedCommentsQuery,
    reply: { 200: Type.Array(ReceivedComment) },
    async handler({ query, viewer }) {
      const received = await listReceived(sql, readers, viewer.id, query, {
        list: (after, limit) => listReceivedComments(sql, viewer.id, after, limit),
        referenceOf,
      })
      const references = received.map(referenceOf)
      const anonymous = await findAnonymous(sql, readers, references)
      const rows = received.map((row) =>
        row.target_user !== viewer.id && anonymous.has(`${row.commentable_type}/${row.commentable_id}`)
          ? { ...row, target_user: 0 }
          : row,
      )
      const owners = rows.map((row) => row.target_user)
      const [comments, contents, targets] = await Promise.all([
        withPeople(ctx, rows, viewer.id),
        readContent(ctx, readers, references, viewer.id),
        userViews(ctx, sql, owners, viewer.id),
      ])
      return comments.map((comment) => ({
        ...comment,
        target: targets.get(comment.target_user) ?? null,
        commentable: (contents.get(`${comment.commentable_type}/${comment.commentable_id}`) ??
          null) as Record<string, unknown> | null,
      }))
    },
  })
}

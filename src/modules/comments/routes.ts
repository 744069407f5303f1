import { type ContentReaders, findAnonymous, listReceived, readContent } from '#contracts/content.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { type CommentRow, listReceivedComments } from './queries.ts'
import { CommentSearch, FoundComment, ReceivedComment, ReceivedCommentsQuery } from './schema.ts'
import { findVisibleComments } from './service.ts'
import { foundComment, withPeople } from './view.ts'

const referenceOf = (row: CommentRow) => ({ type: row.commentable_type, id: row.commentable_id })

/** Lists of comments across all kinds of content. `readers` checks visibility for each kind. */
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

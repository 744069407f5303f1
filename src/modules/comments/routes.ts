import { userViews } from '#modules/accounts/index.ts'
import { findAnonymous, listReceived, type Readers, readContent } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { type CommentRow, listReceivedComments } from './queries.ts'
import { CommentSearch, FoundComment, ReceivedComment, ReceivedQuery } from './schema.ts'
import { findVisibleComments } from './service.ts'
import { foundComment, withPeople } from './view.ts'

const referenceOf = (row: CommentRow) => ({ type: row.commentable_type, id: row.commentable_id })

/** Lists of comments across all kinds of things; `readers` knows how each kind is seen. */
export const commentRoutes = (readers: Readers) => (server: Server, ctx: Context) => {
  server.get(
    '/comments',
    {
      config: { access: 'optional' },
      schema: {
        tags: ['Comments'],
        summary: 'Find comments by author, recipient or thing',
        querystring: CommentSearch,
        response: { 200: Type.Array(FoundComment) },
      },
    },
    async (request) =>
      (await findVisibleComments(ctx, readers, request.query, viewerId(request))).map(foundComment),
  )

  server.get(
    '/user/comments',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Comments'],
        summary: 'Comments on my things and replies to me',
        querystring: ReceivedQuery,
        response: { 200: Type.Array(ReceivedComment) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const received = await listReceived(ctx.sql, readers, viewer, request.query, {
        list: (after, limit) => listReceivedComments(ctx.sql, viewer, after, limit),
        referenceOf,
      })
      const references = received.map(referenceOf)
      const anonymous = await findAnonymous(ctx.sql, readers, references)
      const rows = received.map((row) =>
        row.target_user !== viewer && anonymous.has(`${row.commentable_type}/${row.commentable_id}`)
          ? { ...row, target_user: 0 }
          : row,
      )
      const [comments, things, targets] = await Promise.all([
        withPeople(ctx, rows, viewer),
        readContent(ctx, readers, references, viewer),
        userViews(
          ctx,
          ctx.sql,
          rows.map((row) => row.target_user),
          viewer,
        ),
      ])
      return comments.map((comment) => ({
        ...comment,
        target: targets.get(comment.target_user) ?? null,
        commentable: (things.get(`${comment.commentable_type}/${comment.commentable_id}`) ?? null) as Record<
          string,
          unknown
        > | null,
      }))
    },
  )
}

import { noSuchPost, postItems, removePost, removePostComment } from '#modules/groups/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { findPostRecord, listPostRecords, type PostRecordRow } from '../queries.ts'
import { CommentParams, PostListing, PostParams, PostQuery, PostRecord } from '../schema.ts'

/** Posts of all circles, and comments under them, under /admin. */
export function adminGroupPostRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: groups' }
  const postViews = async (rows: PostRecordRow[], viewer: number) =>
    (await postItems(ctx, rows, viewer)).map((view, n) => ({ ...view, body: rows[n]!.body }))

  server.get(
    '/admin/group-posts',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List posts of all groups',
        querystring: PostQuery,
        response: { 200: PostListing },
      },
    },
    async (request) => {
      const { data, total } = await listPostRecords(sql, request.query)
      return { data: await postViews(data, viewerOf(request).id), total }
    },
  )

  server.get(
    '/admin/group-posts/:post',
    {
      config: { access },
      schema: { tags, summary: 'Read a post', params: PostParams, response: { 200: PostRecord } },
    },
    async (request) => {
      const row = await findPostRecord(sql, request.params.post)
      if (!row) throw noSuchPost()
      return (await postViews([row], viewerOf(request).id))[0]!
    },
  )

  server.delete(
    '/admin/group-posts/:post',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a post with all that is on it',
        params: PostParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await transaction(sql, async (tx) => {
        const row = await findPostRecord(tx, request.params.post)
        if (!row) throw noSuchPost()
        await removePost(tx, row.group_id, row.id)
        const by = viewerOf(request).id
        await publishEvent(ctx, tx, 'post.deleted', { id: row.id, group_id: row.group_id, deleted_by: by })
        await recordAudit(tx, request, {
          action: 'group-posts.delete',
          subjectType: 'group-posts',
          subjectId: row.id,
          before: { group_id: row.group_id, user_id: row.user_id, title: row.title },
        })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/group-posts/:post/comments/:comment',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a comment of a post',
        params: CommentParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { post, comment: id } = request.params
      await removePostComment(ctx, post, id, viewerOf(request).id, async (tx, comment) =>
        recordAudit(tx, request, {
          action: 'group-posts.delete-comment',
          subjectType: 'comments',
          subjectId: comment.id,
          before: { user_id: comment.user_id, body: comment.body },
        }),
      )
      return reply.code(204).send()
    },
  )
}

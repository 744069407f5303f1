import { recordAudit } from '#modules/audit/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { noSuchPost } from '../../errors.ts'
import { PostParams } from '../../posts/schema.ts'
import { removePost } from '../../posts/service.ts'
import { postItems } from '../../posts/view.ts'
import { findPostRecord, listPostRecords, type PostRecordRow } from './queries.ts'
import { CommentParams, PostQuery, PostRecord } from './schema.ts'
import { removePostComment } from './service.ts'

/** Posts of all groups, and comments under them, under /admin (groups-29). */
export function adminGroupPostRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: groups' })
  const access = { ability: 'admin: groups' }
  const views = async (rows: PostRecordRow[], viewerId: number) =>
    (await postItems(ctx, rows, viewerId)).map((view, n) => ({ ...view, body: rows[n]!.body }))

  route('GET /admin/group-posts', {
    operationId: 'adminListGroupPosts',
    summary: 'List posts of all groups',
    access,
    query: PostQuery,
    reply: { 200: Listing(PostRecord) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listPostRecords(sql, query)
      return { data: await views(data, viewer.id), total }
    },
  })

  route('GET /admin/group-posts/:post', {
    operationId: 'adminGetGroupPost',
    summary: 'Read a post',
    access,
    params: PostParams,
    reply: { 200: PostRecord },
    errors: [noSuchPost],
    handler: async ({ params, viewer }) => {
      const row = await findPostRecord(sql, params.post)
      if (!row) throw noSuchPost()
      return (await views([row], viewer.id))[0]!
    },
  })

  route('DELETE /admin/group-posts/:post', {
    operationId: 'adminDeleteGroupPost',
    summary: 'Delete a post with all that is on it',
    access,
    params: PostParams,
    reply: { 204: Empty },
    errors: [noSuchPost],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const row = await findPostRecord(tx, call.params.post)
        if (!row) throw noSuchPost()
        await removePost(tx, row.group_id, row.id)
        await publishEvent(ctx, tx, 'post.deleted', {
          id: row.id,
          group_id: row.group_id,
          deleted_by: call.viewer.id,
        })
        await recordAudit(tx, call, {
          action: 'group-posts.delete',
          subjectType: 'group-posts',
          subjectId: row.id,
          before: { group_id: row.group_id, user_id: row.user_id, title: row.title },
        })
      }),
  })

  route('DELETE /admin/group-posts/:post/comments/:comment', {
    operationId: 'adminDeleteGroupPostComment',
    summary: 'Delete a comment of a post',
    access,
    params: CommentParams,
    reply: { 204: Empty },
    errors: [noSuchPost],
    handler: (call) =>
      removePostComment(ctx, call.params.post, call.params.comment, call.viewer.id, (tx, comment) =>
        recordAudit(tx, call, {
          action: 'group-posts.delete-comment',
          subjectType: 'comments',
          subjectId: comment.id,
          before: { user_id: comment.user_id, body: comment.body },
        }),
      ),
  })
}

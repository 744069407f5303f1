import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import { removeCommentAsModerator } from '#modules/comments/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { andContains, type Db, ifGiven, listingClause, type Row, transaction } from '#platform/database'
import {
  Empty,
  Id,
  listingQuery,
  MemberText,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Type,
} from '#platform/http'
import { noSuchPost } from '../../errors.ts'
import { findGroupOf, type PostRow, postColumns } from '../../posts/queries.ts'
import { PostItem, PostParams } from '../../posts/schema.ts'
import { postContent, removePost } from '../../posts/service.ts'
import { postItems } from '../../posts/view.ts'

const PostQuery = Type.Object({
  ...listingQuery(['id']),
  group_id: Type.Optional(Id),
  user_id: Type.Optional(Id),
})
type PostQuery = Static<typeof PostQuery>

const PostRecord = Shared('GroupPostRecord', {
  ...PostItem.properties,
  ...MemberText('body', { of: 'group-posts', format: 'markdown' }, Type.String()),
})

const CommentParams = Type.Object({ post: Id, comment: Id })

export type PostRecordRow = PostRow & Row<'group_posts', 'body'>

function listPostRecords(sql: Db, query: PostQuery) {
  const where = sql`where true ${ifGiven(sql, query.group_id, (id) => sql`and p.group_id = ${id}`)}
    ${ifGiven(sql, query.user_id, (id) => sql`and p.user_id = ${id}`)} ${andContains(sql, 'p.title', query.q)}`
  return pageOf<PostRecordRow>(
    sql,
    sql`select ${postColumns(sql)}, p.body from group_posts p ${where}
      ${listingClause(sql, query, { id: sql`p.id` })}`,
    sql`select count(*)::int as total from group_posts p ${where}`,
  )
}

async function findPostRecord(sql: Db, id: number) {
  const [row] = await sql<PostRecordRow[]>`
    select ${postColumns(sql)}, p.body from group_posts p where p.id = ${id}`
  return row
}

/** Administration routes for posts and comments of all groups (groups-29). */
export function adminGroupPostRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: groups' })
  const access = { ability: 'admin: groups' }
  const views = async (rows: PostRecordRow[], viewerId: number) =>
    (await postItems(ctx, rows, viewerId)).map((view, n) => ({ ...view, body: rows[n]!.body }))

  mountAdminRecords(server, ctx, {
    path: '/admin/group-posts',
    tag: 'Admin: groups',
    ability: access.ability,
    subject: 'group-posts',
    entity: 'GroupPost',
    noun: 'a post',
    nouns: 'posts of all groups',
    param: 'post',
    item: PostRecord,
    query: PostQuery,
    missing: noSuchPost,
    list: listPostRecords,
    find: findPostRecord,
    view: views,
  })

  route('DELETE /admin/group-posts/:post', {
    operationId: 'adminDeleteGroupPost',
    summary: 'Delete a post with its comments, likes and rewards',
    access,
    params: PostParams,
    reply: { 204: Empty },
    errors: [noSuchPost],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const row = await findPostRecord(tx, call.params.post)
        if (!row) throw noSuchPost()
        await removePost(tx, row.group_id, row.id)
        await publishEvent(ctx, tx, 'post.deleted', { id: row.id, group_id: row.group_id })
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
    async handler(call) {
      const { post, comment } = call.params
      if ((await findGroupOf(sql, post)) === undefined) throw noSuchPost()
      await transaction(sql, async (tx) => {
        const content = { type: postContent.type, id: post }
        const { user_id, body } = await removeCommentAsModerator(ctx, tx, content, comment, call.viewer.id)
        await recordAudit(tx, call, {
          action: 'group-posts.delete-comment',
          subjectType: 'comments',
          subjectId: comment,
          before: { user_id, body },
        })
      })
    },
  })
}

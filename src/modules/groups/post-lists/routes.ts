import { byId } from '#lib/lists.ts'
import { listCollected } from '#modules/collections/index.ts'
import { listTargetsOfUser } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { POST_PIN } from '../pins/schema.ts'
import { findPosts, listPosts, listPostsOf, listPreview, POSTS } from '../posts/queries.ts'
import {
  CollectedQuery,
  MyPostsQuery,
  PostItem,
  PostsQuery,
  SimplePost,
  SimplePostsQuery,
} from '../posts/schema.ts'
import { imagesOf, postItems, postsById } from '../posts/view.ts'
import { GroupParams } from '../schema.ts'
import { getStanding } from '../service.ts'

const PREVIEW = 3

/** Lists of posts across circles, and glances at them (R §20.2.2). */
export function groupPostListRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Groups']
  const items = { tags, response: { 200: Type.Array(PostItem) } }

  server.get(
    '/group-posts',
    {
      config: { access: 'optional' },
      schema: {
        ...items,
        summary: 'List posts of all groups that I may read, or find them by title',
        querystring: PostsQuery,
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      return postItems(ctx, await listPosts(sql, request.query, viewer), viewer)
    },
  )

  server.get(
    '/user-group-posts',
    {
      config: { access: 'user' },
      schema: { ...items, summary: 'List my posts', querystring: MyPostsQuery },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { type = 1, limit, offset } = request.query
      if (type === 1) return postItems(ctx, await listPostsOf(sql, viewer, request.query), viewer)
      const state = type === 2 ? 'active' : 'pending'
      const ids = await listTargetsOfUser(sql, { userId: viewer, channel: POST_PIN, state, limit, offset })
      const views = await postsById(ctx, ids, viewer)
      return ids.flatMap((id) => views.get(id) ?? [])
    },
  )

  server.get(
    '/user-post-collections',
    {
      config: { access: 'user' },
      schema: { ...items, summary: 'List the posts I collected', querystring: CollectedQuery },
    },
    async (request) => {
      const { id: userId } = viewerOf(request)
      const { limit = 15, offset = 0 } = request.query
      const ids = (await listCollected(sql, { type: POSTS, userId, limit, offset })).map(
        (row) => row.collectible_id,
      )
      const rows = ids.length > 0 ? await findPosts(sql, ids, userId) : []
      const found = byId(rows)
      const ordered = ids.flatMap((id) => found.get(id) ?? [])
      return postItems(ctx, ordered, userId)
    },
  )

  for (const path of ['/group/simple-posts', '/simple-posts'])
    server.get(
      path,
      {
        config: { access: 'optional' },
        schema: {
          tags,
          summary: 'Read the headlines of posts by id',
          querystring: SimplePostsQuery,
          response: { 200: Type.Array(SimplePost) },
        },
      },
      async (request) => {
        const rows = await findPosts(sql, request.query.id, viewerId(request))
        const images = await imagesOf(ctx, rows)
        return rows.map(({ id, group_id, title, summary }) => ({
          id,
          group_id,
          title,
          summary,
          image: images.get(id)?.[0] ?? null,
        }))
      },
    )

  for (const path of ['/group/groups/:group/preview-posts', '/groups/:group/preview-posts'])
    server.get(
      path,
      {
        config: { access: 'optional' },
        schema: {
          ...items,
          summary: 'Look at the newest posts of a group before joining; of a paid one without their pictures',
          params: GroupParams,
        },
      },
      async (request) => {
        const viewer = viewerId(request)
        const group = await getStanding(sql, request.params.group, viewer)
        const reads = group.mode === 'public' || group.member?.audit === 1
        if (!reads && group.mode === 'private') return []
        const posts = await postItems(ctx, await listPreview(sql, group.id, PREVIEW), viewer)
        return reads ? posts : posts.map((post) => ({ ...post, images: [] }))
      },
    )
}

import { byId } from '#lib/lists.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { findShownPinsOf, listTargetsOfUser } from '#modules/pinning/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import { contactRefused } from '#modules/users/index.ts'
import { sensitiveWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { blocked, forbidden } from '#platform/errors.ts'
import { Empty, localizedMessage, routesOn, type Server, Type } from '#platform/http'
import { countView } from '#platform/memory'
import { getGroupAccess, isActiveMember, manages } from '../access/service.ts'
import { memberDisabled, noSuchGroup, noSuchPost, notManager, notMember, WRITER_ERRORS } from '../errors.ts'
import { COMMENT_PIN, POST_PIN } from '../pins/schema.ts'
import { GroupParams } from '../schema.ts'
import {
  findPosts,
  listGroupPosts,
  listPosts,
  listPostsOf,
  listPreview,
  seenPosts,
  toggleExcellent,
  viewsOf,
} from './queries.ts'
import {
  CollectedPostsQuery,
  GroupPostParams,
  GroupPostsQuery,
  MyPostsQuery,
  NewPost,
  PinnedAndPosts,
  POSTS,
  Post,
  PostItem,
  PostMade,
  PostParams,
  PostsQuery,
  SimplePost,
  SimplePostsQuery,
} from './schema.ts'
import {
  type CopyToFeed,
  changePost,
  commentRules,
  countCollections,
  countLikes,
  deleteOwnPost,
  getOwnPost,
  getPost,
  getReadable,
  getWritable,
  postContent,
  preparePost,
  readersOf,
  requireWriter,
  standingAt,
} from './service.ts'
import { imagesOf, postItems, postsById } from './view.ts'

const PREVIEW = 3
const VALUE_ERRORS = [sensitiveWords, fileNotUsable, blocked, contactRefused] as const

/** `copyToFeed` is injected, because this module must not import `feeds`. */
export const groupPostRoutes = (copyToFeed: CopyToFeed) => (server: Server, ctx: Context) => {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /groups/:group/posts', {
    operationId: 'listGroupPosts',
    summary: 'List the posts of a group; the first page includes pinned posts',
    access: 'optional',
    params: GroupParams,
    query: GroupPostsQuery,
    reply: { 200: PinnedAndPosts },
    errors: [noSuchGroup],
    load: ({ params, viewer }) => getReadable(sql, params.group, viewer.id),
    handler: async ({ params, query, viewer }) => {
      const isFirst = !query.offset && !query.after && !query.excellent
      const [posts, pinned] = await Promise.all([
        listGroupPosts(sql, params.group, query, viewer.id),
        isFirst ? findShownPinsOf(sql, POST_PIN, params.group) : [],
      ])
      const views = await postsById(ctx, pinned, viewer.id)
      return {
        pinneds: pinned.flatMap((id) => views.get(id) ?? []),
        posts: await postItems(ctx, posts, viewer.id),
      }
    },
  })

  route('GET /groups/:group/posts/:post', {
    operationId: 'getGroupPost',
    summary: 'Read a post and count a view',
    access: 'optional',
    params: GroupPostParams,
    reply: { 200: Post },
    errors: [noSuchPost],
    handler: async ({ params, viewer }) => {
      const view = await getPost(ctx, params.group, params.post, viewer.id)
      countView(() => viewsOf(ctx).add([params.post]))
      return { ...view, views_count: view.views_count + 1 }
    },
  })

  route('POST /groups/:group/posts', {
    operationId: 'createGroupPost',
    summary: 'Post in a group',
    access: 'user',
    params: GroupParams,
    body: NewPost,
    reply: { 201: PostMade },
    errors: [...WRITER_ERRORS, ...VALUE_ERRORS, forbidden, noSuchPost],
    idempotent: true,
    load: ({ params, viewer }) => getWritable(sql, params.group, viewer.id),
    handler: async ({ request, viewer, body, loaded: group, atomically }) => {
      const publish = await preparePost(ctx, group, viewer.id, body, copyToFeed)
      return atomically(async (tx) => {
        const id = await publish(tx)
        const post = await getPost(ctx, group.id, id, viewer.id, tx)
        return { ...localizedMessage(request, 'Published.', '发布成功。'), post }
      })
    },
  })

  route('PUT /groups/:group/posts/:post', {
    operationId: 'updateGroupPost',
    summary: 'Change a post of mine',
    access: 'user',
    params: GroupPostParams,
    body: NewPost,
    reply: { 201: PostMade },
    errors: [noSuchGroup, noSuchPost, forbidden, notMember, memberDisabled, ...VALUE_ERRORS],
    load: ({ params, viewer }) => getOwnPost(sql, params.group, params.post, viewer.id),
    handler: async ({ request, params, viewer, body }) => {
      await changePost(ctx, params.post, viewer.id, body)
      const post = await getPost(ctx, params.group, params.post, viewer.id)
      return { ...localizedMessage(request, 'Changed.', '修改成功。'), post }
    },
  })

  route('DELETE /groups/:group/posts/:post', {
    operationId: 'deleteGroupPost',
    summary: 'Delete a post, as its author or a manager of the group',
    access: 'user',
    params: GroupPostParams,
    reply: { 204: Empty },
    errors: [noSuchGroup, noSuchPost, forbidden],
    handler: ({ params, viewer }) => deleteOwnPost(ctx, params.group, params.post, viewer.id),
  })

  route('PUT /posts/:post/toggle-excellent', {
    operationId: 'toggleExcellentGroupPost',
    aliases: { toggleExcellentGroupPostByOlderPath: '/group/posts/:post/toggle-excellent' },
    summary: 'Mark a post as excellent, or remove the mark, as a manager of its group',
    access: 'user',
    params: PostParams,
    reply: { 204: Empty },
    errors: [noSuchPost, notManager],
    handler: async ({ params, viewer }) => {
      if (!(await postContent.find(sql, params.post, viewer.id))) throw noSuchPost()
      if (!manages(await standingAt(sql, params.post, viewer.id))) throw notManager()
      if (!(await transaction(sql, (tx) => toggleExcellent(tx, params.post)))) throw noSuchPost()
    },
  })

  route('GET /group-posts', {
    operationId: 'listPostsOfAllGroups',
    summary: 'List posts of all groups that I may read, or find them by title',
    access: 'optional',
    query: PostsQuery,
    reply: { 200: Type.Array(PostItem) },
    handler: async ({ query, viewer }) => postItems(ctx, await listPosts(sql, query, viewer.id), viewer.id),
  })

  route('GET /user-group-posts', {
    operationId: 'listMyGroupPosts',
    summary: 'List my posts',
    access: 'user',
    query: MyPostsQuery,
    reply: { 200: Type.Array(PostItem) },
    handler: async ({ query, viewer }) => {
      const { type = 1, limit, offset, after } = query
      if (type === 1) return postItems(ctx, await listPostsOf(sql, viewer.id, query), viewer.id)
      const state = type === 2 ? 'active' : 'pending'
      const page = { limit, offset, after }
      const ids = await listTargetsOfUser(sql, { userId: viewer.id, channel: POST_PIN, state, ...page })
      const views = await postsById(ctx, ids, viewer.id)
      return ids.flatMap((id) => views.get(id) ?? [])
    },
  })

  route('GET /user-post-collections', {
    operationId: 'listCollectedGroupPosts',
    summary: 'List the posts I collected',
    access: 'user',
    query: CollectedPostsQuery,
    reply: { 200: Type.Array(PostItem) },
    handler: async ({ query: { limit = 15, offset, after }, viewer }) => {
      const page = { limit, offset: offset ?? 0, afterContent: after, seen: seenPosts(sql, viewer.id) }
      const collected = await listCollected(sql, { type: POSTS, userId: viewer.id, ...page })
      const ids = collected.map((row) => row.collectible_id)
      const found = byId(ids.length > 0 ? await findPosts(sql, ids, viewer.id) : [])
      return postItems(
        ctx,
        ids.flatMap((id) => found.get(id) ?? []),
        viewer.id,
      )
    },
  })

  route('GET /simple-posts', {
    operationId: 'listGroupPostHeadlines',
    aliases: { listGroupPostHeadlinesByOlderPath: '/group/simple-posts' },
    summary: 'Read the headlines of posts by id',
    access: 'optional',
    query: SimplePostsQuery,
    reply: { 200: Type.Array(SimplePost) },
    handler: async ({ query, viewer }) => {
      const rows = await findPosts(sql, query.id, viewer.id)
      const images = await imagesOf(ctx, rows)
      return rows.map(({ id, group_id, title, summary }) => ({
        id,
        group_id,
        title,
        summary,
        image: images.get(id)?.[0] ?? null,
      }))
    },
  })

  route('GET /groups/:group/preview-posts', {
    operationId: 'previewGroupPosts',
    aliases: { previewGroupPostsByOlderPath: '/group/groups/:group/preview-posts' },
    summary: 'Preview the newest posts of a group; a paid group omits pictures and comments',
    access: 'optional',
    params: GroupParams,
    reply: { 200: Type.Array(PostItem) },
    errors: [noSuchGroup],
    load: ({ params, viewer }) => getGroupAccess(sql, params.group, viewer.id),
    handler: async ({ loaded: group, viewer }) => {
      const reads = group.mode === 'public' || isActiveMember(group)
      const shown = reads || group.mode === 'paid' ? await listPreview(sql, group.id, PREVIEW, viewer.id) : []
      const posts = await postItems(ctx, shown, viewer.id)
      return reads ? posts : posts.map((post) => ({ ...post, images: [], comments: [] }))
    },
  })

  const mayWrite = async (target: { id: number }, viewerId: number) => {
    await requireWriter(sql, target.id, viewerId)
  }

  mountLikes(server, ctx, postContent, {
    create: '/group-posts/:post/likes',
    remove: '/group-posts/:post/likes',
    list: '/group-posts/:post/likes',
    twice: 422,
    none: 422,
    urls: true,
    count: countLikes,
    readers: readersOf,
    mayWrite,
    errors: [noSuchPost, memberDisabled],
  })
  mountCollections(server, ctx, postContent, {
    create: '/group-posts/:post/collections',
    remove: '/group-posts/:post/uncollect',
    twice: 422,
    none: 422,
    count: countCollections,
  })
  mountComments(server, ctx, postContent, {
    ...commentRules,
    path: '/group-posts/:post/comments',
    shape: 'pinned',
    pinned: (db, id) => findShownPinsOf(db, COMMENT_PIN, id),
    mayWrite,
    errors: [noSuchPost, memberDisabled],
  })
  mountRewards(server, ctx, postContent, {
    create: '/group-posts/:post/new-rewards',
    aliases: { rewardGroupPostByOldPath: '/group-posts/:post/rewards' },
    list: '/group-posts/:post/rewards',
    notice: 'group:post-reward',
    mayWrite,
    errors: [noSuchPost, memberDisabled],
  })
}

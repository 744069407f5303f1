import type { FastifyRequest } from 'fastify'
import { mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import { mountRewards } from '#modules/rewards/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { Empty } from '#platform/schema.ts'
import { memberDisabled, noSuchGroup, noSuchPost, notManager } from '../errors.ts'
import { pinnedIn } from '../pins/endings.ts'
import { COMMENT_PIN, POST_PIN } from '../pins/schema.ts'
import { GroupParams, rankOf } from '../schema.ts'
import { actingRank, getStanding } from '../service.ts'
import { listGroupPosts, toggleExcellent, viewsOf } from './queries.ts'
import {
  GroupPostParams,
  GroupPostsQuery,
  NewPost,
  PinnedAndPosts,
  Post,
  PostMade,
  PostParams,
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
  getWritable,
  postContent,
  publishPost,
  readersOf,
  requireWriter,
  standingAt,
  writablePost,
} from './service.ts'
import { postItems, postsById } from './view.ts'

const tags = ['Groups']
const groupOf = (request: FastifyRequest) => (request.params as { group: number }).group
const postOf = (request: FastifyRequest) => (request.params as { post: number }).post

/** Posts in circles and what people do to them (R §20). `copyToFeed` is how feeds, a layer above, take copies. */
export const groupPostRoutes = (copyToFeed: CopyToFeed) => (server: Server, ctx: Context) => {
  const { sql } = ctx

  /** The circle for who may read its posts; a private one is unknown to others (decisions §2). */
  const getReadable = async (groupId: number, viewer: number) => {
    const group = await getStanding(sql, groupId, viewer)
    if (group.mode !== 'public' && group.member?.audit !== 1) throw noSuchGroup()
    return group
  }

  server.get(
    '/groups/:group/posts',
    {
      config: {
        access: 'optional',
        before: (request) => getReadable(groupOf(request), viewerId(request)),
      },
      schema: {
        tags,
        summary: 'List the posts of a group; the first page has the pinned ones too',
        params: GroupParams,
        querystring: GroupPostsQuery,
        response: { 200: PinnedAndPosts },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const { group } = request.params
      await getReadable(group, viewer)
      const { offset = 0, excellent } = request.query
      const [posts, pinned] = await Promise.all([
        listGroupPosts(sql, group, request.query),
        offset === 0 && !excellent ? pinnedIn(sql, POST_PIN, group) : [],
      ])
      const views = await postsById(ctx, pinned, viewer)
      return {
        pinneds: pinned.flatMap((id) => views.get(id) ?? []),
        posts: await postItems(ctx, posts, viewer),
      }
    },
  )

  server.get(
    '/groups/:group/posts/:post',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Read a post, which counts a view',
        params: GroupPostParams,
        response: { 200: Post },
      },
    },
    async (request) => {
      const { group, post } = request.params
      const view = await getPost(ctx, group, post, viewerId(request))
      viewsOf(ctx).add([post])
      return { ...view, views_count: view.views_count + 1 }
    },
  )

  server.post(
    '/groups/:group/posts',
    {
      config: {
        access: 'user',
        before: (request) => getWritable(sql, groupOf(request), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Post in a group',
        params: GroupParams,
        body: NewPost,
        response: { 201: PostMade },
      },
    },
    async (request, reply) => {
      const { group } = request.params
      const { id: viewer } = viewerOf(request)
      const id = await publishPost(ctx, group, viewer, request.body, copyToFeed)
      const post = await getPost(ctx, group, id, viewer)
      return reply.code(201).send({ ...say(request, 'Published.', '发布成功。'), post })
    },
  )

  server.put(
    '/groups/:group/posts/:post',
    {
      config: {
        access: 'user',
        before: (request) => getOwnPost(sql, groupOf(request), postOf(request), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Change a post of mine',
        params: GroupPostParams,
        body: NewPost,
        response: { 201: PostMade },
      },
    },
    async (request, reply) => {
      const { group, post: id } = request.params
      const { id: viewer } = viewerOf(request)
      await changePost(ctx, group, id, viewer, request.body)
      const post = await getPost(ctx, group, id, viewer)
      return reply.code(201).send({ ...say(request, 'Changed.', '修改成功。'), post })
    },
  )

  server.delete(
    '/groups/:group/posts/:post',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Delete a post, as its author or a manager of the group',
        params: GroupPostParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { group, post } = request.params
      await deleteOwnPost(ctx, group, post, viewerOf(request).id)
      return reply.code(204).send()
    },
  )

  for (const path of ['/group/posts/:post/toggle-excellent', '/posts/:post/toggle-excellent'])
    server.put(
      path,
      {
        config: { access: 'user' },
        schema: {
          tags,
          summary: 'Make a post an excellent one, or a usual one again, as a manager of its group',
          params: PostParams,
          response: { 204: Empty },
        },
      },
      async (request, reply) => {
        const { post } = request.params
        const { id: viewer } = viewerOf(request)
        if (!(await postContent.find(sql, post, viewer))) throw noSuchPost()
        if (actingRank(await standingAt(sql, post, viewer)) < rankOf('administrator')) throw notManager()
        if (!(await transaction(sql, (tx) => toggleExcellent(tx, post)))) throw noSuchPost()
        return reply.code(204).send()
      },
    )

  const mayWrite = (target: { id: number }, viewer: number) => requireWriter(sql, target.id, viewer)

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
    errors: [memberDisabled],
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
    pinned: (db, id) => pinnedIn(db, COMMENT_PIN, id),
    mayWrite,
    errors: [memberDisabled],
  })
  mountRewards(server, ctx, writablePost, {
    create: ['/group-posts/:post/new-rewards', '/group-posts/:post/rewards'],
    notice: 'group:post-reward',
  })
  mountRewards(server, ctx, postContent, {
    create: [],
    list: '/group-posts/:post/rewards',
    notice: 'group:post-reward',
  })
}

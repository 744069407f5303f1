import {
  endPin,
  listPinsAddressedTo,
  mountPinning,
  notPinned,
  pinForFree,
  pinnedAlready,
} from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Id, Message, Type } from '#platform/schema.ts'
import { noSuchPost, notManager } from '../errors.ts'
import { COMMENT_PIN, CommentPinsQuery, FreePin, GroupPin, POST_PIN, PostPinsQuery } from './schema.ts'
import { commentPinDecisions, commentPins, getManagedPost, postPinDecisions, postPins } from './service.ts'
import { pinViews } from './view.ts'

/** Pinning of posts and comments in groups (groups-26, groups-27): asked for with points, decided by founder or author. */
export function groupPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })
  mountPinning(server, ctx, postPins, postPinDecisions)
  mountPinning(server, ctx, commentPins, commentPinDecisions)

  const params = Type.Object({ post: Id })

  route('POST /pinned/posts/:post/create', {
    operationId: 'pinGroupPost',
    summary: 'Pin a post of a group that I manage, or let its pin last longer',
    access: 'user',
    params,
    body: FreePin,
    reply: { 201: Message },
    errors: [noSuchPost, notManager, pinnedAlready],
    load: ({ params, viewer }) => getManagedPost(sql, params.post, viewer.id),
    handler: async ({ request, viewer: { id: by }, body: { day }, loaded: { group, post } }) => {
      const subject = { contentId: group.id, targetId: post.id, authorId: post.ownerId, deciderId: by }
      await transaction(sql, (tx) => pinForFree(tx, postPins, subject, { day, by }))
      return say(request, 'Pinned.', '置顶成功。')
    },
  })

  route('PATCH /pinned/posts/:post/cancel', {
    operationId: 'endGroupPostPin',
    summary: 'End the pin of a post of a group that I manage',
    access: 'user',
    params,
    reply: { 201: Message },
    errors: [noSuchPost, notManager, notPinned],
    load: ({ params, viewer }) => getManagedPost(sql, params.post, viewer.id),
    handler: async ({ request, viewer, loaded: { post } }) => {
      if (!(await endPin(sql, POST_PIN, post.id, viewer.id))) throw notPinned()
      return say(request, 'No longer pinned.', '已取消置顶。')
    },
  })

  route('GET /pinned/posts', {
    operationId: 'listGroupPostPins',
    summary: 'List requests to pin posts that are addressed to me',
    access: 'user',
    query: PostPinsQuery,
    reply: { 200: Type.Array(GroupPin) },
    handler: async ({ query: { group: contentId, after, limit }, viewer: { id: deciderId } }) => {
      const pins = await listPinsAddressedTo(sql, { deciderId, channel: POST_PIN, contentId, after, limit })
      return pinViews(ctx, pins, 'post', deciderId)
    },
  })

  route('GET /pinned/comments', {
    operationId: 'listGroupPostCommentPins',
    summary: 'List requests to pin comments that are addressed to me',
    access: 'user',
    query: CommentPinsQuery,
    reply: { 200: Type.Array(GroupPin) },
    handler: async ({ query: { post: contentId, after, limit }, viewer: { id: deciderId } }) => {
      const pins = await listPinsAddressedTo(sql, {
        deciderId,
        channel: COMMENT_PIN,
        contentId,
        after,
        limit,
      })
      return pinViews(ctx, pins, 'comment', deciderId)
    },
  })
}

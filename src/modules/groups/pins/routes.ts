import { distinct } from '#lib/lists.ts'
import { commentViews } from '#modules/comments/index.ts'
import {
  endPin,
  findAverageDailyPrice,
  listPinsAddressedTo,
  mountPinning,
  notPinned,
  type PinRow,
  pinForFree,
  pinnedAlready,
  pinStateNumber,
  pinView,
} from '#modules/pinning/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { Id, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { noSuchPost, notManager } from '../errors.ts'
import { postsById } from '../posts/view.ts'
import {
  COMMENT_PIN,
  CommentPinsQuery,
  FreePin,
  GroupPin,
  GroupPinAverage,
  POST_PIN,
  PostPinsQuery,
} from './schema.ts'
import { commentPinDecisions, commentPins, getManagedPost, postPinDecisions, postPins } from './service.ts'

async function pinViews(
  ctx: Context,
  pins: PinRow[],
  channel: 'post' | 'comment',
  viewerId: number,
): Promise<GroupPin[]> {
  const isComment = channel === 'comment'
  const postOf = (pin: PinRow) => (isComment ? pin.thing_id : pin.target_id)
  const [users, posts, comments] = await Promise.all([
    userViews(ctx, ctx.sql, distinct(pins, 'user_id'), viewerId),
    postsById(ctx, distinct(pins, isComment ? 'thing_id' : 'target_id'), viewerId),
    commentViews(ctx, isComment ? distinct(pins, 'target_id') : [], viewerId),
  ])
  return pins.map((pin) => ({
    ...pinView(pin),
    channel,
    raw: isComment ? pin.thing_id : 0,
    target: pin.target_id,
    state: pinStateNumber(pin.state),
    status: pinStateNumber(pin.state),
    user: users.get(pin.user_id) ?? null,
    post: posts.get(postOf(pin)) ?? null,
    comment: (isComment ? comments.get(pin.target_id) : undefined) ?? null,
  }))
}

export function groupPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })
  mountPinning(server, ctx, postPins, postPinDecisions)
  mountPinning(server, ctx, commentPins, commentPinDecisions)

  const params = Type.Object({ post: Id })

  route('POST /pinned/posts/:post/create', {
    operationId: 'pinGroupPost',
    summary: 'Pin a post of a group that I manage, or extend its pin',
    access: 'user',
    params,
    body: FreePin,
    reply: { 201: Message },
    errors: [noSuchPost, notManager, pinnedAlready],
    load: ({ params, viewer }) => getManagedPost(sql, params.post, viewer.id),
    handler: async ({ request, viewer: { id: by }, body: { day }, loaded: { group, post } }) => {
      const subject = { contentId: group.id, targetId: post.id, authorId: post.ownerId, deciderId: by }
      await transaction(sql, (tx) => pinForFree(tx, postPins, subject, { day, by }))
      return localizedMessage(request, 'Pinned.', '置顶成功。')
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
      return localizedMessage(request, 'No longer pinned.', '已取消置顶。')
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

export function groupPinAverageRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /plus-group/average', {
    operationId: 'getGroupPinAverage',
    summary: 'Read the average daily price of a pin in groups',
    access: 'user',
    reply: { 200: GroupPinAverage },
    handler: async () => {
      const [post, comment] = await Promise.all([
        findAverageDailyPrice(ctx.sql, POST_PIN),
        findAverageDailyPrice(ctx.sql, COMMENT_PIN),
      ])
      return { post, post_comment: comment }
    },
  })
}

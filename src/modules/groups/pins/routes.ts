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
<<<<<<< HEAD
import { notFounder, notManager } from '../errors.ts'
import { addPinIncome } from '../incomes/queries.ts'
import { findTitle } from '../posts/queries.ts'
import { rankOf } from '../standing/schema.ts'
import { actingRank } from '../standing/service.ts'
import { findLastPin, listAddressedPins } from './queries.ts'
import {
  COMMENT_PIN,
  CommentPinsQuery,
  FreePin,
  GroupPin,
  PinRequest,
  POST_PIN,
  PostPinsQuery,
} from './schema.ts'
import { commentPins, getPinnableComment, getPinnablePost, getPostFor, postPins } from './service.ts'
import { pinViews } from './view.ts'

const tags = ['Groups']
const amountRequired = () =>
  invalidField('amount', { en: 'The amount field is required.', zh: 'amount 不能为空。' })

/** What can be pinned: posts in groups, and comments under them. */
type Pinnable = {
  param: 'post' | 'comment'
  kind: PinKind
  /** Whose pin the viewer may ask for. */
  find(sql: Db, id: number, viewerId: number, options?: { lock: boolean }): Promise<{ subject: PinSubject }>
  /** Throws for who may not decide. */
  mayDecide(sql: Db, id: number, viewerId: number): Promise<void>
  /** In the transaction that asks or decides. */
  asked?(tx: Tx, subject: PinSubject): Promise<void>
  accepted?(
    tx: Tx,
    pin: { thing_id: number; target_id: number; amount: number; user_id: number },
  ): Promise<void>
}

const posts: Pinnable = {
  param: 'post',
  kind: postPins,
  find: getPinnablePost,
  async mayDecide(sql, id, viewerId) {
    if (actingRank((await getPostFor(sql, id, viewerId)).group) < rankOf('founder')) throw notFounder()
  },
  async accepted(tx, pin) {
    if (pin.amount === 0) return
    const subject = (await findTitle(tx, pin.target_id)) ?? ''
    await addPinIncome(tx, { groupId: pin.thing_id, subject, amount: pin.amount, userId: pin.user_id })
  },
}

const comments: Pinnable = {
  param: 'comment',
  kind: commentPins,
  find: getPinnableComment,
  async mayDecide(sql, id, viewerId) {
    const { subject } = await getPinnableComment(sql, id, viewerId)
    if (subject.deciderId !== viewerId) throw forbidden()
  },
  // Who decides is told; posts have their list of requests for that.
  asked: (tx, subject) =>
    notify(tx, {
      type: 'system',
      recipients: [subject.deciderId],
      senderId: subject.authorId,
      cause: { type: 'comments', id: subject.targetId },
      data: {
        type: 'group:send-comment-pinned',
        resource: { type: 'comments', id: subject.targetId },
        post: { id: subject.contentId },
      },
    }),
}

/** Pinning of posts and comments in groups (groups-26, groups-27): asked for with points, decided by founder or author. */
=======
import { noSuchPost, notManager } from '../errors.ts'
import { COMMENT_PIN, CommentPinsQuery, FreePin, GroupPin, POST_PIN, PostPinsQuery } from './schema.ts'
import { commentPinDecisions, commentPins, getManagedPost, postPinDecisions, postPins } from './service.ts'
import { pinViews } from './view.ts'

/** Pinning of posts and comments in groups (pins-11): asked for with points, decided by founder or author. */
>>>>>>> a28adff (Make one mechanism of pins, and describe pins, purchases and rewards)
export function groupPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })
  mountPinning(server, ctx, postPins, postPinDecisions)
  mountPinning(server, ctx, commentPins, commentPinDecisions)

<<<<<<< HEAD
  for (const { param, kind, find, mayDecide, asked, accepted } of [posts, comments]) {
    const params = Type.Object({ [param]: Id })
    const idOf = (request: FastifyRequest) => (request.params as Record<string, number>)[param]!
    const admit = async (request: FastifyRequest, reply: FastifyReply) => {
      const { id: viewer } = viewerOf(request)
      const { subject } = await find(sql, idOf(request), viewer)
      // Who decides on their own pin pays nothing, so nothing has to be confirmed.
      if (subject.deciderId !== viewer) await admitApplicant(ctx, request, reply, subject)
      else if (subject.authorId !== viewer) throw forbidden()
      return subject
    }
    const decide = (request: FastifyRequest) => mayDecide(sql, idOf(request), viewerOf(request).id)

    // The older paths took wallet money; there is one price now, in points.
    for (const prefix of [`/currency-pinned/${param}s/:${param}`, `/pinned/${param}s/:${param}`]) {
      server.post(
        prefix,
        {
          config: {
            access: 'user',
            before: async (request, reply) => refuseSecondPin(sql, kind.channel, await admit(request, reply)),
          },
          schema: {
            tags,
            summary: `Ask for a pin of a ${param}, paid with points`,
            params,
            body: PinRequest,
            response: { 201: Message },
          },
        },
        (request, reply) =>
          once(ctx, request, reply, async (atomically) => {
            await admit(request, reply)
            return atomically(async (tx) => {
              // Who decides is read under a lock: the group may have been handed over since.
              const { subject } = await find(tx, idOf(request), viewerOf(request).id, { lock: true })
              const own = subject.deciderId === subject.authorId
              const { amount, day } = request.body
              if (amount === undefined && !own) throw amountRequired()
              const pinned = await applyForPin(tx, kind, subject, { amount: amount ?? 1, day })
              if (!pinned) await asked?.(tx, subject)
              const body = pinned
                ? say(request, 'Pinned.', '置顶成功。')
                : say(request, 'Your request waits for review.', '申请已提交，等待审核。')
              return { status: 201, body }
            })
          }),
      )
      for (const [verb, accept] of [
        ['accept', true],
        ['reject', false],
      ] as const)
        server.patch(
          `${prefix}/${verb}`,
          {
            config: { access: 'user' },
            schema: {
              tags,
              summary: accept
                ? `Accept the pin of a ${param}`
                : `Reject the pin of a ${param}; its price goes back`,
              params,
              response: { 201: Message },
            },
          },
          (request, reply) =>
            once(ctx, request, reply, async (atomically) => {
              await decide(request)
              const pin = await findLastPin(sql, kind.channel, idOf(request))
              if (!pin) throw notFound()
              if (pin.state !== 'pending') throw noLongerWaiting(422)
              return atomically(async (tx) => {
                const by = viewerOf(request).id
                const settled = await settlePin(tx, kind, pin.id, { accept, by, handled: 422 })
                if (accept) await accepted?.(tx, settled)
                return { status: 201, body: say(request, 'Done.', '操作成功。') }
              })
            }),
        )
    }
  }

  const manage = async (request: FastifyRequest) => {
    const { post } = request.params as { post: number }
    const found = await getPostFor(sql, post, viewerOf(request).id)
    if (actingRank(found.group) < rankOf('administrator')) throw notManager()
    return found
  }
=======
>>>>>>> a28adff (Make one mechanism of pins, and describe pins, purchases and rewards)
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

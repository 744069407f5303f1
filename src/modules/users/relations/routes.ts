import { deleteUnreadFrom, planNotices, withdrawNotifications } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Sql, transaction } from '#platform/database'
import { apiError, blocked } from '#platform/errors.ts'
import { Empty, language, routesOn, type Server, Shared, Type } from '#platform/http'
import { isUser } from '../queries.ts'
import { noSuchUser, UserParams, UserView } from '../schema.ts'
import { userPage } from '../view.ts'
import { notifyOfRequest, withdrawRequestNotice } from './notices.ts'
import { enqueueWithdrawal } from './private-accounts.ts'
import {
  alreadyFollowed,
  blocksTarget,
  deleteBlock,
  deleteFollow,
  FollowerParams,
  followsOneself,
  insertBlock,
  insertFollow,
  listBlockedIds,
  listFollowerIds,
  listFollowingIds,
  listMutualIds,
  lockPair,
  MutualQuery,
  RelationQuery,
  TargetParams,
} from './queries.ts'

const blocksOneself = apiError(422, 'blocks_oneself', 'You cannot block yourself.', '不能将自己加入黑名单。')

async function follow(sql: Sql, userId: number, targetId: number): Promise<void> {
  if (userId === targetId) throw followsOneself()
  await transaction(sql, async (tx) => {
    // Promise.all sends a lazy statement last, so this one starts the lock itself.
    const locking = lockPair(tx, userId, targetId).execute()
    const inserting = insertFollow(tx, userId, targetId)
    const cause = { type: 'users', id: targetId }
    const notice = { type: 'follow' as const, recipients: [targetId], senderId: userId, cause, data: {} }
    const plan = planNotices(tx, [notice])
    const [, outcome] = await Promise.all([locking, inserting])
    if (!outcome.found) throw noSuchUser()
    if (outcome.blockers.includes(targetId)) throw blocked()
    if (outcome.blockers.length > 0) throw blocksTarget()
    if (outcome.new) await notifyOfRequest(tx, userId, targetId)
    if (outcome.asked) return
    if (outcome.answered) await withdrawRequestNotice(tx, userId, targetId)
    if (!outcome.made) throw alreadyFollowed()
    await plan.send([notice])
  })
}

async function unfollow(sql: Sql, followerId: number, followedId: number, askedFor: number): Promise<void> {
  await transaction(sql, async (tx) => {
    await lockPair(tx, followerId, followedId)
    const { ended, withheld, unasked, ...followed } = await deleteFollow(tx, followerId, followedId)
    if (unasked) await withdrawRequestNotice(tx, followerId, followedId)
    if (followed.private && (ended || withheld)) await enqueueWithdrawal(tx, followedId, followerId)
    if (ended)
      await withdrawNotifications(tx, {
        type: 'follow',
        senderId: followerId,
        recipients: [followedId],
        cause: { type: 'users', id: followedId },
      })
    else if (!withheld && !(await isUser(tx, askedFor))) throw noSuchUser()
  })
}

async function block(sql: Sql, userId: number, targetId: number): Promise<void> {
  if (targetId === userId) throw blocksOneself()
  await transaction(sql, async (tx) => {
    await lockPair(tx, userId, targetId)
    if (!(await insertBlock(tx, userId, targetId))) throw noSuchUser()
    // Deletes in the order of user ids, so that two users who block each other do not deadlock.
    const [low, high] = userId < targetId ? [userId, targetId] : [targetId, userId]
    await deleteUnreadFrom(tx, low, high)
    await deleteUnreadFrom(tx, high, low)
  })
}

export function followRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })
  const requireUser = async (id: number) => {
    if (!(await isUser(sql, id))) throw noSuchUser()
  }

  route('PUT /user/followings/:target', {
    operationId: 'followUser',
    summary: 'Follow a person; 422 when already followed',
    access: 'user',
    params: TargetParams,
    reply: { 204: Empty },
    errors: [noSuchUser, followsOneself, alreadyFollowed, blocked, blocksTarget],
    handler: ({ params, viewer }) => follow(sql, viewer.id, params.target),
  })

  route('DELETE /user/followings/:target', {
    operationId: 'unfollowUser',
    summary: 'Stop following a person',
    access: 'user',
    params: TargetParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: ({ params, viewer }) => unfollow(sql, viewer.id, params.target, params.target),
  })

  route('DELETE /user/followers/:follower', {
    operationId: 'removeFollower',
    summary: 'Remove a follower, who is not notified',
    whileSilenced: true,
    access: 'user',
    params: FollowerParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: ({ params, viewer }) => unfollow(sql, params.follower, viewer.id, params.follower),
  })

  for (const [name, entities, list] of [
    ['followers', 'Followers', listFollowerIds],
    ['followings', 'Followings', listFollowingIds],
  ] as const) {
    route(`GET /user/${name}`, {
      operationId: `listMy${entities}`,
      summary: `List my ${name}, newest first`,
      access: 'user',
      query: RelationQuery,
      reply: { 200: Type.Array(UserView) },
      handler: async ({ viewer, query }) =>
        userPage(ctx, await list(sql, viewer.id, query, viewer.id), viewer.id),
    })

    route(`GET /users/:user/${name}`, {
      operationId: `list${entities}`,
      summary: `List the ${name} of a person, newest first`,
      access: 'optional',
      params: UserParams,
      query: RelationQuery,
      reply: { 200: Type.Array(UserView) },
      errors: [noSuchUser],
      precheck: ({ params }) => requireUser(params.user),
      handler: async ({ params, query, viewer }) => {
        const [ids] = await Promise.all([list(sql, params.user, query, viewer.id), requireUser(params.user)])
        return userPage(ctx, ids, viewer.id)
      },
    })
  }

  route('GET /user/follow-mutual', {
    operationId: 'listFriends',
    summary: 'List mutual followings, newest first',
    access: 'user',
    query: MutualQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listMutualIds(sql, viewer.id, query), viewer.id),
  })
}

const Blocked = Shared('Blocked', { message: Type.String() })

export function blockRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('POST /user/black/:user', {
    operationId: 'blockUser',
    summary: 'Block a person',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 201: Blocked },
    errors: [noSuchUser, blocksOneself],
    handler: async ({ params, viewer, request }) => {
      await block(sql, viewer.id, params.user)
      return { message: language(request) === 'zh' ? '已加入黑名单。' : 'Blocked.' }
    },
  })

  route('DELETE /user/black/:user', {
    operationId: 'unblockUser',
    summary: 'Unblock a person',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: async ({ params, viewer }) => {
      if (!(await deleteBlock(sql, viewer.id, params.user))) throw noSuchUser()
    },
  })

  route('GET /user/blacks', {
    operationId: 'listBlockedUsers',
    summary: 'List people I block, newest first',
    access: 'user',
    query: RelationQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ viewer, query }) =>
      userPage(ctx, await listBlockedIds(sql, viewer.id, query), viewer.id),
  })
}

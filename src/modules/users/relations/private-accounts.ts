import { wireTime } from '#lib/time.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { andAfterRow, type Db, transaction } from '#platform/database'
import {
  CursorBy,
  Empty,
  guestPurgeOf,
  Limit,
  routesOn,
  type Server,
  Shared,
  type Static,
  Time,
  Type,
} from '#platform/http'
import { addJob } from '#platform/jobs'
import { noSuchUser, UserParams, UserView } from '../schema.ts'
import { userViews } from '../view.ts'
import { withdrawRequestNotice } from './notices.ts'
import { insertFollow, lockPair, noBlockBetween } from './queries.ts'

const Privacy = Shared('Privacy', {
  private: Type.Boolean({ description: 'True if only followers see my feeds' }),
})
type Privacy = Static<typeof Privacy>

const FollowRequest = Shared('FollowRequest', { user: UserView, created_at: Time })
const RequestQuery = Type.Object({ limit: Limit(), after: CursorBy('user.id') })

async function readPrivacy(sql: Db, userId: number): Promise<Privacy> {
  const [row] = await sql<[Privacy]>`
    select exists (select from private_accounts where user_id = ${userId}) as private`
  return row
}

/** Takes the lock that every new follow takes, so that no follow races with the change. */
async function setPrivacy(ctx: Context, userId: number, { private: isPrivate }: Privacy): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    await lockPair(tx, userId, userId)
    if (isPrivate) {
      const { count } =
        await tx`insert into private_accounts (user_id) values (${userId}) on conflict do nothing`
      if (count > 0) await enqueueWithdrawal(tx, userId)
    } else await tx`delete from private_accounts where user_id = ${userId}`
    await guestPurgeOf(ctx).announce(tx)
  })
}

/**
 * Withdraws unread notifications about the feeds of a private account from `reader`, who does not follow it any
 * more, or by default from everybody who does not. The module `feeds` defines the job.
 */
export const enqueueWithdrawal = (tx: Db, author: number, reader?: number) =>
  addJob(tx, 'withdraw_private_feeds', { author, reader })

const listRequests = (
  sql: Db,
  userId: number,
  { limit = 15, after }: { limit?: number; after?: number },
) => sql<{ user_id: number; created_at: string }[]>`
  select r.user_id, r.created_at from follow_requests r join users u on u.id = r.user_id and u.deleted_at is null
  where r.target_id = ${userId} ${noBlockBetween(sql, userId, sql`r.user_id`)}
    ${andAfterRow(
      sql,
      after,
      sql`r.id`,
      sql`select id from follow_requests where target_id = ${userId} and user_id = ${after ?? 0}`,
    )}
  order by r.id desc limit ${limit}`

/** Deletes a request and its unread notification. Call after `lockPair`. */
async function takeRequest(tx: Db, userId: number, targetId: number): Promise<boolean> {
  const { count } = await tx`
    delete from follow_requests where user_id = ${userId} and target_id = ${targetId}`
  if (count > 0) await withdrawRequestNotice(tx, userId, targetId)
  return count > 0
}

/** Accepts a request. Returns false if it is gone, such as after a block. */
async function accept(tx: Db, userId: number, targetId: number): Promise<boolean> {
  await lockPair(tx, userId, targetId)
  if (!(await takeRequest(tx, userId, targetId))) return false
  const { made } = await insertFollow(tx, userId, targetId, { isAccepted: true })
  if (made)
    await notify(tx, {
      type: 'system',
      recipients: [userId],
      senderId: targetId,
      cause: { type: 'users', id: targetId },
      data: { type: 'follow:accept' },
    })
  return true
}

async function refuse(tx: Db, userId: number, targetId: number): Promise<void> {
  await lockPair(tx, userId, targetId)
  await takeRequest(tx, userId, targetId)
}

export function privateAccountRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('GET /user/privacy', {
    operationId: 'getPrivacy',
    summary: 'Read whether only followers see my feeds',
    access: 'user',
    reply: { 200: Privacy },
    handler: ({ viewer }) => readPrivacy(sql, viewer.id),
  })

  route('PUT /user/privacy', {
    operationId: 'setPrivacy',
    summary: 'Show my feeds to followers only, or to everybody',
    whileSilenced: true,
    access: 'user',
    body: Privacy,
    reply: { 204: Empty },
    handler: ({ viewer, body }) => setPrivacy(ctx, viewer.id, body),
  })

  route('GET /user/follow-requests', {
    operationId: 'listFollowRequests',
    summary: 'List the requests to follow me, newest first',
    access: 'user',
    query: RequestQuery,
    reply: { 200: Type.Array(FollowRequest) },
    handler: async ({ viewer, query }) => {
      const rows = await listRequests(sql, viewer.id, query)
      const users = await userViews(
        ctx,
        sql,
        rows.map(({ user_id: id }) => id),
        viewer.id,
      )
      return rows.flatMap((row) => {
        const user = users.get(row.user_id)
        return user ? [{ user, created_at: wireTime(row.created_at) }] : []
      })
    },
  })

  route('PUT /user/follow-requests/:user', {
    operationId: 'acceptFollowRequest',
    summary: 'Accept a request to follow me',
    access: 'user',
    params: UserParams,
    reply: { 204: Empty },
    errors: [noSuchUser],
    handler: async ({ params, viewer }) => {
      const isFound = await transaction(sql, (tx) => accept(tx, params.user, viewer.id))
      if (!isFound) throw noSuchUser()
    },
  })

  route('DELETE /user/follow-requests/:user', {
    operationId: 'refuseFollowRequest',
    summary: 'Refuse a request to follow me; the person is not notified',
    whileSilenced: true,
    access: 'user',
    params: UserParams,
    reply: { 204: Empty },
    handler: async ({ params, viewer }) => {
      await transaction(sql, (tx) => refuse(tx, params.user, viewer.id))
    },
  })
}

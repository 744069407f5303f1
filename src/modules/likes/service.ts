import type { Content, Counts, Target } from '#contracts/content.ts'
import { wireTime } from '#lib/time.ts'
import { planNotices, planWithdrawal } from '#modules/notifications/index.ts'
import { UserView, UserWithUrls, userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { batchWrites, type Db, transaction } from '#platform/database'
import { apiError, blocked, notFound } from '#platform/errors.ts'
import { Cursor, Limit, Nullable, OpenObject, Shared, type Static, Time, Type } from '#platform/http'
import { deletionInBatches } from '#platform/jobs'
import {
  deleteLike,
  deleteSomeLikes,
  insertLikes,
  type LatestLikes,
  type LikeRow,
  listLatestLikes,
} from './queries.ts'

export const likedAlready = (status: number) =>
  apiError(status, 'already_liked', 'You already like this.', '你已经赞过了。')

export const notLiked = (status: number) =>
  apiError(status, 'not_liked', 'You do not like this.', '你还没有赞过。')

const plain = {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  likeable_id: Type.Integer(),
  likeable_type: Type.String(),
  created_at: Time,
  updated_at: Time,
}

export const LikeWithUser = Shared('Like', { ...plain, user: Nullable(UserView) })
export type LikeWithUser = Static<typeof LikeWithUser>

export const LikeWithUrls = Shared('LikeWithUrls', { ...plain, user: Nullable(UserWithUrls) })

/** `likeable` is null when the liked content is deleted or hidden from the viewer. */
export const ReceivedLike = Shared('ReceivedLike', {
  ...LikeWithUser.properties,
  likeable: Nullable(OpenObject),
})

export const LikesQuery = (standard = 15) => Type.Object({ limit: Limit(standard), after: Cursor })

/** Both timestamps are the time of creation, because a like never changes. */
export const likesWithUsers = (rows: readonly LikeRow[], people: Map<number, UserView>): LikeWithUser[] =>
  rows.map((row) => ({
    ...row,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.created_at),
    user: people.get(row.user_id) ?? null,
  }))

export async function withUsers(ctx: Context, rows: LikeRow[], viewerId: number): Promise<LikeWithUser[]> {
  const ids = rows.map((row) => row.user_id)
  return likesWithUsers(rows, await userViews(ctx, ctx.sql, ids, viewerId))
}

export async function latestLikes(ctx: Context, options: LatestLikes): Promise<Map<number, LikeWithUser[]>> {
  if (options.contentIds.length === 0) return new Map()
  const rows = await listLatestLikes(ctx.sql, options)
  return Map.groupBy(await withUsers(ctx, rows, options.viewerId), (like) => like.likeable_id)
}

export type LikeRules = {
  count?: Counts
  /** Filters the given users to those who may read the content. Other users get no notifications. */
  readers?(sql: Db, target: Target, userIds: number[]): Promise<number[]>
}

export async function like(
  ctx: Context,
  content: Content,
  { count, readers }: LikeRules,
  target: Target,
  userId: number,
): Promise<boolean> {
  const told = readers ? await readers(ctx.sql, target, [target.ownerId]) : [target.ownerId]
  const outcome = await addLike(ctx.sql, `${content.type} ${target.id}`, {
    content,
    count,
    target,
    userId,
    told,
  })
  if (outcome === 'blocked') throw blocked()
  return outcome === 'new'
}

type NewLike = { content: Content; count: Counts | undefined; target: Target; userId: number; told: number[] }

type LikeOutcome = 'new' | 'known' | 'blocked'

/** Inserts concurrent likes of one content in one batch. */
const addLike = batchWrites((sql, likes: NewLike[]) =>
  transaction(sql, async (tx) => {
    const { content, count, target } = likes[0] as NewLike
    const userIds = likes.map(({ userId }) => userId)
    const inserting = insertLikes(tx, content, count, target, userIds)
    const resource = { type: content.type, id: target.id }
    const notices = likes.map(({ told, userId, target: { contents, hidden, closed } }) => ({
      type: 'like' as const,
      recipients: told,
      hidesRecipients: hidden || closed,
      senderId: userId,
      cause: resource,
      data: { resource, contents },
    }))
    const plan = planNotices(tx, notices)
    const { found, changed, blocked } = await inserting
    if (!found) throw notFound()
    const rest = new Set(changed)
    const refused = new Set(blocked)
    const outcomes = userIds.map((userId): LikeOutcome => {
      if (rest.delete(userId)) return 'new'
      return refused.has(userId) ? 'blocked' : 'known'
    })
    await plan.send(notices.map((notice, position) => (outcomes[position] === 'new' ? notice : null)))
    return outcomes
  }),
)

export async function unlike(
  ctx: Context,
  content: Content,
  count: Counts | undefined,
  target: Target,
  userId: number,
): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const deleting = deleteLike(tx, content, count, target.id, userId)
    const cause = { type: content.type, id: target.id }
    const withdrawal = planWithdrawal(tx, { type: 'like', senderId: userId, cause })
    const { found, changed } = await deleting
    if (!found) throw notFound()
    if (changed) await withdrawal.apply()
    return changed
  })
}

export const { deleteOf: deleteLikesOf, tasks: likeTasks } = deletionInBatches(
  'delete_likes',
  deleteSomeLikes,
)

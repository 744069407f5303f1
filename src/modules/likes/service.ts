import { findBlockers } from '#modules/accounts/index.ts'
import { notify, takeBack } from '#modules/notifications/index.ts'
import type { Content, Counts, Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { together } from '#platform/database/together.ts'
import { type Db, transaction } from '#platform/database.ts'
import { blocked, notFound } from '#platform/errors.ts'
import { deleteLike, insertLikes } from './queries.ts'

export type LikeRules = {
  /** Keeps the counter of likes of the content. */
  count?: Counts
  /** Which of these people may see the content, where not everybody may. */
  readers?(sql: Db, target: Target, userIds: number[]): Promise<number[]>
}

/** Likes content and tells its owner. False when this person liked it already. */
export async function like(
  ctx: Context,
  content: Content,
  { count, readers }: LikeRules,
  target: Target,
  userId: number,
): Promise<boolean> {
  // Whom an unknown owner blocks would tell who that is, so it only decides whether the owner is told.
  const owners = target.ownerId > 0 && !target.hidden ? [target.ownerId] : []
  if ((await findBlockers(ctx.sql, userId, owners)).size > 0) throw blocked()
  const told = readers ? await readers(ctx.sql, target, [target.ownerId]) : [target.ownerId]
  return addLike(ctx.sql, `${content.type} ${target.id}`, { content, count, target, userId, told })
}

type NewLike = { content: Content; count: Counts | undefined; target: Target; userId: number; told: number[] }

/** Writes likes of one thing that many may like at once, and tells its owner of each; answers whose are new. */
const addLike = together((sql, likes: NewLike[]) =>
  transaction(sql, async (tx) => {
    const { content, count, target } = likes[0] as NewLike
    const userIds = likes.map(({ userId }) => userId)
    const { found, changed } = await insertLikes(tx, content, count, target, userIds)
    if (!found) throw notFound()
    // Of two at the same time by one person the first is it.
    const rest = new Set(changed)
    const isNew = userIds.map((userId) => rest.delete(userId))
    const resource = { type: content.type, id: target.id }
    await notify(
      tx,
      likes
        .filter((_, position) => isNew[position])
        .map(({ told, userId, target: { contents } }) => ({
          ...{ type: 'like', recipients: told, senderId: userId, cause: resource },
          data: { resource, contents },
        })),
    )
    return isNew
  }),
)

/** Takes a like back, with what the owner was told and has not read. False when there was none. */
export async function unlike(
  ctx: Context,
  content: Content,
  count: Counts | undefined,
  target: Target,
  userId: number,
): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const { found, changed } = await deleteLike(tx, content, count, target.id, userId)
    if (!found) throw notFound()
    if (changed)
      await takeBack(tx, { type: 'like', senderId: userId, cause: { type: content.type, id: target.id } })
    return changed
  })
}

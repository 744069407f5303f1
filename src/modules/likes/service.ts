import { findBlockers } from '#modules/accounts/index.ts'
import { notify, takeBack } from '#modules/notifications/index.ts'
import type { Content, Counts, Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { blocked, notFound } from '#platform/errors.ts'
import { deleteLike, insertLike } from './queries.ts'

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
  return transaction(ctx.sql, async (tx) => {
    const { found, changed } = await insertLike(tx, content, count, target, userId)
    if (!found) throw notFound()
    const resource = { type: content.type, id: target.id }
    if (changed)
      await notify(tx, {
        type: 'like',
        recipients: told,
        senderId: userId,
        cause: resource,
        data: { resource, contents: target.contents },
      })
    return changed
  })
}

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

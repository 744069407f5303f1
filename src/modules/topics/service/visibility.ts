import { hasAbility } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { forbidden } from '#platform/errors.ts'
import { noSuchTopic } from '../errors.ts'
import { type Eyes, findTopicOwner } from '../queries/topics.ts'

/**
 * Runs `find` with the eyes of the viewer. The ability of reviewers is asked for only when they would otherwise get
 * 404, so that the usual case costs one statement.
 */
export async function look<T>(
  ctx: Context,
  viewerId: number,
  find: (eyes: Eyes) => Promise<T | undefined | false>,
): Promise<T> {
  const found = await find({ viewerId, reviewer: false })
  if (found) return found
  if (viewerId > 0 && (await hasAbility(ctx, viewerId, 'admin: feed topics'))) {
    const seen = await find({ viewerId, reviewer: true })
    if (seen) return seen
  }
  throw noSuchTopic()
}

/** The topic's id, name and creator; 404 for those from whom it is hidden (decisions §7). */
export const requireVisibleTopic = (ctx: Context, id: number, viewerId: number) =>
  look(ctx, viewerId, (eyes) => findTopicOwner(ctx.sql, id, eyes))

/** The same, and 403 for those who may not change it: all but its creator and holders of the ability. */
export async function requireEditableTopic(ctx: Context, id: number, viewerId: number) {
  const topic = await requireVisibleTopic(ctx, id, viewerId)
  if (topic.creator_user_id !== viewerId && !(await hasAbility(ctx, viewerId, 'admin: update feed topic')))
    throw forbidden()
  return topic
}

import { cancelPinOfTarget, cancelPinsOfContent, findShownPins } from '#modules/pinning/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { COMMENT_PIN, POST_PIN } from './schema.ts'

/** Cancels what is pinned of a post and under it, and gives back what waits. */
export async function cancelPinsOfPost(tx: Tx, postId: number): Promise<void> {
  await cancelPinsOfContent(tx, [COMMENT_PIN], postId)
  await cancelPinOfTarget(tx, POST_PIN, postId)
}

/** The same for one comment. */
export const cancelPinOfComment = (tx: Tx, commentId: number) => cancelPinOfTarget(tx, COMMENT_PIN, commentId)

/** What is pinned in a group, or under a post, dearest first. */
export const pinnedIn = async (sql: Db, channel: string, contentId: number): Promise<number[]> =>
  (await findShownPins(sql, channel, [contentId])).get(contentId) ?? []

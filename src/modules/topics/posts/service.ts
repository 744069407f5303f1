import type { Db } from '#platform/database.ts'
import { unknownTopic } from '../errors.ts'
import { addPost, removePost } from './queries.ts'

/**
 * Counts a new feed in its topics, in the transaction that makes it. 422 on `topics` when one of them does not exist
 * for the author: unknown, or not passed and not the author's own.
 */
export async function linkTopics(
  tx: Db,
  { topicIds, userId }: { topicIds: number[]; userId: number },
): Promise<void> {
  const wanted = new Set(topicIds)
  if (wanted.size === 0) return
  const linked = await addPost(tx, [...wanted], userId)
  if (linked.length < wanted.size) throw unknownTopic()
}

/** Takes back what `linkTopics` counted, in the transaction that deletes the feed. `userId` is its author. */
export async function unlinkTopics(
  tx: Db,
  { topicIds, userId }: { topicIds: number[]; userId: number },
): Promise<void> {
  if (topicIds.length > 0) await removePost(tx, [...new Set(topicIds)], userId)
}

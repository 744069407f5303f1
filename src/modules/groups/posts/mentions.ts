import { findMentions } from '#lib/mentions.ts'
import { cutCharacters, nameKey } from '#lib/text.ts'
import { findBlockers, findPeopleByKeys } from '#modules/accounts/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Tx } from '#platform/database.ts'
import { blocked } from '#platform/errors.ts'
import { findReaders } from './queries.ts'
import { POSTS } from './schema.ts'

/** How much of a post is told to who is mentioned in it. */
const QUOTED = 100

/** Tells who is mentioned in a post and may read it; 403 where one of them blocks its author. */
export async function tellMentioned(
  tx: Tx,
  { groupId, postId, userId, text }: { groupId: number; postId: number; userId: number; text: string },
): Promise<void> {
  const names = findMentions(text).map(nameKey)
  if (names.length === 0) return
  const mentioned = await findPeopleByKeys(tx, names)
  if ((await findBlockers(tx, userId, mentioned)).size > 0) throw blocked()
  await notify(tx, {
    type: 'at',
    recipients: await findReaders(tx, groupId, mentioned),
    senderId: userId,
    cause: { type: POSTS, id: postId },
    data: { resource: { type: POSTS, id: postId }, contents: cutCharacters(text, QUOTED) },
  })
}

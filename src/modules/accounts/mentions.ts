import { EXCERPT_LENGTH } from '#contracts/content.ts'
import { cutCharacters, findMentions, nameKey } from '#lib/text.ts'
import { notify } from '#modules/notifications/index.ts'
import { type Db, type Tx, when } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { hasBlocked } from './relations/queries.ts'

/** Finds enabled users by id or name key. `blocks` is true if the found user blocks the viewer. */
export const findMentionedUsers = (sql: Db, viewerId: number, ids: number[], nameKeys: string[]) => sql<
  { id: number; name_key: string; blocks: boolean }[]
>`
  select u.id, u.name_key, ${hasBlocked(sql, sql`u.id`, viewerId)} as blocks
  from users u
  where u.deleted_at is null and (
    u.id = any(${ids}) ${when(sql, nameKeys.length > 0, () => sql`or u.name_key = any(${nameKeys})`)}
  )`

/**
 * Notifies users mentioned in new content. Throws 403 if one of them blocks the content's author. `readers`
 * returns the mentioned users who may read the content. `excerpt` is the public part of the text.
 */
export async function notifyMentioned(
  tx: Tx,
  authorId: number,
  text: string,
  content: { type: string; id: number },
  {
    excerpt = text,
    readers = async (ids) => ids,
    hidesRecipients,
  }: { excerpt?: string; readers?(ids: number[]): Promise<number[]>; hidesRecipients?: boolean },
): Promise<void> {
  const names = findMentions(text).map(nameKey)
  if (names.length === 0) return
  const mentioned = await findMentionedUsers(tx, authorId, [], names)
  if (mentioned.some(({ blocks }) => blocks)) throw blocked()
  await notify(tx, {
    type: 'at',
    recipients: await readers(mentioned.map(({ id }) => id)),
    hidesRecipients,
    senderId: authorId,
    cause: content,
    data: { resource: content, contents: cutCharacters(excerpt, EXCERPT_LENGTH) },
  })
}

import { notify, takeBack } from '#modules/notifications/index.ts'
import { type Sql, transaction } from '#platform/database.ts'
import { blocked } from '#platform/errors.ts'
import { noSuchUser } from '../users/errors.ts'
import { alreadyFollowed, followsOneself } from './errors.ts'
import { deleteFollow, insertFollow } from './queries.ts'

/** Follows somebody and tells them. A second time is an error, unlike with topics (sign-in-15). */
export async function follow(sql: Sql, userId: number, targetId: number): Promise<void> {
  if (userId === targetId) throw followsOneself()
  await transaction(sql, async (tx) => {
    const outcome = await insertFollow(tx, userId, targetId)
    if (!outcome.found) throw noSuchUser()
    if (outcome.blocked) throw blocked()
    if (!outcome.made) throw alreadyFollowed()
    const cause = { type: 'users', id: targetId }
    await notify(tx, { type: 'follow', recipients: [targetId], senderId: userId, cause, data: {} })
  })
}

/** Ends a following, if there is one, and what of it the other has not read. */
export async function unfollow(sql: Sql, userId: number, targetId: number): Promise<void> {
  await transaction(sql, async (tx) => {
    const { found, gone } = await deleteFollow(tx, userId, targetId)
    if (gone) await takeBack(tx, { type: 'follow', senderId: userId, cause: { type: 'users', id: targetId } })
    else if (!found) throw noSuchUser()
  })
}

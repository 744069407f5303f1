import { notify, takeBack } from '#modules/notifications/index.ts'
import { type Sql, transaction } from '#platform/database.ts'
import { apiError, blocked } from '#platform/errors.ts'
import { noSuchUser } from '../users/errors.ts'
import { deleteFollow, insertFollow } from './queries.ts'

const followsOneself = apiError(422, 'follows_oneself', 'You cannot follow yourself.', '不能关注自己。')
const alreadyFollowed = apiError(
  422,
  'already_followed',
  'You follow this person already.',
  '你已经关注了该用户。',
)

/** Follows somebody and tells them. A second time is an error, unlike with topics (R §12.4). */
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

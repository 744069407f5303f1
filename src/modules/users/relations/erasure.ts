import type { Db, Tx } from '#platform/database'
import { withdrawNoticesOf } from './notices.ts'
import { enqueueWithdrawal } from './private-accounts.ts'
import { deleteFollows, withholdFollowNotices } from './withheld.ts'

/** Follows and requests are too many for one transaction: see `endFollowings` and `endRequests`. */
export async function eraseRelations(tx: Tx, userId: number): Promise<void> {
  await tx`delete from famous_users where user_id = ${userId}`
  await tx`delete from user_blocks where user_id = ${userId} or target_id = ${userId}`
  await tx`delete from contact_rules where user_id = ${userId}`
  await tx`delete from muted_words where user_id = ${userId}`
  await tx`delete from user_mutes where user_id = ${userId} or target_id = ${userId}`
}

/** Deletes some follows of an erased account, with their unread notifications. */
export async function endFollowings(tx: Tx, userId: number, limit: number): Promise<number> {
  const { seen, links } = await deleteFollows(tx, [userId])
  await withholdFollowNotices(tx, links, [userId])
  const withheld = await tx`
    delete from withheld_follows where (user_id, target_id) in (
      (select user_id, target_id from withheld_follows where user_id = ${userId} limit ${limit})
      union all
      (select user_id, target_id from withheld_follows where target_id = ${userId} limit ${limit})
    )`
  return seen + withheld.count
}

/** Keeps the row of `private_accounts`, because the feeds of the account stay and must not become public (relations-8). */
export async function endRequests(sql: Db, userId: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from follow_requests where (user_id, target_id) in (
      (select user_id, target_id from follow_requests where user_id = ${userId} limit ${limit})
      union all
      (select user_id, target_id from follow_requests where target_id = ${userId} limit ${limit})
    )`
  return count
}

/** Withdraws unread notifications that lead to the erased account, or to feeds without followers. */
export async function withdrawNotices(tx: Tx, userId: number): Promise<void> {
  await withdrawNoticesOf(tx, userId)
  const isClosed = await tx`select from private_accounts where user_id = ${userId}`
  if (isClosed.length > 0) await enqueueWithdrawal(tx, userId)
}

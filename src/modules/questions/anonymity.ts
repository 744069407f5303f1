import { removeSender } from '#modules/notifications/index.ts'
import type { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { listAdoptedIds } from './answers/queries.ts'
import { anonymityOff } from './errors.ts'
import { ANSWERS, QUESTIONS } from './schema.ts'
import { readQuestionSettings } from './settings.ts'

type Authored = { user_id: number; anonymity: boolean }

const hides = (row: Authored, viewerId: number) => row.anonymity && row.user_id !== viewerId

/**
 * User ids of the authors that `viewerId` may see. Replies load only these users, and so cannot leak a hidden
 * author.
 */
export const shownPeople = (rows: Authored[], viewerId: number) =>
  rows.filter((row) => !hides(row, viewerId)).map((row) => row.user_id)

export type Users = Awaited<ReturnType<typeof userViews>>

/** Author fields of a reply. `user_id` is 0 for a hidden author. */
export const author = (row: Authored, viewerId: number, people: Users) =>
  hides(row, viewerId) ? { user_id: 0 } : { user_id: row.user_id, user: people.get(row.user_id) ?? null }

/**
 * Sender fields of a notification. `senderId` is 0 for an anonymous sender. The recipient's blocks still
 * apply to `hiddenSenderId`.
 */
export const senderOf = (userId: number, anonymity: boolean) =>
  anonymity ? { senderId: 0, hiddenSenderId: userId } : { senderId: userId }

export async function requireAnonymity(ctx: Context, anonymity: boolean | undefined): Promise<void> {
  if (anonymity && !(await readQuestionSettings(ctx))['site:anonymous']) throw anonymityOff()
}

/** Removes the asker from earlier notifications of a question that became anonymous. */
export async function hideAsker(tx: Tx, id: number, senderId: number): Promise<void> {
  const cause = { type: QUESTIONS, id }
  await removeSender(tx, { senderId, systemType: 'qa:invitation', cause })
  await removeSender(tx, { senderId, type: 'at', cause })
  const adopted = await listAdoptedIds(tx, id)
  if (adopted.length > 0)
    await removeSender(tx, {
      senderId,
      systemType: 'qa:answer-adoption',
      cause: { type: ANSWERS, id: adopted },
    })
}

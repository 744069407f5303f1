import type { userViews } from '#modules/accounts/index.ts'
import { hideSender } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { notePersonal } from '#platform/pages/reading.ts'
import { listAdoptedIds } from './answers/queries.ts'
import { anonymityOff } from './errors.ts'
import { ANSWERS, QUESTIONS } from './schema.ts'

type Authored = { user_id: number; anonymity: boolean }

/** Whether the author has to stay unknown to this viewer. */
const hides = (row: Authored, viewerId: number) => row.anonymity && row.user_id !== viewerId

/** The people to be shown with rows: not those who are to stay unknown, so that no slip can tell of them. */
export const shownPeople = (rows: Authored[], viewerId: number) =>
  rows.filter((row) => !hides(row, viewerId)).map((row) => row.user_id)

/** They themselves are shown who wrote what nobody else is told of. */
export function noteUnnamed(rows: Authored[]): void {
  const unnamed = rows.filter(({ anonymity }) => anonymity)
  if (unnamed.length > 0) notePersonal(unnamed.map((row) => row.user_id))
}

export type People = Awaited<ReturnType<typeof userViews>>

/** How the author stands in a reply: as nobody where they have to stay unknown. */
export const author = (row: Authored, viewerId: number, people: People) =>
  hides(row, viewerId) ? { user_id: 0 } : { user_id: row.user_id, user: people.get(row.user_id) ?? null }

/** Who is named as the sender of a notification: nobody where the doer is anonymous, but blocks hold all the same. */
export const senderOf = (userId: number, anonymity: boolean) =>
  anonymity ? { senderId: 0, hiddenSenderId: userId } : { senderId: userId }

/** 422 while the site does not let people be anonymous. */
export async function requireAnonymity(ctx: Context, anonymity: boolean | undefined): Promise<void> {
  if (anonymity && !(await readSettings(ctx))['site:anonymous']) throw anonymityOff()
}

/** Takes the asker's name off what was told of a question before it became anonymous. */
export async function hideAsker(tx: Tx, id: number, senderId: number): Promise<void> {
  await hideSender(tx, { senderId, systemType: 'qa:invitation', cause: { type: QUESTIONS, id } })
  const adopted = await listAdoptedIds(tx, id)
  if (adopted.length > 0)
    await hideSender(tx, {
      senderId,
      systemType: 'qa:answer-adoption',
      cause: { type: ANSWERS, id: adopted },
    })
}

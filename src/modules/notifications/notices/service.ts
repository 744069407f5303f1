import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { notify, takeBack } from '../service.ts'
import {
  advanceNotice,
  countPeople,
  findPeopleAfter,
  insertNotice,
  lockNotice,
  withdrawNotice,
} from './queries.ts'

/** People told in one transaction of a notice to everybody. */
const AT_ONCE = 500

const tell = (tx: Db, id: number, recipients: number[]) =>
  notify(tx, {
    type: 'system',
    recipients,
    senderId: 0,
    cause: { type: 'notices', id },
    data: { type: 'notice', notice: { id } },
  })

/** Sends a notice to these people in the caller's transaction, or begins to send it to everybody. */
export async function sendNotice(
  tx: Db,
  notice: { userId: number; contents: string; userIds: number[] | null },
): Promise<number> {
  const id = await insertNotice(tx, notice)
  if (notice.userIds === null) await addJob(tx, 'send_notice', { id }, { queue: 'notices' })
  else {
    await tell(tx, id, notice.userIds)
    await advanceNotice(tx, id, notice.userIds.length, null)
  }
  return id
}

/** Tells everybody who has not been told yet, in batches that each keep how far they came; interrupted between two. */
export async function sendToAll(ctx: Context, id: number, signal: AbortSignal): Promise<void> {
  await countPeople(ctx.sql, id)
  for (let goesOn = true; goesOn; ) {
    signal.throwIfAborted()
    goesOn = await transaction(ctx.sql, async (tx) => {
      const notice = await lockNotice(tx, id)
      if (!notice) return false
      const people = await findPeopleAfter(tx, notice.last_user_id, AT_ONCE)
      if (people.length > 0) await tell(tx, id, people)
      const last = people.length < AT_ONCE ? null : (people.at(-1) as number)
      await advanceNotice(tx, id, people.length, last)
      return last !== null
    })
  }
}

/** Stops a notice and takes it back from those who have not read it; undefined when there is none. */
export async function takeNoticeBack(tx: Db, id: number): Promise<string | undefined> {
  const contents = await withdrawNotice(tx, id)
  if (contents !== undefined) await takeBack(tx, { cause: { type: 'notices', id } })
  return contents
}

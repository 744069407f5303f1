import { uuidv7 } from '#lib/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { deleteUnread, insertNotices, type Taken } from './queries.ts'
import type { Notice } from './schema.ts'

/** How many notifications one statement takes back; more are left to a job. */
const AT_ONCE = 5000

/**
 * Tells people something, in the transaction that causes it: best its last statement, because the rows of the people
 * told stay locked until the commit. Nobody is told of their own doing, by somebody they block, or, except by the
 * system, twice of the same cause while it is unread.
 */
export async function notify(tx: Db, notices: Notice | Notice[]): Promise<void> {
  const list = [notices].flat()
  const users: number[] = []
  const ids: string[] = []
  const positions: number[] = []
  const seen = new Set<string>()
  list.forEach(({ type, recipients, senderId, hiddenSenderId, cause }, position) => {
    for (const recipient of recipients) {
      const key = `${recipient} ${type} ${senderId} ${cause.type} ${cause.id} ${type === 'system' ? position : ''}`
      const own = recipient === senderId || recipient === hiddenSenderId
      if (recipient <= 0 || own || seen.has(key)) continue
      seen.add(key)
      users.push(recipient)
      ids.push(uuidv7())
      positions.push(position)
    }
  })
  if (users.length > 0) await insertNotices(tx, list, { users, ids, positions })
}

/** Removes what nobody has read yet of something that was undone, in the transaction that undoes it. */
export async function takeBack(tx: Db, taken: Taken): Promise<void> {
  const gone = await deleteUnread(tx, taken, AT_ONCE)
  if (gone === AT_ONCE) await addJob(tx, 'take_back_notifications', taken)
}

/** Takes back what `takeBack` left over. */
export async function takeBackRest(ctx: Context, taken: Taken, signal: AbortSignal): Promise<void> {
  while ((await deleteUnread(ctx.sql, taken, AT_ONCE)) === AT_ONCE) signal.throwIfAborted()
}

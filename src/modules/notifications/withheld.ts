import type { Db } from '#platform/database'
import { deleteUnreadWhere, findUnreadFrom, restoreUnread, type Withheld } from './queries.ts'
import type { NotificationType } from './schema.ts'

type Wanted = { sender: number; recipient: number; cause: { type: string; id: number } }

/** Removes unread notifications of disabled senders, and returns them for `restoreNotifications`. */
export async function withholdNotifications(
  tx: Db,
  type: NotificationType,
  wanted: readonly Wanted[],
): Promise<Withheld[]> {
  if (wanted.length === 0) return []
  const keyOf = (...parts: (string | number)[]) => parts.join(' ')
  const keys = new Set(
    wanted.map(({ sender, recipient, cause }) => keyOf(recipient, sender, cause.type, cause.id)),
  )
  const unread = await findUnreadFrom(tx, type, {
    users: [...new Set(wanted.map(({ recipient }) => recipient))],
    senders: [...new Set(wanted.map(({ sender }) => sender))],
  })
  const found = unread.filter((row) =>
    keys.has(keyOf(row.user_id, row.sender_id, row.cause_type, row.cause_id)),
  )
  const withheld: Withheld[] = []
  // Locks counters in the order of user ids to avoid deadlocks.
  for (const [user, rows] of Map.groupBy(found, ({ user_id }) => user_id)) {
    const column = <T>(of: (row: (typeof rows)[number]) => T) => rows.map(of)
    const matches = tx`
      (n.sender_id, n.cause_type, n.cause_id) in (
        select * from unnest(${column(({ sender_id }) => sender_id)}::bigint[], ${column(({ cause_type }) => cause_type)}::text[],
          ${column(({ cause_id }) => cause_id)}::bigint[])
      )`
    withheld.push(...(await deleteUnreadWhere(tx, user, matches, type)))
  }
  return withheld
}

/** Puts notifications back. They are read if their recipient has marked all as read meanwhile. */
export async function restoreNotifications(tx: Db, withheld: readonly Withheld[]): Promise<void> {
  const byUser = Map.groupBy(
    withheld.toSorted((a, b) => a.user_id - b.user_id),
    ({ user_id }) => user_id,
  )
  for (const [user, own] of byUser)
    for (const [type, rows] of Map.groupBy(own, (row) => row.type as NotificationType))
      await restoreUnread(tx, user, type, rows)
}

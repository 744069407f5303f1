import type { Db } from '#platform/database.ts'
import { type NotificationRow, notificationColumns } from '../queries.ts'

/** The last place given in a person's order, 0 before the first. */
export async function findLastSeq(sql: Db, userId: number): Promise<number> {
  const [row] = await sql<[{ last_seq: number }]>`
    select coalesce((select last_seq from notification_cursors where user_id = ${userId}), 0)::bigint as last_seq`
  return row.last_seq
}

export type NewRow = NotificationRow & { user_id: number }

/** What came after a place in the order of each of these people, oldest first, at most `limit` each. */
export const findNewer = (sql: Db, after: { users: number[]; seqs: number[] }, limit: number) => sql<
  NewRow[]
>`
  select n.user_id, ${notificationColumns(sql)}
  from unnest(${after.users}::bigint[], ${after.seqs}::bigint[]) as t (user_id, seq)
  cross join lateral (
    select * from notifications o where o.user_id = t.user_id and o.seq > t.seq order by o.seq limit ${limit}
  ) as n
  order by n.user_id, n.seq`

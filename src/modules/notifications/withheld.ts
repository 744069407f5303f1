import type { Db, Row } from '#platform/database'
import type { NotificationType } from './schema.ts'

/** A notification outside the list of its recipient. It returns to the same place in the list. */
export type Withheld = Row<
  'notifications',
  'user_id' | 'seq' | 'id' | 'type' | 'sender_id' | 'data' | 'cause_type' | 'cause_id' | 'created_at'
>

type Wanted = { sender: number; recipient: number; cause: { type: string; id: number } }

/** Removes unread notifications of disabled senders, and returns them for `restoreNotifications`. */
export async function withholdNotifications(
  tx: Db,
  type: NotificationType,
  wanted: readonly Wanted[],
): Promise<Withheld[]> {
  if (wanted.length === 0) return []
  const column = <T>(of: (each: Wanted) => T) => wanted.map(of)
  return tx<Withheld[]>`
    with wanted as (
      select * from unnest(${column(({ recipient }) => recipient)}::bigint[], ${column(({ sender }) => sender)}::bigint[],
        ${column(({ cause }) => cause.type)}::text[], ${column(({ cause }) => cause.id)}::bigint[])
        as w (user_id, sender_id, cause_type, cause_id)
    ),
    locked as (
      select user_id, read_seq from notification_counts
      where type = ${type} and user_id in (select user_id from wanted) order by user_id for update
    ),
    gone as (
      delete from notifications n using wanted w join locked l on l.user_id = w.user_id
      where n.cause_type = w.cause_type and n.cause_id = w.cause_id and n.sender_id = w.sender_id
        and n.user_id = w.user_id and n.type = ${type} and n.seq > l.read_seq
      returning n.user_id, n.seq, n.id, n.type, n.sender_id, n.data, n.cause_type, n.cause_id, n.created_at
    ),
    counted as (
      update notification_counts kept set
        unread = greatest(kept.unread - g.number, 0), total = greatest(kept.total - g.number, kept.unread - g.number, 0)
      from (select user_id, count(*) as number from gone group by user_id) as g
      where kept.user_id = g.user_id and kept.type = ${type}
    )
    select * from gone`
}

/** Puts notifications back. They are read if their recipient has marked all as read meanwhile. */
export async function restoreNotifications(tx: Db, withheld: readonly Withheld[]): Promise<void> {
  if (withheld.length === 0) return
  await tx`
    with back as (
      select w.* from jsonb_to_recordset(${tx.json(withheld as never)}) as w
        (user_id bigint, seq bigint, id uuid, type text, sender_id bigint, data jsonb, cause_type text, cause_id bigint,
         created_at timestamptz)
      join users u on u.id = w.user_id and u.erased_at is null
    ),
    locked as (
      select user_id, type, read_seq from notification_counts
      where (user_id, type) in (select user_id, type from back) order by user_id, type for update
    ),
    made as (
      insert into notifications (user_id, seq, id, type, sender_id, data, cause_type, cause_id, created_at)
      select user_id, seq, id, type, sender_id, data, cause_type, cause_id, created_at from back
      where exists (select from locked l where l.user_id = back.user_id and l.type = back.type)
      on conflict do nothing returning user_id, type, seq
    )
    update notification_counts kept set total = kept.total + m.total, unread = kept.unread + m.unread,
      last_seq = greatest(kept.last_seq, m.last_seq)
    from (
      select m.user_id, m.type, count(*) as total, count(*) filter (where m.seq > l.read_seq) as unread,
        max(m.seq) as last_seq
      from made m join locked l on l.user_id = m.user_id and l.type = m.type group by m.user_id, m.type
    ) as m
    where kept.user_id = m.user_id and kept.type = m.type`
}

import type { Db } from '#platform/database'

/**
 * Current state of a notification's subject. Fields are null when it is deleted or hidden from the recipient.
 */
export type Thing = {
  kind: 'news' | 'answer' | 'post' | 'comment' | 'report'
  reader: number
  id: number
  /** Title of an article or post, or text of a comment or answer. */
  text: string | null
  question_id: number | null
  group_id: number | null
  group_name: string | null
  post_id: number | null
  post_title: string | null
}

/** A subject to look up for a recipient. The report of a group is found by its own id. */
export type Wanted = Pick<Thing, 'kind' | 'reader' | 'id'>

/**
 * Reads the current state of subjects, all kinds in one statement. Unpublished titles and texts of closed
 * groups are limited to their authors and users with access, answers to their author and the asker.
 */
export function findThings(sql: Db, wanted: Wanted[]): Promise<Thing[]> {
  const of = (kind: Wanted['kind']) => {
    const found = wanted.filter((each) => each.kind === kind)
    return sql`unnest(${found.map(({ reader }) => reader)}::bigint[], ${found.map(({ id }) => id)}::bigint[]) as w (reader, id)`
  }
  const readable = sql`(g.deleted_at is null and ((g.audit = 1 and g.mode = 'public') or coalesce((
    select m.audit = 1 and not m.disabled from group_members m where m.group_id = g.id and m.user_id = w.reader
  ), false)))`
  const groupName = sql`case when g.deleted_at is null then g.name end`
  return sql<Thing[]>`
    select 'news' as kind, w.reader, n.id, n.title as text, null::bigint as question_id, null::bigint as group_id,
      null as group_name, null::bigint as post_id, null as post_title
    from ${of('news')} join news n on n.id = w.id
    where n.audit_status = 0 or n.user_id = w.reader
    union all
    select 'answer', w.reader, a.id,
      case when w.reader in (a.user_id, q.user_id) then coalesce(nullif(a.text_body, ''), a.body) end,
      a.question_id, null, null, null, null
    from ${of('answer')} join answers a on a.id = w.id join questions q on q.id = a.question_id
    union all
    select 'post', w.reader, p.id, case when ${readable} or p.user_id = w.reader then p.title end, null,
      g.id, ${groupName}, p.id, null
    from ${of('post')} join group_posts p on p.id = w.id join groups g on g.id = p.group_id
    union all
    select 'comment', w.reader, c.id, case when ${readable} or c.user_id = w.reader then c.body end, null,
      g.id, ${groupName}, p.id, case when ${readable} or p.user_id = w.reader then p.title end
    from ${of('comment')} join comments c on c.id = w.id and c.commentable_type = 'group-posts'
    join group_posts p on p.id = c.commentable_id join groups g on g.id = p.group_id
    union all
    select 'report', w.reader, r.id, null, null, g.id, ${groupName}, r.post_id,
      case when ${readable} or p.user_id = w.reader then p.title end
    from ${of('report')} join group_reports r on r.id = w.id join groups g on g.id = r.group_id
    left join group_posts p on p.id = r.post_id`
}

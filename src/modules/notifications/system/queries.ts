import type { Db } from '#platform/database.ts'

/** What a notification is about, as it is now: null where it is gone or no longer for its reader to see. */
export type Thing = {
  kind: 'news' | 'answer' | 'post' | 'comment' | 'report'
  reader: number
  id: number
  /** The title of an article or post, or the text of a comment. */
  text: string | null
  question_id: number | null
  group_id: number | null
  group_name: string | null
  post_id: number | null
  post_title: string | null
}

/** A thing that a reader is to be told more of; the report of a group by its own id. */
export type Wanted = Pick<Thing, 'kind' | 'reader' | 'id'>

/**
 * The present state of things, all kinds in one statement, each by its key. Titles of what is not published and what is
 * said in closed groups are for their authors and for who may read there.
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
    select 'answer', w.reader, a.id, null, a.question_id, null, null, null, null
    from ${of('answer')} join answers a on a.id = w.id
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

import { type Content, type Counts, countsOf } from '#platform/content.ts'
import type { Db, Fragment } from '#platform/database.ts'

export type CommentRow = {
  id: number
  commentable_type: string
  commentable_id: number
  user_id: number
  target_user: number
  reply_user: number
  body: string
  created_at: string
  updated_at: string
}

export type CommentValues = {
  contentId: number
  userId: number
  targetUser: number
  replyUser: number
  body: string
}

const columns = (sql: Db) => sql`
  c.id, c.commentable_type, c.commentable_id, c.user_id, c.target_user, c.reply_user, c.body, c.created_at, c.updated_at`

/** Writes a comment and counts it on the content and on its author. Undefined when the content is gone. */
export async function insertComment(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  { contentId, userId, targetUser, replyUser, body }: CommentValues,
): Promise<CommentRow | undefined> {
  const [row] = await sql<CommentRow[]>`
    with target as (${content.live(sql, contentId)} for no key update),
    made as (
      insert into comments as c (commentable_type, commentable_id, user_id, target_user, reply_user, body)
      select ${content.type}, id, ${userId}::bigint, ${targetUser}::bigint, ${replyUser}::bigint, ${body} from target
      returning ${columns(sql)}
    ),
    changed (id, by) as (select commentable_id, 1 from made),
    author as (
      update user_counts set comments_count = comments_count + 1, updated_at = now()
      where user_id in (select user_id from made)
    ) ${countsOf(sql, count)}
    select * from made`
  return row
}

/** Deletes a comment for real and takes it out of the counts. Undefined when another call was faster. */
export async function deleteComment(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  contentId: number,
  id: number,
): Promise<CommentRow | undefined> {
  const [row] = await sql<CommentRow[]>`
    with target as (${content.live(sql, contentId)} for no key update),
    gone as (
      delete from comments c using target t
      where c.commentable_type = ${content.type} and c.commentable_id = t.id and c.id = ${id}
      returning ${columns(sql)}
    ),
    changed (id, by) as (select commentable_id, -1 from gone),
    author as (
      update user_counts set comments_count = greatest(comments_count - 1, 0), updated_at = now()
      where user_id in (select user_id from gone)
    ) ${countsOf(sql, count)}
    select * from gone`
  return row
}

/** Deletes all comments on content, out of their authors' counts too; answers their ids. */
export async function deleteAllComments(sql: Db, type: string, contentIds: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with gone as (
      delete from comments where commentable_type = ${type} and commentable_id = any(${contentIds})
      returning id, user_id
    ),
    authors as (
      update user_counts u set comments_count = greatest(u.comments_count - g.n, 0), updated_at = now()
      from (select user_id, count(*) as n from gone group by user_id) g where u.user_id = g.user_id
    )
    select id from gone`
  return rows.map(({ id }) => id)
}

/** Notes a client's mark; false when the person sent the same less than three seconds ago. */
export async function claimMark(sql: Db, userId: number, mark: string): Promise<boolean> {
  const rows = await sql`
    insert into comment_marks as m (user_id, mark) values (${userId}, ${mark})
    on conflict (user_id, mark) do update set created_at = now()
      where m.created_at <= now() - interval '3 seconds'
    returning mark`
  return rows.length > 0
}

/** Forgets marks that can refuse nothing any more. */
export async function deleteOldMarks(sql: Db): Promise<void> {
  await sql`delete from comment_marks where created_at < now() - interval '1 minute'`
}

export const findComment = async (sql: Db, type: string, contentId: number, id: number) =>
  (
    await sql<CommentRow[]>`
      select ${columns(sql)} from comments c
      where c.commentable_type = ${type} and c.commentable_id = ${contentId} and c.id = ${id}`
  )[0]

export const findComments = (sql: Db, ids: number[]) => sql<CommentRow[]>`
  select ${columns(sql)} from comments c where c.id = any(${ids})`

// An array instead of a join: the list stays a walk along its index, however many people the viewer blocks.
const notBlockedBy = (sql: Db, viewerId: number) =>
  viewerId > 0
    ? sql`and c.user_id <> all (array(select target_id from user_blocks where user_id = ${viewerId}))`
    : sql``

/** The comments on one piece of content, newest first; `hideFrom` leaves out the authors that this person blocks (feeds-14). */
export const listComments = (
  sql: Db,
  options: { type: string; contentId: number; before: number; limit: number; hideFrom: number },
) => sql<CommentRow[]>`
  select ${columns(sql)} from comments c
  where c.commentable_type = ${options.type} and c.commentable_id = ${options.contentId}
    ${options.before > 0 ? sql`and c.id < ${options.before}` : sql``} ${notBlockedBy(sql, options.hideFrom)}
  order by c.id desc limit ${options.limit}`

/** The newest comments on each of several pieces of content, without the authors that `hideFrom` blocks. */
export const listLatestComments = (
  sql: Db,
  options: { type: string; contentIds: number[]; each: number; hideFrom: number },
) => sql<CommentRow[]>`
  select c.* from unnest(${options.contentIds}::bigint[]) as t (id) cross join lateral (
    select ${columns(sql)} from comments c
    where c.commentable_type = ${options.type} and c.commentable_id = t.id ${notBlockedBy(sql, options.hideFrom)}
    order by c.id desc limit ${options.each}
  ) c
  order by c.id desc`

/** Comments on what a person published and replies to them, not their own, newest first. */
export const listReceivedComments = (sql: Db, userId: number, after: number, limit: number) => {
  const older = after > 0 ? sql`and c.id < ${after}` : sql``
  return sql<CommentRow[]>`
    (select ${columns(sql)} from comments c
      where c.target_user = ${userId} and c.target_user > 0 and c.user_id <> ${userId} ${older}
      order by c.id desc limit ${limit})
    union
    (select ${columns(sql)} from comments c
      where c.reply_user = ${userId} and c.reply_user > 0 and c.user_id <> ${userId} ${older}
      order by c.id desc limit ${limit})
    order by id desc limit ${limit}`
}

export type CommentWalk = {
  types: string[]
  author?: number | undefined
  forUser?: number | undefined
  forType: 'all' | 'target' | 'reply'
  content?: { type: string; ids: number[] } | undefined
  index: number
  direction: 'asc' | 'desc'
  limit: number
}

/** Comments of all kinds by author, by whom they are for, or by content: each form is a walk along an index of its own. */
export function searchComments(sql: Db, search: CommentWalk) {
  const { author, forUser, forType, content, index, limit } = search
  const ascending = search.direction === 'asc'
  const cursor = index === 0 ? sql`` : ascending ? sql`and c.id > ${index}` : sql`and c.id < ${index}`
  const order = ascending ? sql`order by id` : sql`order by id desc`
  const byAuthor = author === undefined ? sql`` : sql`and c.user_id = ${author}`
  const toOwner = (id: number) => sql`and c.target_user = ${id} and c.target_user > 0`
  const toReplied = (id: number) => sql`and c.reply_user = ${id} and c.reply_user > 0`
  const slice = (where: Fragment) => sql`
    (select ${columns(sql)} from comments c
      where c.commentable_type = any(${search.types}) ${byAuthor} ${where} ${cursor} ${order} limit ${limit})`
  const forWhom =
    forUser === undefined
      ? sql``
      : forType === 'target'
        ? toOwner(forUser)
        : forType === 'reply'
          ? toReplied(forUser)
          : sql`and (c.target_user = ${forUser} or c.reply_user = ${forUser})`
  if (content)
    return sql<CommentRow[]>`
      select c.* from unnest(${content.ids}::bigint[]) as t (id) cross join lateral ${slice(
        sql`and c.commentable_type = ${content.type} and c.commentable_id = t.id ${forWhom}`,
      )} c ${order} limit ${limit}`
  if (forUser !== undefined && forType === 'all' && author === undefined)
    return sql<CommentRow[]>`
      ${slice(toOwner(forUser))} union ${slice(toReplied(forUser))} ${order} limit ${limit}`
  return sql<CommentRow[]>`${slice(forWhom)}`
}

/** People by id or by the key of their name, disabled accounts left out, and whether they block the viewer. */
export const findAddressed = (sql: Db, viewerId: number, ids: number[], nameKeys: string[]) => sql<
  { id: number; name_key: string; blocks: boolean }[]
>`
  select u.id, u.name_key,
    coalesce((select true from user_blocks b where b.user_id = u.id and b.target_id = ${viewerId}), false) as blocks
  from users u
  where u.deleted_at is null and (
    u.id = any(${ids}) ${nameKeys.length > 0 ? sql`or u.name_key = any(${nameKeys})` : sql``}
  )`

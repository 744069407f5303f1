import { type Content, type Counts, countsOf } from '#contracts/content.ts'
import { type CounterCheck, recount } from '#contracts/counters.ts'
import { escapeLike } from '#lib/text.ts'
import { noBlockBetween, shownTo, updateUserCounters, userRecount } from '#modules/users/index.ts'
import {
  andAfterCursor,
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  type Row,
  sortDirection,
  when,
} from '#platform/database'
import { pageOf } from '#platform/http'
import { rowKey, rowsByKey } from '#transfer/row-keys.ts'
import type { CommentSearchOfContent } from './schema.ts'

export type CommentRow = Row<
  'comments',
  | 'id'
  | 'commentable_type'
  | 'commentable_id'
  | 'user_id'
  | 'target_user'
  | 'reply_user'
  | 'body'
  | 'created_at'
  | 'updated_at'
>

export type CommentValues = {
  contentId: number
  userId: number
  targetUser: number
  replyUser: number
  body: string
}

const columns = (sql: Db) => sql`
  c.id, c.commentable_type, c.commentable_id, c.user_id, c.target_user, c.reply_user, c.body, c.created_at, c.updated_at`

/** Inserts and counts a comment. Returns undefined when the content is deleted. */
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
    author as (${updateUserCounters(sql, ['comments_count'], sql`select user_id, 1 as comments_count from made`)}) ${countsOf(sql, count)}
    select * from made`
  return row
}

/** Returns undefined when the comment or its content does not exist, for example after a concurrent deletion. */
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
    author as (${updateUserCounters(sql, ['comments_count'], sql`select user_id, -1 as comments_count from gone`)}) ${countsOf(sql, count)}
    select * from gone`
  return row
}

/** Maximum number of comments that one transaction deletes with their content. */
const DELETED_AT_ONCE = 500

/**
 * Deletes some comments of deleted content. `more` is true if others may be left, also if a concurrent transaction
 * deleted some of the chosen comments first.
 */
export async function deleteSomeComments(
  sql: Db,
  type: string,
  contentIds: number[],
): Promise<{ ids: number[]; more: boolean }> {
  const [row] = await sql<[{ ids: number[]; chosen: number }]>`
    with chosen as materialized (
      select c.id, c.commentable_id from unnest(${contentIds}::bigint[]) as t (id) cross join lateral (
        select id, commentable_id from comments
        where commentable_type = ${type} and commentable_id = t.id order by id limit ${DELETED_AT_ONCE}
      ) c limit ${DELETED_AT_ONCE}
    ),
    gone as (
      delete from comments c using chosen o
      where c.commentable_type = ${type} and c.commentable_id = o.commentable_id and c.id = o.id
      returning c.id, c.user_id
    ),
    authors as (
      ${updateUserCounters(
        sql,
        ['comments_count'],
        sql`select user_id, -count(*) as comments_count from gone group by user_id`,
        { several: true },
      )}
    )
    select coalesce((select array_agg(id order by id) from gone), '{}') as ids, (select count(*)::int from chosen) as chosen`
  return { ids: row.ids, more: row.chosen === DELETED_AT_ONCE }
}

/**
 * Stores a comment's idempotency mark. Returns false if the user sent the same mark within the last three
 * seconds.
 */
export async function claimMark(sql: Db, userId: number, mark: string): Promise<boolean> {
  const rows = await sql`
    insert into comment_marks as m (user_id, mark) values (${userId}, ${mark})
    on conflict (user_id, mark) do update set created_at = excluded.created_at
      where excluded.created_at - m.created_at >= interval '3 seconds'
    returning mark`
  return rows.length > 0
}

export async function deleteOldMarks(sql: Db): Promise<void> {
  await sql`delete from comment_marks where created_at < now() - interval '1 minute'`
}

export const findComment = async (sql: Db, type: string, contentId: number, id: number) =>
  (
    await sql<CommentRow[]>`
      select ${columns(sql)} from comments c
      where c.commentable_type = ${type} and c.commentable_id = ${contentId} and c.id = ${id}`
  )[0]

/**
 * Selects a comment for a row lock. Locks the comment's content first, as content deletion does, to prevent a
 * deadlock.
 */
export const lockableComment = (sql: Db, content: Content, contentId: number, id: number): Fragment => sql`
  with content as materialized (${content.live(sql, contentId)} for share)
  select c.id from comments c join content on content.id = c.commentable_id
  where c.commentable_type = ${content.type} and c.id = ${id}`

export const findComments = (sql: Db, ids: number[], hideFrom = 0) => sql<CommentRow[]>`
  select ${columns(sql)} from comments c
  where c.id = any(${ids}) ${shownTo(sql, hideFrom, sql`c.user_id`)}`

/** Lists comments newest first, without comments by authors whom the user `hideFrom` blocks (feeds-14). */
export const listComments = (
  sql: Db,
  options: { type: string; contentId: number; before: number; limit: number; hideFrom: number },
) => sql<CommentRow[]>`
  select ${columns(sql)} from comments c
  where c.commentable_type = ${options.type} and c.commentable_id = ${options.contentId}
    ${when(sql, options.before > 0, () => sql`and c.id < ${options.before}`)} ${shownTo(sql, options.hideFrom, sql`c.user_id`)}
  order by c.id desc limit ${options.limit}`

/** Lists the newest `each` comments per content, with the content's version from the same snapshot. */
export const listLatestComments = (
  sql: Db,
  options: { type: string; contents: Fragment; each: number; hideFrom: number },
) => sql<(CommentRow & { version: string })[]>`
  select t.version, c.* from (${options.contents}) t cross join lateral (
    select ${columns(sql)} from comments c
    where c.commentable_type = ${options.type} and c.commentable_id = t.id ${shownTo(sql, options.hideFrom, sql`c.user_id`)}
    order by c.id desc limit ${options.each}
  ) c
  order by c.id desc`

export const listReceivedComments = (sql: Db, userId: number, after: number, limit: number) => {
  const seen = shownTo(sql, userId, sql`c.user_id`)
  const older = when(sql, after > 0, () => sql`and c.id < ${after}`)
  return sql<CommentRow[]>`
    (select ${columns(sql)} from comments c
      where c.target_user = ${userId} and c.target_user > 0 and c.user_id <> ${userId} ${seen} ${older}
      order by c.id desc limit ${limit})
    union
    (select ${columns(sql)} from comments c
      where c.reply_user = ${userId} and c.reply_user > 0 and c.user_id <> ${userId} ${seen} ${older}
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
  viewerId: number
}

/** Builds a different query for each combination of filters, so that each query can use an index. */
export function searchComments(sql: Db, search: CommentWalk) {
  const { author, forUser, forType, content, index, limit } = search
  const cursor = andAfterCursor(sql, sql`c.id`, index, search.direction)
  const order = sql`order by id ${sortDirection(sql, search.direction)}`
  const seen = noBlockBetween(sql, search.viewerId, sql`c.user_id`)
  const byAuthor = ifGiven(sql, author, (id) => sql`and c.user_id = ${id}`)
  const toOwner = (id: number) => sql`and c.target_user = ${id} and c.target_user > 0`
  const toReplied = (id: number) => sql`and c.reply_user = ${id} and c.reply_user > 0`
  const slice = (where: Fragment) => sql`
    (select ${columns(sql)} from comments c
      where c.commentable_type = any(${search.types}) ${byAuthor} ${seen} ${where} ${cursor} ${order} limit ${limit})`
  const forWhom = ifGiven(sql, forUser, (id) => {
    if (forType === 'target') return toOwner(id)
    if (forType === 'reply') return toReplied(id)
    return sql`and (c.target_user = ${id} or c.reply_user = ${id})`
  })
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

export function listCommentIds(
  sql: Db,
  { type, id }: { type: string; id: number },
  query: CommentSearchOfContent,
) {
  const where = sql`
    where c.commentable_type = ${type} and c.commentable_id = ${id}
      ${ifGiven(sql, query.q, (part) => sql`and c.body ilike ${`%${escapeLike(part)}%`}`)}
      ${ifGiven(sql, query.user_id, (userId) => sql`and c.user_id = ${userId}`)}`
  return pageOf<{ id: number }>(
    sql,
    sql`select c.id from comments c ${where} ${listingClause(sql, query, { id: sql`c.id` })}`,
    sql`select count(*)::int as total from comments c ${where}`,
  )
}

const countByAuthor = (sql: Db): Fragment => sql`
  select user_id as key, count(*) as n from comments group by user_id`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select commentable_id as key, count(*) as n from comments where commentable_type = ${type} group by commentable_id`

export const commentCounters: CounterCheck[] = [userRecount('comments_count', countByAuthor)]

export const commentsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })

export type ImportedComment = {
  key: string
  type: string
  contentId: number
  userId: number
  targetUser: number
  replyUser: number
  body: string
  createdAt: string | null
}

/**
 * Skips comments that an earlier import has written. Returns the content id of each new comment, by content
 * type.
 */
export async function importComments(sql: Db, given: ImportedComment[]): Promise<Map<string, number[]>> {
  if (given.length === 0) return new Map()
  const known = await sql<{ key: string }[]>`
    select key from (${rowsByKey(
      sql,
      'comments',
      given.map(({ key }) => key),
    )}) k`
  const here = new Set(known.map(({ key }) => key))
  const comments = given.filter(({ key }) => !here.has(key))
  if (comments.length === 0) return new Map()
  const column = <K extends keyof ImportedComment>(name: K) => comments.map((comment) => comment[name])
  const made = await sql<{ type: string; ids: number[] }[]>`
    with made as (
      insert into comments
        (commentable_type, commentable_id, user_id, target_user, reply_user, body, created_at, updated_at, external_id)
      select type, content_id, user_id, target_user, reply_user, body, coalesce(created_at, now()),
        coalesce(created_at, now()), key
      from unnest(${column('key')}::text[], ${column('type')}::text[], ${column('contentId')}::bigint[], ${column('userId')}::bigint[],
        ${column('targetUser')}::bigint[], ${column('replyUser')}::bigint[], ${column('body')}::text[],
        ${column('createdAt')}::timestamptz[]) with ordinality
        as c (key, type, content_id, user_id, target_user, reply_user, body, created_at, n)
      order by n
      on conflict (external_id) where external_id is not null do nothing
      returning user_id, commentable_type, commentable_id
    ),
    counted as (
      ${updateUserCounters(
        sql,
        ['comments_count'],
        sql`select user_id, count(*) as comments_count from made group by user_id`,
        { several: true },
      )}
    )
    select commentable_type as type, json_agg(commentable_id) as ids from made group by commentable_type`
  return new Map(made.map(({ type, ids }) => [type, ids]))
}

const EXPORTED = 2000

export const exportComments = (sql: Db, types: string[], after: number) => sql<
  {
    id: number
    key: string
    commentable_type: string
    commentable_id: number
    user_id: number
    reply_user: number
    body: string
    created_at: string
  }[]
>`
  select c.id, ${rowKey(sql, 'c')} as key, c.commentable_type, c.commentable_id, c.user_id, c.reply_user, c.body,
    c.created_at
  from comments c where c.id > ${after} and c.commentable_type = any(${types}) order by c.id limit ${EXPORTED}`

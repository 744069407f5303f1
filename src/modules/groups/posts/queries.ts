import type { Target } from '#contracts/content.ts'
import { addViewsTo, type ViewTable, viewsIn } from '#contracts/views.ts'
import { grams, nameKey } from '#lib/text.ts'
import { noBlockBetween, shownTo } from '#modules/users/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  andContains,
  type Db,
  type Fragment,
  ifGiven,
  limitClause,
  type Tables,
  type Tx,
  when,
} from '#platform/database'
import { defineBufferedCounts } from '#platform/memory'
import { isReadable, isReadableAt } from '../access/queries.ts'
import type { GroupPostsQuery, PostsQuery } from './schema.ts'

export type PostRow = Omit<Tables['group_posts'], 'title_key' | 'title_grams' | 'body' | 'replied_at'>

export const POST_VIEWS: ViewTable = { table: 'group_post_views', key: 'post_id', content: 'group_posts' }

/** Omits the post's text, which lists do not return. */
export const postColumns = (sql: Db) => sql`
  p.id, p.group_id, p.user_id, p.title, p.summary, p.has_images, p.likes_count, p.comments_count, p.collections_count,
  p.views_count + ${viewsIn(sql, POST_VIEWS, sql`p.id`)} as views_count, p.excellent_at, p.created_at, p.updated_at`

const pastPost = (sql: Db, { type, after = 0 }: GroupPostsQuery) =>
  type === 'latest_reply'
    ? andAfterRow(
        sql,
        after,
        sql`p.replied_at, p.id`,
        sql`select replied_at, id from group_posts where id = ${after}`,
      )
    : andAfterCursor(sql, sql`p.id`, after)

export const listGroupPosts = (sql: Db, groupId: number, query: GroupPostsQuery, viewerId: number) => sql<
  PostRow[]
>`
  select ${postColumns(sql)} from group_posts p
  where p.group_id = ${groupId} ${when(sql, query.excellent === true, () => sql`and p.excellent_at is not null`)}
    ${pastPost(sql, query)} ${shownTo(sql, viewerId, sql`p.user_id`)}
  order by ${query.type === 'latest_reply' ? sql`p.replied_at desc, p.id desc` : sql`p.id desc`}
  ${limitClause(sql, { limit: query.limit ?? 15, offset: query.offset, after: query.after })}`

export const listPosts = (
  sql: Db,
  { keyword, group_id: groupId, limit = 15, ...page }: PostsQuery,
  viewerId: number,
) => sql<PostRow[]>`
  select ${postColumns(sql)} from group_posts p
  where ${isReadableAt(sql, sql`p.group_id`, viewerId)}
    ${ifGiven(sql, groupId, (id) => sql`and p.group_id = ${id}`)} ${andContains(sql, 'p.title', keyword)}
    ${andAfterCursor(sql, sql`p.id`, page.after ?? 0)} ${shownTo(sql, viewerId, sql`p.user_id`)}
  order by p.id desc ${limitClause(sql, { limit, ...page })}`

export const listPostsOf = (
  sql: Db,
  userId: number,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
) => sql<PostRow[]>`
  select ${postColumns(sql)} from group_posts p
  where p.user_id = ${userId} and ${isReadableAt(sql, sql`p.group_id`, userId)} ${andAfterCursor(sql, sql`p.id`, page.after ?? 0)}
  order by p.id desc ${limitClause(sql, { limit, ...page })}`

const GROUPS_MOST = 200
const POSTS_EACH = 5

/** Newest posts of the period in each group that the user joined. */
export const listPostsOfMyGroups = (sql: Db, userId: number, since: Date) => sql<PostRow[]>`
  select ${postColumns(sql)} from (
    select m.group_id from group_members m where m.user_id = ${userId} and m.audit = 1
    order by m.group_id desc limit ${GROUPS_MOST}
  ) mine
  cross join lateral (
    select * from group_posts p where p.group_id = mine.group_id order by p.id desc limit ${POSTS_EACH}
  ) p
  where ${isReadableAt(sql, sql`p.group_id`, userId)} ${shownTo(sql, userId, sql`p.user_id`)} and p.created_at >= ${since.toISOString()}::timestamptz
  order by p.id desc`

export const findPosts = (sql: Db, ids: number[], viewerId: number) => sql<PostRow[]>`
  select ${postColumns(sql)} from group_posts p join groups g on g.id = p.group_id
  where p.id = any(${ids}) and ${isReadable(sql, viewerId)} ${noBlockBetween(sql, viewerId, sql`p.user_id`)}
  order by p.id desc`

export const findPost = async (sql: Db, groupId: number, id: number, viewerId: number) =>
  (
    await sql<(PostRow & { body: string })[]>`
      select ${postColumns(sql)}, p.body from group_posts p join groups g on g.id = p.group_id
      where p.id = ${id} and p.group_id = ${groupId} and ${isReadable(sql, viewerId)}`
  )[0]

/** Condition on collection `c` that omits posts of people hidden from the user (relations-2). */
export const seenPosts = (sql: Db, userId: number): Fragment =>
  noBlockBetween(sql, userId, sql`(select p.user_id from group_posts p where p.id = c.collectible_id)`)

export const listPreview = (sql: Db, groupId: number, limit: number, viewerId: number) => sql<PostRow[]>`
  select ${postColumns(sql)} from group_posts p
  where p.group_id = ${groupId} ${shownTo(sql, viewerId, sql`p.user_id`)} order by p.id desc limit ${limit}`

export async function findVisiblePosts(sql: Db, ids: number[], viewerId: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: number }[]>`
    select p.id from group_posts p join groups g on g.id = p.group_id
    where p.id = any(${ids}) and ${isReadable(sql, viewerId)}`
  return new Set(rows.map(({ id }) => id))
}

export async function findTarget(sql: Db, id: number, viewerId: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select p.id, p.user_id as "ownerId", p.title as contents, g.audit <> 1 or g.mode <> 'public' as closed
    from group_posts p join groups g on g.id = p.group_id
    where p.id = ${id} and ${isReadable(sql, viewerId)}`
  return row
}

export const findAuthor = async (sql: Db, id: number) =>
  (await sql<{ user_id: number }[]>`select user_id from group_posts where id = ${id}`)[0]?.user_id

export const findGroupOf = async (sql: Db, id: number) =>
  (await sql<{ group_id: number }[]>`select group_id from group_posts where id = ${id}`)[0]?.group_id

/** Locks the group of a post, so that its founder cannot change during the transaction. */
export const holdGroupOf = (sql: Db, id: number) => sql`
  select from groups where id = (select group_id from group_posts where id = ${id}) for share`

export type ImageRow = Omit<Tables['group_post_images'], 'position'>

export const findImages = (sql: Db, postIds: number[]) => sql<ImageRow[]>`
  select post_id, file, size, mime from group_post_images where post_id = any(${postIds}) order by post_id, position`

export type PostValues = { title: string; body: string; summary: string; hasImages: boolean }

/** Returns undefined when the user may not post in the group, or the group is unapproved or deleted. */
export async function insertPost(
  sql: Db,
  groupId: number,
  userId: number,
  { title, body, summary, hasImages }: PostValues,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    with writer as (
      select g.id from groups g join group_members m on m.group_id = g.id
      where g.id = ${groupId} and g.audit = 1 and g.deleted_at is null and m.user_id = ${userId} and m.audit = 1
        and not m.disabled and m.role = any(g.permissions)
      for key share
    ),
    made as (
      insert into group_posts (group_id, user_id, title, title_key, title_grams, body, summary, has_images)
      select id, ${userId}::bigint, ${title}::text, ${nameKey(title)}::text, ${grams(title)}::text[], ${body}::text,
        ${summary}::text, ${hasImages}::boolean
      from writer
      returning id, group_id
    ),
    counted as (
      update group_counts set posts_count = posts_count + 1 where group_id in (select group_id from made)
    )
    select id from made`
  return row?.id
}

export async function updatePost(
  sql: Db,
  id: number,
  userId: number,
  { title, body, summary, hasImages }: PostValues,
): Promise<boolean> {
  const rows = await sql`
    update group_posts set title = ${title}, title_key = ${nameKey(title)}, title_grams = ${grams(title)},
      body = ${body}, summary = ${summary}, has_images = ${hasImages}, updated_at = now()
    where id = ${id} and user_id = ${userId}`
  return rows.count > 0
}

export type NewImage = Omit<ImageRow, 'post_id'>

export async function replaceImages(sql: Db, postId: number, images: NewImage[]): Promise<void> {
  await sql`delete from group_post_images where post_id = ${postId}`
  if (images.length === 0) return
  await sql`
    insert into group_post_images (post_id, position, file, size, mime)
    select ${postId}, i.position, i.file, i.size, i.mime
    from unnest(${images.map((_, n) => n)}::int[], ${images.map(({ file }) => file)}::bigint[],
      ${images.map(({ size }) => size)}::text[], ${images.map(({ mime }) => mime)}::text[])
      as i (position, file, size, mime)`
}

// Locks a post in a statement of its own, so that the next statement reads the current excellent flag.
const holdPost = (tx: Tx, id: number) => tx`select from group_posts where id = ${id} for no key update`

/** Returns false when a concurrent request has deleted the post. */
export async function deletePost(sql: Tx, groupId: number, id: number): Promise<boolean> {
  await holdPost(sql, id)
  const [row] = await sql<[{ gone: boolean }]>`
    with gone as (
      delete from group_posts where id = ${id} and group_id = ${groupId} returning group_id, excellent_at
    ),
    counted as (
      update group_counts n set posts_count = greatest(n.posts_count - 1, 0),
        excellen_posts_count = greatest(n.excellen_posts_count - case when g.excellent_at is null then 0 else 1 end, 0)
      from gone g where n.group_id = g.group_id
    )
    select exists (select from gone) as gone`
  return row.gone
}

export async function toggleExcellent(sql: Tx, id: number): Promise<boolean> {
  await holdPost(sql, id)
  const [row] = await sql<[{ found: boolean }]>`
    with changed as (
      update group_posts set excellent_at = case when excellent_at is null then now() end where id = ${id}
      returning group_id, excellent_at
    ),
    counted as (
      update group_counts n set
        excellen_posts_count = greatest(n.excellen_posts_count + case when c.excellent_at is null then -1 else 1 end, 0)
      from changed c where n.group_id = c.group_id
    )
    select exists (select from changed) as found`
  return row.found
}

export const viewsOf = defineBufferedCounts('group post views', addViewsTo(POST_VIEWS))

export async function findReaders(sql: Db, groupId: number, userIds: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select u.id from unnest(${userIds}::bigint[]) as u (id) cross join groups g
    where g.id = ${groupId} and ((g.mode = 'public' and g.audit = 1 and g.deleted_at is null) or coalesce((
      select m.audit = 1 and not m.disabled from group_members m where m.group_id = g.id and m.user_id = u.id
    ), false))`
  return rows.map(({ id }) => id)
}

export const listPostIds = async (sql: Db, groupId: number, limit: number): Promise<number[]> =>
  (
    await sql<
      { id: number }[]
    >`select id from group_posts where group_id = ${groupId} order by id limit ${limit}`
  ).map(({ id }) => id)

export const selectPostIds = (sql: Db, groupId: number): Fragment =>
  sql`select id from group_posts where group_id = ${groupId}`

export const findTitle = async (sql: Db, id: number) =>
  (await sql<{ title: string }[]>`select title from group_posts where id = ${id}`)[0]?.title

import { countForPeople } from '#modules/accounts/index.ts'
import { type Content, type Counts, countsOf, type Target } from '#platform/content.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { Flag } from '#platform/pages/overlay.ts'
import { when } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'

export type LikeRow = Row<
  'likes',
  'id' | 'user_id' | 'target_user' | 'likeable_id' | 'likeable_type' | 'created_at'
>

const columns = (sql: Db) => sql`
  l.id, l.user_id, l.target_user, l.likeable_id, l.likeable_type, l.created_at`

type Outcome = { found: boolean; changed: boolean }

/** Likes content for people, counting each once there and on its owner, unless that is unknown. `changed` are those who did not like it before. */
export async function insertLikes(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  { id, ownerId }: Target,
  userIds: number[],
): Promise<{ found: boolean; changed: number[] }> {
  const [row] = await sql<[{ found: boolean; changed: number[] }]>`
    with target as (${content.live(sql, id)} for no key update),
    made as (
      insert into likes (likeable_type, likeable_id, user_id, target_user, counted)
      select ${content.type}, t.id, u.id, ${ownerId}::bigint, ${content.anonymous ? sql`not t.hidden` : sql`true`}
      from target t cross join unnest(${userIds}::bigint[]) as u (id)
      on conflict do nothing returning likeable_id, user_id, target_user, counted
    ),
    changed (id, by) as (select likeable_id, count(*) from made group by likeable_id),
    owner as (
      ${countForPeople(
        sql,
        ['likes_count'],
        sql`select target_user as user_id, count(*) as likes_count from made where counted group by target_user`,
      )}
    ) ${countsOf(sql, count)}
    select exists (select from target) as found, coalesce((select array_agg(user_id) from made), '{}') as changed`
  return row
}

/** Takes a like back, out of both counts if there was one. */
export async function deleteLike(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  id: number,
  userId: number,
): Promise<Outcome> {
  const [row] = await sql<[Outcome]>`
    with target as (${content.live(sql, id)} for no key update),
    gone as (
      delete from likes l using target t
      where l.likeable_type = ${content.type} and l.likeable_id = t.id and l.user_id = ${userId}
      returning l.likeable_id, l.target_user, l.counted
    ),
    changed (id, by) as (select likeable_id, -1 from gone),
    owner as (
      ${countForPeople(sql, ['likes_count'], sql`select target_user as user_id, -1 as likes_count from gone where counted`)}
    ) ${countsOf(sql, count)}
    select exists (select from target) as found, exists (select from gone) as changed`
  return row
}

/** Deletes all likes of content that is deleted itself, out of their owners' counts too. */
export async function deleteLikesOf(sql: Db, type: string, contentIds: number[]): Promise<void> {
  await sql`
    with gone as (
      delete from likes where likeable_type = ${type} and likeable_id = any(${contentIds})
      returning target_user, counted
    )
    ${countForPeople(
      sql,
      ['likes_count'],
      sql`select target_user as user_id, -count(*) as likes_count from gone where counted group by target_user`,
      { several: true },
    )}`
}

/**
 * Gives the likes of content to another owner, with what they count for; 0 is nobody. For content that is deleted and
 * may come back, whose likes stay.
 */
export async function setLikesOwner(
  sql: Db,
  type: string,
  contentId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await sql`
    with moved as (
      update likes set target_user = ${to}
      where likeable_type = ${type} and likeable_id = ${contentId} and target_user = ${from}
      returning counted
    ),
    counted as (select count(*) as n from moved where counted)
    ${countForPeople(
      sql,
      ['likes_count'],
      sql`
        select o.user_id, o.sign * c.n as likes_count
        from counted c, (values (${from}::bigint, -1), (${to}::bigint, 1)) as o (user_id, sign) where c.n > 0`,
      { several: true },
    )}`
}

/**
 * Takes the likes of content out of its owner's count when the owner becomes unknown, and back in when they are named
 * again. The content is locked by an earlier statement, so that no like comes between.
 */
export async function countLikesOf(
  sql: Db,
  type: string,
  contentId: number,
  counted: boolean,
): Promise<void> {
  await sql`
    with moved as (
      update likes set counted = ${counted}
      where likeable_type = ${type} and likeable_id = ${contentId} and counted <> ${counted}
      returning target_user
    )
    ${countForPeople(
      sql,
      ['likes_count'],
      sql`
        select target_user as user_id, ${counted ? sql`count(*)` : sql`-count(*)`} as likes_count
        from moved group by target_user`,
    )}`
}

/** The likes of one piece of content, newest first. */
export const listLikes = (sql: Db, type: string, contentId: number, after: number, limit: number) => sql<
  LikeRow[]
>`
  select ${columns(sql)} from likes l
  where l.likeable_type = ${type} and l.likeable_id = ${contentId} ${when(sql, after > 0, () => sql`and l.id < ${after}`)}
  order by l.id desc limit ${limit}`

/** The newest likes of each of several pieces of content. */
export const listLatestLikes = (sql: Db, type: string, contentIds: number[], each: number) => sql<LikeRow[]>`
  select l.* from unnest(${contentIds}::bigint[]) as t (id) cross join lateral (
    select ${columns(sql)} from likes l
    where l.likeable_type = ${type} and l.likeable_id = t.id order by l.id desc limit ${each}
  ) l
  order by l.id desc`

/** Likes by others of what a person published, newest first. */
export const listReceivedLikes = (sql: Db, userId: number, after: number, limit: number) => sql<LikeRow[]>`
  select ${columns(sql)} from likes l
  where l.target_user = ${userId} and l.target_user > 0 and l.user_id <> ${userId}
    ${when(sql, after > 0, () => sql`and l.id < ${after}`)}
  order by l.id desc limit ${limit}`

/** What of this content a person likes; nothing for a guest. */
export async function findLiked(
  sql: Db,
  type: string,
  contentIds: number[],
  userId: number,
): Promise<Set<number>> {
  if (userId === 0 || contentIds.length === 0) return new Set()
  const rows = await sql<{ likeable_id: number }[]>`
    select likeable_id from likes
    where likeable_type = ${type} and likeable_id = any(${contentIds}) and user_id = ${userId}`
  return new Set(rows.map((row) => row.likeable_id))
}

/** Whether a person likes the content with the id of another statement; false for a guest. */
export const isLiked = (sql: Db, type: string, contentId: Fragment, userId: number | Fragment): Fragment =>
  userId === 0
    ? sql`false`
    : sql`coalesce((
        select true from likes where likeable_type = ${type} and likeable_id = ${contentId} and user_id = ${userId}
      ), false)`

/** The flag of content of a kind that the viewer likes. */
export const isLikedBy =
  (type: string): Flag =>
  (sql, viewer, id) =>
    isLiked(sql, type, id, viewer)

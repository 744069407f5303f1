import type { Db } from '#platform/database.ts'
import type { Flag } from '#platform/pages/overlay.ts'
import { andPastRow, partOf } from '#platform/sql.ts'
import { type TopicViewer, visibleTopics } from '../queries.ts'

/**
 * Every statement here locks the topic against deletion first, then links, then counts, several of a kind by ascending
 * id: so no two of them wait for each other.
 */
const lockTopic = (sql: Db, id: number, viewer: TopicViewer) =>
  sql`${visibleTopics(sql, viewer)} and t.id = ${id} for key share`

/** Idempotent: counts only the call that turns the link into a follow. False when there is no such topic. */
export async function followTopic(sql: Db, id: number, viewer: TopicViewer): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (${lockTopic(sql, id, viewer)}),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, followed_at)
      select id, ${viewer.id}, now() from topic
      on conflict (topic_id, user_id) do update set followed_at = excluded.followed_at where l.followed_at is null
      returning topic_id
    ),
    counted as (
      update feed_topic_counts set followers_count = followers_count + 1
      where topic_id in (select topic_id from link)
    )
    select exists (select from topic) as found`
  return row.found
}

/** Idempotent: what the person posted stays counted. False when there is no such topic. */
export async function unfollowTopic(sql: Db, id: number, viewer: TopicViewer): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (${lockTopic(sql, id, viewer)}),
    link as (
      update feed_topic_users set followed_at = null
      where topic_id in (select id from topic) and user_id = ${viewer.id} and followed_at is not null
      returning topic_id
    ),
    counted as (
      update feed_topic_counts set followers_count = followers_count - 1
      where topic_id in (select topic_id from link)
    )
    select exists (select from topic) as found`
  return row.found
}

/** Who posted into the topic, the last first; undefined when there is no such topic. */
export async function listParticipants(
  sql: Db,
  id: number,
  viewer: TopicViewer,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
): Promise<number[] | undefined> {
  const [row] = await sql<{ ids: number[] }[]>`
    select array(
      select u.user_id from feed_topic_users u where u.topic_id = t.id and u.participated_at is not null
        ${andPastRow(
          sql,
          page.after,
          sql`u.participated_at, u.user_id`,
          sql`select participated_at, user_id
            from feed_topic_users where topic_id = ${id} and user_id = ${page.after ?? 0}`,
        )}
      order by u.participated_at desc, u.user_id desc ${partOf(sql, { limit, ...page })}
    ) as ids
    from (${visibleTopics(sql, viewer)}) t where t.id = ${id}`
  return row?.ids
}

/** The flag of topics that the viewer follows. */
export const isTopicFollowed: Flag = (sql, viewer, id) => sql`
  coalesce((
    select followed_at is not null from feed_topic_users u where u.user_id = ${viewer} and u.topic_id = ${id}
  ), false)`

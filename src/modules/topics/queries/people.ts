import type { Db } from '#platform/database.ts'
import { type Eyes, visibleTo } from './topics.ts'

/**
 * Every statement here locks the topic against deletion first, then links, then counts, several of a kind by ascending
 * id: so no two of them wait for each other.
 */
const lockTopic = (sql: Db, id: number, eyes: Eyes) =>
  sql`select t.id from feed_topics t where t.id = ${id} and ${visibleTo(sql, eyes)} for key share`

/** Idempotent: counts only the call that turns the link into a follow. False when there is no such topic. */
export async function followTopic(sql: Db, id: number, eyes: Eyes): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (${lockTopic(sql, id, eyes)}),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, followed_at)
      select id, ${eyes.viewerId}, now() from topic
      on conflict (topic_id, user_id) do update set followed_at = now() where l.followed_at is null
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
export async function unfollowTopic(sql: Db, id: number, eyes: Eyes): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (${lockTopic(sql, id, eyes)}),
    link as (
      update feed_topic_users set followed_at = null
      where topic_id in (select id from topic) and user_id = ${eyes.viewerId} and followed_at is not null
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
  eyes: Eyes,
  { limit = 15, offset = 0 }: { limit?: number | undefined; offset?: number | undefined },
): Promise<number[] | undefined> {
  const [row] = await sql<{ ids: number[] }[]>`
    select array(
      select u.user_id from feed_topic_users u where u.topic_id = t.id and u.participated_at is not null
      order by u.participated_at desc, u.user_id desc limit ${limit} offset ${offset}
    ) as ids
    from feed_topics t where t.id = ${id} and ${visibleTo(sql, eyes)}`
  return row?.ids
}

/** Counts a new feed of a person in topics, and answers those of the topics that exist for that person. */
export async function addPost(sql: Db, topicIds: number[], userId: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with topic as (
      select t.id from feed_topics t
      where t.id = any(${topicIds}) and ${visibleTo(sql, { viewerId: userId, reviewer: false })}
      order by t.id for key share
    ),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, feeds_count, participated_at)
      select id, ${userId}, 1, now() from topic order by id
      on conflict (topic_id, user_id) do update set feeds_count = l.feeds_count + 1, participated_at = now()
      returning topic_id
    ),
    locked as (
      select topic_id from feed_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    ),
    counted as (
      update feed_topic_counts c set feeds_count = feeds_count + 1 from locked where c.topic_id = locked.topic_id
    )
    select id from topic`
  return rows.map(({ id }) => id)
}

/** Takes back what one feed of a person counted in topics. Who has no other feed there is no participant any more. */
export async function removePost(sql: Db, topicIds: number[], userId: number): Promise<void> {
  await sql`
    with topic as (select id from feed_topics where id = any(${topicIds}) order by id for key share),
    mine as (
      select topic_id from feed_topic_users
      where topic_id in (select id from topic) and user_id = ${userId} and feeds_count > 0
      order by topic_id for update
    ),
    link as (
      update feed_topic_users l
      set feeds_count = feeds_count - 1, participated_at = case when feeds_count > 1 then participated_at end
      from mine where l.topic_id = mine.topic_id and l.user_id = ${userId}
      returning l.topic_id
    ),
    locked as (
      select topic_id from feed_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    )
    update feed_topic_counts c set feeds_count = feeds_count - 1 from locked where c.topic_id = locked.topic_id`
}

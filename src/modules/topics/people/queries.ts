import { andAfterRow, type Db, limitClause } from '#platform/database'
import { type TopicViewer, visibleTopics } from '../queries.ts'

/**
 * Every statement locks in one order: the topic against deletion, then links, then counts, each by ascending
 * id. This prevents deadlocks.
 */
const lockTopic = (sql: Db, id: number, viewer: TopicViewer) =>
  sql`${visibleTopics(sql, viewer)} and t.id = ${id} for key share`

export type NewFollower = { topicId: number; viewer: TopicViewer }

/**
 * Inserts followers in one statement. Returns for each, in order, whether the topic is visible to that user.
 * Idempotent: counts only new follows.
 */
export async function insertFollowers(sql: Db, followers: readonly NewFollower[]): Promise<boolean[]> {
  const rows = await sql<{ topic_id: number; user_id: number }[]>`
    with asked as (
      select topic_id, user_id, is_reviewer from unnest(
        ${followers.map(({ topicId }) => topicId)}::bigint[],
        ${followers.map(({ viewer }) => viewer.id)}::bigint[],
        ${followers.map(({ viewer }) => Number(viewer.reviewer))}::int[]
      ) as asked (topic_id, user_id, is_reviewer)
    ),
    topic as (
      select id, status, creator_user_id from feed_topics
      where id in (select topic_id from asked) order by id for key share
    ),
    found as (
      select distinct a.topic_id, a.user_id from topic t join asked a on a.topic_id = t.id
      where t.status = 'passed' or t.creator_user_id = a.user_id or a.is_reviewer = 1
    ),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, followed_at)
      select topic_id, user_id, now() from found order by topic_id, user_id
      on conflict (topic_id, user_id) do update set followed_at = excluded.followed_at where l.followed_at is null
      returning topic_id
    ),
    changed as (
      select c.topic_id from feed_topic_counts c
      where c.topic_id in (select topic_id from link) order by c.topic_id for no key update
    ),
    counted as (
      update feed_topic_counts c set followers_count = c.followers_count + l.n
      from changed join (select topic_id, count(*) as n from link group by topic_id) l using (topic_id)
      where c.topic_id = changed.topic_id
    )
    select topic_id, user_id from found`
  const found = new Set(rows.map(({ topic_id, user_id }) => `${topic_id} ${user_id}`))
  return followers.map(({ topicId, viewer }) => found.has(`${topicId} ${viewer.id}`))
}

/** Removes a follow. Idempotent; posts stay counted. Returns false when the topic is not visible. */
export async function unfollowTopic(sql: Db, id: number, viewer: TopicViewer): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with topic as (${lockTopic(sql, id, viewer)}),
    link as (
      update feed_topic_users set followed_at = null
      where topic_id in (select id from topic) and user_id = ${viewer.id} and followed_at is not null
      returning topic_id
    ),
    counted as (
      update feed_topic_counts set followers_count = greatest(followers_count - 1, 0)
      where topic_id in (select topic_id from link)
    )
    select exists (select from topic) as found`
  return row.found
}

/** Lists participants, the latest post first. Returns undefined when the topic does not exist. */
export async function listParticipants(
  sql: Db,
  id: number,
  viewer: TopicViewer,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
): Promise<number[] | undefined> {
  const [row] = await sql<{ ids: number[] }[]>`
    select array(
      select u.user_id from feed_topic_users u where u.topic_id = t.id and u.participated_at is not null
        ${andAfterRow(
          sql,
          page.after,
          sql`u.participated_at, u.user_id`,
          sql`select participated_at, user_id
            from feed_topic_users where topic_id = ${id} and user_id = ${page.after ?? 0}`,
        )}
      order by u.participated_at desc, u.user_id desc ${limitClause(sql, { limit, ...page })}
    ) as ids
    from (${visibleTopics(sql, viewer)}) t where t.id = ${id}`
  return row?.ids
}

import type { Db } from '#platform/database.ts'
import { visibleTopics } from '../queries.ts'

/** Counts a new feed of a person in topics, and answers those of the topics that exist for that person. */
export async function addPost(sql: Db, topicIds: number[], userId: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with topic as (
      ${visibleTopics(sql, { id: userId, reviewer: false })} and t.id = any(${topicIds}) order by t.id for key share
    ),
    link as (
      insert into feed_topic_users as l (topic_id, user_id, feeds_count, participated_at)
      select id, ${userId}, 1, now() from topic order by id
      on conflict (topic_id, user_id) do update set feeds_count = l.feeds_count + 1, participated_at = excluded.participated_at
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

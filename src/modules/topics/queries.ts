import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { andPast, directionOf, ifGiven, when } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'
import type { TopicListQuery, TopicStatus } from './schema.ts'

export type TopicRow = Row<'feed_topics', 'id' | 'name' | 'desc' | 'creator_user_id' | 'created_at'> &
  Row<'feed_topic_counts', 'feeds_count' | 'followers_count'> & {
    logo: StoredNode | null
    has_followed: boolean
  }

export type TopicDetailRow = Row<'feed_topics', 'id' | 'name' | 'desc' | 'creator_user_id'> &
  Row<'feed_topic_counts', 'feeds_count' | 'followers_count'> & {
    logo: StoredNode | null
    has_followed: boolean
    participants: number[]
  }

/** Who reads: `reviewer` sees topics of every status, everybody else passed ones and their own (topics-6). */
export type TopicViewer = { id: number; reviewer: boolean }

/**
 * The topics that exist for somebody, with their ids and names: a query that goes on after its condition, or a table in
 * another one.
 */
export const visibleTopics = (sql: Db, { id, reviewer }: TopicViewer): Fragment => sql`
  select t.* from feed_topics t
  where ${reviewer ? sql`true` : sql`(t.status = 'passed' or t.creator_user_id = ${id})`}`

const HOT_MAX = 8

/** The topics that `found` selects, in its order, as lists show them. */
const topicItems = (sql: Db, found: Fragment, viewerId: number, order: Fragment) => sql<TopicRow[]>`
  select t.id, t.name, t.logo, t."desc", t.creator_user_id, t.created_at, c.feeds_count, c.followers_count,
    ${hasFollowed(sql, viewerId)} as has_followed
  from (${found}) t cross join lateral (select * from feed_topic_counts c where c.topic_id = t.id limit 1) c
  order by t.id ${order}`

/** Whether the viewer follows the topic `t`; a guest follows nothing, and is spared the look-up. */
const hasFollowed = (sql: Db, viewerId: number) =>
  viewerId === 0
    ? sql`false`
    : sql`coalesce((
        select u.followed_at is not null from feed_topic_users u
        where u.topic_id = t.id and u.user_id = ${viewerId}
      ), false)`

/** The topics chosen by hand, newest first. */
export const listHotTopics = (sql: Db, viewerId: number) =>
  topicItems(
    sql,
    sql`
      select * from feed_topics where status = 'passed' and hot_at is not null
      order by id desc limit ${HOT_MAX}`,
    viewerId,
    sql`desc`,
  )

/** The condition that finds a part of a topic's name through an index; nothing for a text that shows nothing. */
export function nameContains(sql: Db, part: string | undefined): Fragment {
  const key = nameKey(part ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and name_grams @> ${gramsOfQuery(key)} and name_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Passed topics after the cursor, those whose name contains `q` if given. */
export function listTopics(
  sql: Db,
  viewerId: number,
  { q, limit = 15, direction, index = 0 }: TopicListQuery,
) {
  const order = directionOf(sql, direction)
  return topicItems(
    sql,
    sql`
      select * from feed_topics
      where status = 'passed'
      ${andPast(sql, sql`id`, index, direction)}
      ${nameContains(sql, q)}
      order by id ${order} limit ${limit}`,
    viewerId,
    order,
  )
}

/** A topic with its counts, the last three others who posted into it, and whether the viewer follows it. */
export async function findTopic(
  sql: Db,
  id: number,
  viewer: TopicViewer,
): Promise<TopicDetailRow | undefined> {
  const [row] = await sql<TopicDetailRow[]>`
    select t.id, t.name, t.logo, t."desc", t.creator_user_id, c.feeds_count, c.followers_count,
      ${hasFollowed(sql, viewer.id)} as has_followed,
      array(
        select u.user_id from feed_topic_users u
        where u.topic_id = t.id and u.participated_at is not null and u.user_id <> t.creator_user_id
        order by u.participated_at desc, u.user_id desc limit 3
      ) as participants
    from (${visibleTopics(sql, viewer)}) t join feed_topic_counts c on c.topic_id = t.id where t.id = ${id}`
  return row
}

export type TopicOwnerRow = Row<'feed_topics', 'id' | 'name' | 'creator_user_id'>

/** What decides who may see and change a topic. */
export async function findTopicOwner(
  sql: Db,
  id: number,
  viewer: TopicViewer,
): Promise<TopicOwnerRow | undefined> {
  const [row] = await sql<TopicOwnerRow[]>`
    select t.id, t.name, t.creator_user_id from (${visibleTopics(sql, viewer)}) t where t.id = ${id}`
  return row
}

export type TopicValues = {
  name: string
  desc: string
  logo: StoredNode | null
  creatorId: number
  status: TopicStatus
}

/** Makes a topic that its creator follows. */
export async function insertTopic(sql: Db, topic: TopicValues): Promise<number> {
  const { name, desc, logo, creatorId, status } = topic
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into feed_topics (name, name_key, name_grams, "desc", logo, creator_user_id, status)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${desc}, ${logo && sql.json(logo)}, ${creatorId}, ${status})
      returning id
    ),
    counted as (insert into feed_topic_counts (topic_id, followers_count) select id, 1 from made),
    followed as (
      insert into feed_topic_users (topic_id, user_id, followed_at) select id, ${creatorId}, now() from made
    )
    select id from made`
  return row.id
}

export type TopicChanges = { name?: string; desc?: string; logo?: StoredNode | null }

/** Changes the fields that are given. */
export async function updateTopic(sql: Db, id: number, { name, desc, logo }: TopicChanges): Promise<void> {
  if (name === undefined && desc === undefined && logo === undefined) return
  await sql`
    update feed_topics set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, desc, (value) => sql`, "desc" = ${value}`)}
      ${ifGiven(sql, logo, (value) => sql`, logo = ${value && sql.json(value)}`)}
    where id = ${id}`
}

/** Deletes a topic with its followers and links; the feeds stay. */
export const deleteTopic = (sql: Db, id: number) => sql`delete from feed_topics where id = ${id}`

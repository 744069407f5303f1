import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import {
  andAfterCursor,
  type Db,
  type Fragment,
  ifGiven,
  type Row,
  sortDirection,
  when,
} from '#platform/database'
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

/** A viewer of topics. A `reviewer` sees every status; others see passed topics and their own (topics-6). */
export type TopicViewer = { id: number; reviewer: boolean }

/** Selects ids and names of topics visible to the viewer. Callers append conditions or joins. */
export const visibleTopics = (sql: Db, { id, reviewer }: TopicViewer): Fragment => sql`
  select t.* from feed_topics t
  where ${reviewer ? sql`true` : sql`(t.status = 'passed' or t.creator_user_id = ${id})`}`

const HOT_MAX = 8

/** List rows of the topics that `found` selects, in its order. */
const topicItems = (sql: Db, found: Fragment, viewerId: number, order: Fragment) => sql<TopicRow[]>`
  select t.id, t.name, t.logo, t."desc", t.creator_user_id, t.created_at, c.feeds_count, c.followers_count,
    ${hasFollowed(sql, viewerId)} as has_followed
  from (${found}) t cross join lateral (select * from feed_topic_counts c where c.topic_id = t.id limit 1) c
  order by t.id ${order}`

/** True when the viewer follows topic `t`. Skips the lookup for guests. */
const hasFollowed = (sql: Db, viewerId: number) =>
  viewerId === 0
    ? sql`false`
    : sql`coalesce((
        select u.followed_at is not null from feed_topic_users u
        where u.topic_id = t.id and u.user_id = ${viewerId}
      ), false)`

/** Lists hot topics, newest first. */
export const listHotTopics = (sql: Db, viewerId: number) =>
  topicItems(
    sql,
    sql`
      select * from feed_topics where status = 'passed' and hot_at is not null
      order by id desc limit ${HOT_MAX}`,
    viewerId,
    sql`desc`,
  )

/**
 * Condition for a substring of the name, served by an index. Matches nothing when the text has no visible
 * characters.
 */
export function nameContains(sql: Db, part: string | undefined): Fragment {
  const key = nameKey(part ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and name_grams @> ${gramsOfQuery(key)} and name_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Lists passed topics after the cursor, filtered by `q` if given. */
export function listTopics(
  sql: Db,
  viewerId: number,
  { q, limit = 15, direction, index = 0 }: TopicListQuery,
) {
  const order = sortDirection(sql, direction)
  return topicItems(
    sql,
    sql`
      select * from feed_topics
      where status = 'passed'
      ${andAfterCursor(sql, sql`id`, index, direction)}
      ${nameContains(sql, q)}
      order by id ${order} limit ${limit}`,
    viewerId,
    order,
  )
}

/** Finds a topic with its counts, its last three other participants and the viewer's follow. */
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

/** Reads the columns that decide access to a topic. */
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

/** Inserts a topic with its creator as first follower. */
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

/** Updates the given fields. */
export async function updateTopic(sql: Db, id: number, { name, desc, logo }: TopicChanges): Promise<void> {
  if (name === undefined && desc === undefined && logo === undefined) return
  await sql`
    update feed_topics set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, desc, (value) => sql`, "desc" = ${value}`)}
      ${ifGiven(sql, logo, (value) => sql`, logo = ${value && sql.json(value)}`)}
    where id = ${id}`
}

/** Deletes a topic with its followers and links. Feeds stay. */
export const deleteTopic = (sql: Db, id: number) => sql`delete from feed_topics where id = ${id}`

import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import type { TopicListQuery, TopicStatus } from '../schema.ts'

export type TopicRow = { id: number; name: string; logo: StoredNode | null; created_at: string }

export type TopicDetailRow = {
  id: number
  name: string
  logo: StoredNode | null
  desc: string
  creator_user_id: number
  feeds_count: number
  followers_count: number
  has_followed: boolean
  participants: number[]
}

/** Who looks: `reviewer` sees topics of every status, everybody else passed ones and their own (decisions §7). */
export type Eyes = { viewerId: number; reviewer: boolean }

/** The condition under which a topic `t` exists for somebody. */
export const visibleTo = (sql: Db, { viewerId, reviewer }: Eyes) =>
  reviewer ? sql`true` : sql`(t.status = 'passed' or t.creator_user_id = ${viewerId})`

const HOT_MAX = 8

/** The topics chosen by hand, newest first. */
export const listHotTopics = (sql: Db) => sql<TopicRow[]>`
  select id, name, logo, created_at from feed_topics
  where status = 'passed' and hot_at is not null order by id desc limit ${HOT_MAX}`

/** Passed topics after the cursor, those whose name contains `q` if given. */
export function listTopics(sql: Db, { q, limit = 15, direction, index = 0 }: TopicListQuery) {
  const ascending = direction === 'asc'
  const key = q === undefined ? '' : nameKey(q)
  return sql<TopicRow[]>`
    select id, name, logo, created_at from feed_topics
    where status = 'passed'
    ${index > 0 ? (ascending ? sql`and id > ${index}` : sql`and id < ${index}`) : sql``}
    ${key === '' ? sql`` : sql`and name_grams @> ${gramsOfQuery(key)} and name_key like ${`%${escapeLike(key)}%`}`}
    order by ${ascending ? sql`id` : sql`id desc`} limit ${limit}`
}

/** A topic with its counts, its last three participants and whether the viewer follows it. */
export async function findTopic(sql: Db, id: number, eyes: Eyes): Promise<TopicDetailRow | undefined> {
  const [row] = await sql<TopicDetailRow[]>`
    select t.id, t.name, t.logo, t."desc", t.creator_user_id, c.feeds_count, c.followers_count,
      coalesce((
        select u.followed_at is not null from feed_topic_users u
        where u.topic_id = t.id and u.user_id = ${eyes.viewerId}
      ), false) as has_followed,
      array(
        select u.user_id from feed_topic_users u where u.topic_id = t.id and u.participated_at is not null
        order by u.participated_at desc, u.user_id desc limit 3
      ) as participants
    from feed_topics t join feed_topic_counts c on c.topic_id = t.id
    where t.id = ${id} and ${visibleTo(sql, eyes)}`
  return row
}

/** What decides who may see and change a topic. */
export async function findTopicOwner(
  sql: Db,
  id: number,
  eyes: Eyes,
): Promise<{ id: number; name: string; creator_user_id: number } | undefined> {
  const [row] = await sql<{ id: number; name: string; creator_user_id: number }[]>`
    select t.id, t.name, t.creator_user_id from feed_topics t where t.id = ${id} and ${visibleTo(sql, eyes)}`
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
      ${
        name === undefined
          ? sql``
          : sql`, name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}`
      }
      ${desc === undefined ? sql`` : sql`, "desc" = ${desc}`}
      ${logo === undefined ? sql`` : sql`, logo = ${logo && sql.json(logo)}`}
    where id = ${id}`
}

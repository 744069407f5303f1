import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { StoredNode } from '#modules/files/index.ts'
import { noBlockBetween } from '#modules/users/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  type Fragment,
  ifGiven,
  limitClause,
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

/** A `reviewer` sees topics of every status. Other viewers see passed topics and their own (topics-6). */
export type TopicViewer = { id: number; reviewer: boolean }

/** Selects topics visible to the viewer. Callers append conditions or joins. */
export const visibleTopics = (sql: Db, { id, reviewer }: TopicViewer): Fragment => sql`
  select t.* from feed_topics t
  where ${reviewer ? sql`true` : sql`(t.status = 'passed' or t.creator_user_id = ${id})`}`

/** Visible topics that the user follows. */
export const selectFollowedTopics = (sql: Db, userId: number): Fragment => sql`
  select t.id from (${visibleTopics(sql, { id: userId, reviewer: false })}) t
  join feed_topic_users u on u.topic_id = t.id
  where u.user_id = ${userId} and u.followed_at is not null`

const HOT_MAX = 8

const topicItems = (sql: Db, found: Fragment, viewerId: number, order: Fragment) => sql<TopicRow[]>`
  select t.id, t.name, t.logo, t."desc", t.creator_user_id, t.created_at, c.feeds_count, c.followers_count,
    ${hasFollowed(sql, viewerId)} as has_followed
  from (${found}) t cross join lateral (select * from feed_topic_counts c where c.topic_id = t.id limit 1) c
  order by t.id ${order}`

const hasFollowed = (sql: Db, viewerId: number) =>
  viewerId === 0
    ? sql`false`
    : sql`coalesce((
        select u.followed_at is not null from feed_topic_users u
        where u.topic_id = t.id and u.user_id = ${viewerId}
      ), false)`

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
 * Matches names that contain `part`, through the gram index. Adds no condition when `part` is missing or has no
 * visible characters.
 */
export function nameContains(sql: Db, part: string | undefined): Fragment {
  const key = nameKey(part ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and name_grams @> ${gramsOfQuery(key)} and name_key like ${`%${escapeLike(key)}%`}`,
  )
}

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

export async function updateTopic(sql: Db, id: number, { name, desc, logo }: TopicChanges): Promise<void> {
  if (name === undefined && desc === undefined && logo === undefined) return
  await sql`
    update feed_topics set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, desc, (value) => sql`, "desc" = ${value}`)}
      ${ifGiven(sql, logo, (value) => sql`, logo = ${value && sql.json(value)}`)}
    where id = ${id}`
}

export const deleteTopic = (sql: Db, id: number) => sql`delete from feed_topics where id = ${id}`

/** Locks the topic before its links and counts, as other statements do, to prevent deadlocks. */
const lockTopic = (sql: Db, id: number, viewer: TopicViewer) =>
  sql`${visibleTopics(sql, viewer)} and t.id = ${id} for key share`

export type NewFollower = { topicId: number; viewer: TopicViewer }

/** Increments follower counts only for new follows. Returns for each follow whether the user may see the topic. */
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

/** Removes a follow. Returns false when the topic is unknown or hidden from the viewer. */
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

export async function listParticipants(
  sql: Db,
  id: number,
  viewer: TopicViewer,
  { limit = 15, ...page }: { limit?: number; offset?: number; after?: number },
): Promise<number[] | undefined> {
  const [row] = await sql<{ ids: number[] }[]>`
    select array(
      select u.user_id from feed_topic_users u where u.topic_id = t.id and u.participated_at is not null
        ${noBlockBetween(sql, viewer.id, sql`u.user_id`)}
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

const ofTopics = { table: 'feed_topic_counts', key: 'topic_id' }

/**
 * Topic counter checks for `kith doctor`. The check of `feeds_count` must run after `postsRecount`, because it sums
 * the counts that `postsRecount` repairs.
 */
export const topicCounters: CounterCheck[] = [
  recount({
    ...ofTopics,
    column: 'followers_count',
    counted: (sql) => sql`
      select topic_id as key, count(*) as n from feed_topic_users where followed_at is not null group by 1`,
  }),
  recount({
    ...ofTopics,
    column: 'feeds_count',
    counted: (sql) => sql`
      select topic_id as key, sum(feeds_count)::bigint as n from feed_topic_users group by 1`,
  }),
]

/**
 * Counter check of each user's feeds per topic. Column `last` of `counted` is the time of the latest feed.
 */
export function postsRecount(counted: (sql: Db) => Fragment): CounterCheck {
  const drift = (sql: Db) => sql`
    select coalesce(u.topic_id, n.topic_id) as topic_id, coalesce(u.user_id, n.user_id) as user_id,
      coalesce(u.feeds_count, 0) as kept, coalesce(n.counted, 0) as counted, n.last
    from feed_topic_users u
    full join (${counted(sql)}) n on n.topic_id = u.topic_id and n.user_id = u.user_id
    where coalesce(u.feeds_count, 0) <> coalesce(n.counted, 0)`
  return {
    name: 'feed_topic_users.feeds_count',
    async find(sql) {
      const rows = await sql<Drift[]>`
        select topic_id || '/' || user_id as key, kept, counted from (${drift(sql)}) d order by 1 limit 100`
      return [...rows]
    },
    // Adds the difference instead of setting the count, so that concurrent feeds stay counted.
    async mend(sql) {
      const [row] = await sql<[{ wrong: number }]>`
        with d as materialized (${drift(sql)}),
        changed as (
          update feed_topic_users u set feeds_count = u.feeds_count + d.counted - d.kept,
            participated_at = case when u.feeds_count + d.counted > d.kept
              then coalesce(u.participated_at, d.last, now()) end
          from d where u.topic_id = d.topic_id and u.user_id = d.user_id
        ),
        added as (
          insert into feed_topic_users (topic_id, user_id, feeds_count, participated_at)
          select topic_id, user_id, counted, last from d where kept = 0
          on conflict do nothing
        )
        select count(*)::int as wrong from d`
      return row.wrong
    },
  }
}

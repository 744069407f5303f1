import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'
import { findFeedRows, findImages, findTopics, findVideos } from '../queries.ts'
import { rankAuthors } from '../ranks/queries.ts'
import { addViews } from '../views/queries.ts'
import {
  listCollected,
  listFeedsOfUser,
  listHotFeeds,
  listNewFeeds,
  listTopicFeeds,
  mergeFollowedFeeds,
  pickFollowedFeeds,
  searchAllFeeds,
  searchNewestFeeds,
} from './queries.ts'

const { sql, person } = await createWorld()
const viewer = await person()

/** Twenty thousand feeds of a thousand people, as the product would have written them. */
async function fill() {
  await sql`
    with made as (
      insert into users (name, name_key) select 'p' || n, 'p' || n from generate_series(1, 1000) n returning id
    )
    insert into user_counts (user_id) select id from made`
  await sql`
    insert into feed_topics (name, name_key, name_grams, creator_user_id, status)
    select 't' || n, 't' || n, '{}', ${viewer.id}, 'passed' from generate_series(1, 50) n`
  await sql`
    insert into feeds (user_id, feed_content, feed_from, feed_mark, like_count, created_at, deleted_at)
    select ${viewer.id} + n % 1000, 'text ' || n, 1, n, n % 7, now() - (20000 - n) * interval '5 minutes',
      case when n % 50 = 0 then now() end
    from generate_series(1, 20000) n`
  await sql`
    insert into feed_hots (feed_id, hot, created_at)
    select id, hot, created_at from feeds where created_at > now() - interval '7 days' and deleted_at is null`
  await sql`
    insert into feed_search (feed_id, content_key, content_grams)
    select id, feed_content, array['te', 'ex', 'xt', 'te' || id % 500] from feeds where deleted_at is null`
  await sql`
    insert into feed_topic_links (topic_id, feed_id)
    select (select min(id) from feed_topics) + id % 50, id from feeds where deleted_at is null order by id`
  await sql`insert into feed_images (feed_id, position, file, mime) select id, 0, id, 'image/png' from feeds`
  await sql`insert into feed_videos (feed_id, video_id, cover_id) select id, id, id from feeds`
  await sql`
    insert into user_follows (user_id, target_id)
    select ${viewer.id}, id from users where id > ${viewer.id} and id % 10 = 0`
  await sql`
    insert into user_blocks (user_id, target_id)
    select ${viewer.id}, id from users where id > ${viewer.id} and id % 100 = 1`
  await sql`
    insert into collections (user_id, collectible_type, collectible_id)
    select ${viewer.id} + n % 50, 'feeds', (select min(id) from feeds) + n from generate_series(0, 9999) n`
  await sql.unsafe('vacuum analyze')
}

const LARGE = new Set([
  'feeds',
  'feed_hots',
  'feed_search',
  'feed_topic_links',
  'feed_images',
  'feed_videos',
  'collections',
])

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
const scans = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && LARGE.has(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap(scans),
]

test('no list of feeds reads a large table from end to end', async () => {
  await fill()
  const [{ feed, topic }] = await sql<[{ feed: number; topic: number }]>`
    select (select max(id) from feeds) as feed, (select min(id) from feed_topics) as topic`
  const ids = [feed, feed - 1, feed - 2]
  const pages = [
    { viewerId: 0, after: 0, limit: 15 },
    { viewerId: viewer.id, after: 0, limit: 15 },
    { viewerId: viewer.id, after: feed - 500, limit: 100 },
  ]
  const eyes = { viewerId: viewer.id, reviewer: false }
  const queries = pages.flatMap((page) => [
    listNewFeeds(sql, page),
    listNewFeeds(sql, page, ids),
    listFeedsOfUser(sql, viewer.id, page),
    mergeFollowedFeeds(sql, page),
    pickFollowedFeeds(sql, page),
    listHotFeeds(sql, { ...page, days: 7, hot: 5 }),
    listHotFeeds(sql, { ...page, days: 7, hot: 5, after: 0 }),
    listHotFeeds(sql, { ...page, days: 7 }),
    searchNewestFeeds(sql, 'text', page),
    searchAllFeeds(sql, 'text', page),
    searchAllFeeds(sql, 'text', page, ids),
    listTopicFeeds(sql, topic, { index: 0, direction: 'desc', limit: page.limit }, eyes),
    listTopicFeeds(sql, topic, { index: 99, direction: 'asc', limit: page.limit }, eyes),
    listCollected(sql, viewer.id, page.limit, 30),
  ])
  queries.push(findFeedRows(sql, ids, viewer.id))
  const others = [
    findImages(sql, ids),
    findVideos(sql, ids),
    findTopics(sql, ids, viewer.id),
    rankAuthors(sql, 'day'),
    addViews(sql, ids, [1, 1, 1]),
  ]
  for (const query of [...queries, ...others]) {
    const [row] = await sql<[{ 'QUERY PLAN': [{ Plan: Plan }] }]>`explain (format json) ${query}`
    const plan = row['QUERY PLAN'][0].Plan
    assert.deepEqual(scans(plan), [], JSON.stringify(plan, null, 1))
  }
})

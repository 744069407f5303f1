import { updateUserCounters } from '#modules/accounts/index.ts'
import type { Db, Fragment } from '#platform/database'

export type FeedDraft = {
  userId: number
  content: string | null
  from: number
  mark: string
  latitude: number | null
  longtitude: number | null
  geohash: string | null
  repostableType: string | null
  repostableId: number | null
  hasImages: boolean
  hasVideo: boolean
  hasTopics: boolean
  hasPrice: boolean
  /** Searchable text: its folded beginning, and the trigrams of that. */
  key: string
  grams: string[]
}

type Inserted = { id: number; made: boolean }

/** Drafts as rows. Uses plain parameters for a single draft, which is the usual case and cheaper to parse. */
const draftRows = (sql: Db, drafts: FeedDraft[]): Fragment => {
  const [d] = drafts
  return d && drafts.length === 1
    ? sql`
      select 0 as position, ${d.userId}::bigint as "userId", ${d.content}::text as content, ${d.from}::smallint as "from",
        ${d.mark}::text as mark, ${d.latitude}::float8 as latitude, ${d.longtitude}::float8 as longtitude,
        ${d.geohash}::text as geohash, ${d.repostableType}::text as "repostableType",
        ${d.repostableId}::bigint as "repostableId", ${d.hasImages}::boolean as "hasImages", ${d.hasVideo}::boolean as "hasVideo",
        ${d.hasTopics}::boolean as "hasTopics", ${d.hasPrice}::boolean as "hasPrice", ${d.key}::text as key,
        ${d.grams}::text[] as grams`
    : sql`
      select * from jsonb_to_recordset(${sql.json(drafts.map((draft, position) => ({ ...draft, position })))}) as rows (
        position int, "userId" bigint, content text, "from" smallint, mark text, latitude float8, longtitude float8,
        geohash text, "repostableType" text, "repostableId" bigint, "hasImages" boolean, "hasVideo" boolean,
        "hasTopics" boolean, "hasPrice" boolean, key text, grams text[])`
}

/**
 * Inserts feeds of one author with their hot rank and search index, and counts them. `made` is false for a
 * duplicate mark.
 */
export async function insertFeeds(sql: Db, drafts: FeedDraft[]): Promise<[Inserted, ...Inserted[]]> {
  // The first draft wins if two have the same mark.
  const first = new Map(drafts.map((draft) => [draft.mark, draft] as const).reverse())
  const once = drafts.filter((draft) => first.get(draft.mark) === draft)
  const rows = await sql<{ id: number; mark: string }[]>`
    with drafts as materialized (${draftRows(sql, once)}),
    made as (
      insert into feeds (user_id, feed_content, feed_from, feed_mark, feed_latitude, feed_longtitude, feed_geohash,
        repostable_type, repostable_id, has_images, has_video, has_topics, has_price)
      select "userId", content, "from", mark, latitude, longtitude, geohash, "repostableType", "repostableId", "hasImages",
        "hasVideo", "hasTopics", "hasPrice"
      from drafts order by position
      on conflict on constraint feeds_mark_used do nothing
      returning id, user_id, feed_mark, hot, created_at
    ),
    ranked as (insert into feed_hots (feed_id, hot, created_at) select id, hot, created_at from made),
    indexed as (
      insert into feed_search (feed_id, content_key, content_grams)
      select m.id, d.key, d.grams from made m join drafts d on d.mark = m.feed_mark where d.key <> ''
    ),
    counted as (
      ${updateUserCounters(sql, ['feeds_count'], sql`select user_id, count(*) as feeds_count from made group by user_id`)}
    )
    select id, feed_mark as mark from made`
  const made = new Map(rows.map(({ id, mark }) => [mark, id]))
  const [{ userId }] = drafts as [FeedDraft, ...FeedDraft[]]
  const rest = drafts.map(({ mark }) => mark).filter((mark) => !made.has(mark))
  const known = new Map<string, number>()
  if (rest.length > 0) {
    const earlier = await sql<{ id: number; mark: string }[]>`
      select id, feed_mark as mark from feeds where user_id = ${userId} and feed_mark = any(${rest})`
    for (const { id, mark } of earlier) known.set(mark, id)
  }
  return drafts.map((draft) => {
    const id = made.get(draft.mark) ?? known.get(draft.mark)
    return { id, made: made.has(draft.mark) && first.get(draft.mark) === draft }
  }) as [Inserted, ...Inserted[]]
}

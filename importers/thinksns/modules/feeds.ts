import { invalidatePeriodSums } from '#contracts/period-sums.ts'
import {
  addMissingHots,
  FEED_LIKES,
  freePart,
  readFeedSettings,
  removeOldHots,
  searchableText,
} from '#modules/feeds/index.ts'
import type { Tx } from '#platform/database'
import { kindOf } from '../classes.ts'
import { numberInText, orNone, textOrNone } from '../database/changes.ts'
import { type Batch, defineTable, type ImportStep, type SourceRow } from '../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES } from '../database/times.ts'
import { emptied, existing, removed, replaced } from '../database/vanishing.ts'
import { relation, upsert } from '../database/write.ts'
import { listUses } from './files/uses.ts'
import { listPriced } from './purchases.ts'

const FEEDS = {
  id: 'int',
  user_id: 'int',
  feed_content: 'text',
  feed_from: 'int',
  feed_view_count: 'int',
  feed_latitude: 'text',
  feed_longtitude: 'text',
  feed_geohash: 'text',
  audit_status: 'int',
  feed_mark: 'text',
  repostable_type: 'text',
  repostable_id: 'int',
  deleted_at: 'time',
  ...TIMES,
} as const
type Row = SourceRow<typeof FEEDS>

const FEED_COLUMNS = {
  id: 'bigint',
  user_id: 'bigint',
  feed_content: 'text',
  feed_from: 'smallint',
  feed_mark: 'text',
  feed_latitude: 'double precision',
  feed_longtitude: 'double precision',
  feed_geohash: 'text',
  repostable_type: 'text',
  repostable_id: 'bigint',
  has_images: 'boolean',
  has_price: 'boolean',
  feed_view_count: 'bigint',
  ...TIME_COLUMNS,
  deleted_at: 'timestamptz',
}

function placeOf(row: Row, batch: Batch) {
  const [latitude, longitude] = [row.feed_latitude, row.feed_longtitude].map((text) =>
    text === null || text.trim() === '' ? Number.NaN : Number(text),
  ) as [number, number]
  const geohash = row.feed_geohash?.trim() ?? ''
  const whole = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && geohash !== ''
  if (whole) return { feed_latitude: latitude, feed_longtitude: longitude, feed_geohash: geohash }
  if ([row.feed_latitude, row.feed_longtitude, row.feed_geohash].some((part) => (part ?? '').trim() !== ''))
    batch.mend(row, 'incomplete place: left empty')
  return { feed_latitude: null, feed_longtitude: null, feed_geohash: null }
}

function repostOf(row: Row, batch: Batch) {
  if (!row.repostable_id) return { repostable_type: null, repostable_id: null }
  const type = kindOf(row.repostable_type)
  if (type !== undefined) return { repostable_type: type, repostable_id: row.repostable_id }
  batch.mend(row, 'unsupported kind of reposted content: repost removed', 'repostable_type')
  return { repostable_type: null, repostable_id: null }
}

async function writeFeeds(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    rows.map((row) => row.user_id),
  )
  const kept = rows.filter((row) => {
    if (people.has(row.user_id ?? 0)) return true
    batch.leaveOut(row, 'its author no longer exists')
    return false
  })
  const ids = kept.map(({ id }) => id ?? 0)
  const images = Map.groupBy(await listUses(tx, 'feed:image', ids), ({ raw }) => raw)
  const priced = await listPriced(tx, 'feed', ids)
  const pricedImages = await listPriced(
    tx,
    'file',
    [...images.values()].flat().map(({ id }) => id),
  )
  const feeds = kept.map((row) => {
    const own = images.get(row.id ?? 0) ?? []
    const created = row.created_at ?? row.updated_at ?? EPOCH
    let deleted = row.deleted_at
    if (deleted === null && batch.has('audit_status') && row.audit_status !== 1) {
      deleted = row.updated_at ?? created
      batch.mend(row, 'never approved: imported as deleted', 'deleted_at')
    }
    return {
      id: row.id,
      user_id: row.user_id,
      feed_content: row.feed_content,
      feed_from: row.feed_from !== null && row.feed_from >= 1 && row.feed_from <= 5 ? row.feed_from : 5,
      feed_mark: row.feed_mark ?? `${row.id}`,
      ...placeOf(row, batch),
      ...repostOf(row, batch),
      has_images: own.length > 0,
      has_price: priced.has(row.id ?? 0) || own.some(({ id }) => pricedImages.has(id)),
      feed_view_count: Math.max(row.feed_view_count ?? 0, 0),
      created_at: created,
      updated_at: row.updated_at ?? created,
      deleted_at: deleted,
    }
  })
  await upsert(tx, 'feeds', FEED_COLUMNS, feeds)
  const shown = feeds.flatMap(({ id }) =>
    (images.get(id ?? 0) ?? []).map((use, position) => ({
      feed_id: id,
      position,
      file: use.id,
      size: use.size,
      mime: use.mime,
    })),
  )
  await tx`
    delete from feed_images i where feed_id = any(${ids}) and not exists (
      select from ${relation(tx, { feed_id: 'bigint', position: 'smallint' }, shown)}
      where r.feed_id = i.feed_id and r.position = i.position)`
  const imageColumns = {
    feed_id: 'bigint',
    position: 'smallint',
    file: 'bigint',
    size: 'text',
    mime: 'text',
  }
  await upsert(tx, 'feed_images', imageColumns, shown, { key: ['feed_id', 'position'] })
  await indexFeeds(tx, feeds, priced, batch)
}

async function indexFeeds(
  tx: Tx,
  feeds: { id: number | null; feed_content: string | null; deleted_at: string | null }[],
  priced: Set<number>,
  { ctx }: Batch,
): Promise<void> {
  const searched = []
  for (const { id, feed_content: content, deleted_at: deletedAt } of feeds) {
    if (deletedAt !== null) continue
    const open = priced.has(id ?? 0) ? await freePart(ctx, content) : content
    const { key, grams } = searchableText(open)
    if (key !== '') searched.push({ feed_id: id, content_key: key, content_grams: grams })
  }
  await tx`
    delete from feed_search where feed_id = any(${feeds.map(({ id }) => id ?? 0)})
      and not feed_id = any(${searched.map((row) => row.feed_id ?? 0)})`
  const columns = { feed_id: 'bigint', content_key: 'text', content_grams: 'text[]' }
  await upsert(tx, 'feed_search', columns, searched, { key: ['feed_id'] })
}

const feeds = defineTable({
  table: 'feeds',
  by: 'id',
  width: 2000,
  batch: 500,
  into: [
    {
      table: 'feeds',
      columns: {
        feed_latitude: numberInText,
        feed_longtitude: numberInText,
        feed_geohash: textOrNone,
        audit_status: null,
        repostable_type: {
          as: (name, row) => (row.repostable_id ? (kindOf(name as string | null) ?? name) : null),
        },
        repostable_id: orNone,
      },
    },
  ],
  key: ['id'],
  gone: removed('feeds'),
  reads: { users: ['user_id'], 'files of feed': ['id'], 'prices of feed': ['id'] },
  states: existing('feeds', 'feeds', (sql) => sql`concat_ws(' ', user_id, deleted_at is null)`),
  columns: FEEDS,
  write: writeFeeds,
})

const videos = defineTable({
  table: 'feed_videos',
  by: 'id',
  into: [
    {
      table: 'feed_videos',
      key: { feed_id: 'feed_id' },
      columns: { id: null, width: orNone, height: orNone },
    },
  ],
  key: ['id'],
  gone: emptied('feed_videos'),
  reread: 'whole',
  reads: { feeds: ['feed_id'] },
  columns: { id: 'int', feed_id: 'int', video_id: 'int', cover_id: 'int', width: 'int', height: 'int' },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'feeds',
      rows.map((row) => row.feed_id),
    )
    const earlier = await tx<{ id: number }[]>`
      select feed_id as id from feed_videos where feed_id = any(${rows.map(({ feed_id }) => feed_id ?? 0)})`
    const taken = new Set(earlier.map(({ id }) => id))
    const given = new Map<number, object>()
    for (const row of rows) {
      const feed = row.feed_id ?? 0
      if (!found.has(feed)) batch.leaveOut(row, 'the feed no longer exists')
      else if (taken.has(feed) || given.has(feed)) batch.merge(row, 'the feed has a video already')
      else given.set(feed, { ...row, width: row.width || null, height: row.height || null })
    }
    const columns = {
      feed_id: 'bigint',
      video_id: 'bigint',
      cover_id: 'bigint',
      width: 'int',
      height: 'int',
    }
    await upsert(tx, 'feed_videos', columns, [...given.values()], { key: ['feed_id'] })
    await tx`update feeds set has_video = true where id = any(${[...given.keys()]}) and not has_video`
  },
})

const topicLinks = defineTable({
  table: 'feed_topic_links',
  by: 'index',
  into: [{ table: 'feed_topic_links', key: { topic_id: 'topic_id', index: 'index' } }],
  key: ['index'],
  gone: replaced({ table: 'feed_topic_links', by: 'index' }),
  reread: 'whole',
  reads: { feeds: ['feed_id'], 'feed-topics': ['topic_id'] },
  columns: { index: 'int', topic_id: 'int', feed_id: 'int' },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'feed-topics',
      rows.map((row) => row.topic_id),
    )
    const ids = [...new Set(rows.map(({ feed_id }) => feed_id ?? 0))]
    const there = await tx<{ id: number; live: boolean }[]>`
      select id, deleted_at is null as live from feeds where id = any(${ids})`
    const live = new Map(there.map((row) => [row.id, row.live]))
    const links = await tx<{ pair: string; index: number }[]>`
      select feed_id || ' ' || topic_id as pair, index from feed_topic_links where feed_id = any(${ids})`
    const taken = new Map(links.map(({ pair, index }) => [pair, index]))
    const given = rows.flatMap((row) => {
      const pair = `${row.feed_id} ${row.topic_id}`
      const earlier = taken.get(pair)
      if (!found.has(row.topic_id ?? 0)) batch.leaveOut(row, 'the topic no longer exists')
      else if (!live.has(row.feed_id ?? 0)) batch.leaveOut(row, 'the feed no longer exists')
      else if (!live.get(row.feed_id ?? 0)) batch.leaveOut(row, 'the feed is deleted')
      else if (earlier !== undefined && earlier !== row.index) batch.merge(row, 'duplicate')
      else {
        taken.set(pair, row.index ?? 0)
        return [row]
      }
      return []
    })
    const columns = { index: 'bigint', topic_id: 'bigint', feed_id: 'bigint' }
    await upsert(tx, 'feed_topic_links', columns, given, { key: ['topic_id', 'index'] })
    await tx`
      update feeds set has_topics = true
      where id = any(${[...new Set(given.map(({ feed_id }) => feed_id ?? 0))]}) and not has_topics`
  },
})

export const settleFeeds: ImportStep = {
  name: 'ranking of feeds',
  async run({ ctx, transaction }) {
    const days = (await readFeedSettings(ctx))['feed:list-hot-days']
    await transaction(async (tx) => {
      await tx`delete from feed_hots h using feeds f where f.id = h.feed_id and f.deleted_at is not null`
      await tx`delete from feed_topic_links l using feeds f where f.id = l.feed_id and f.deleted_at is not null`
      await tx`delete from feed_search s using feeds f where f.id = s.feed_id and f.deleted_at is not null`
      await tx`
        update feeds f set has_video = not has_video
        where has_video <> exists (select from feed_videos v where v.feed_id = f.id)`
      await tx`
        update feeds f set has_topics = not has_topics
        where has_topics <> exists (select from feed_topic_links l where l.feed_id = f.id)`
      await addMissingHots(tx, days)
      await invalidatePeriodSums(tx, FEED_LIKES)
      await tx`
        update paid_nodes n set closed_at = null where closed_at is not null and (
          channel = 'feed' and exists (select from feeds f where f.id = n.raw and f.deleted_at is null)
          or channel = 'file' and exists (
            select from feed_images i join feeds f on f.id = i.feed_id where i.file = n.raw and f.deleted_at is null))`
      await tx`
        update paid_nodes n set closed_at = now() where channel = 'feed' and closed_at is null and not exists (
          select from feeds f where f.id = n.raw and f.deleted_at is null)`
      await tx`
        update paid_nodes n set closed_at = now() where channel = 'file' and closed_at is null and exists (
          select from feed_images i join feeds f on f.id = i.feed_id where i.file = n.raw and f.deleted_at is not null)`
    })
    while ((await transaction((tx) => removeOldHots(tx, days))) > 0);
  },
}

export const feedTables = [feeds, videos, topicLinks]

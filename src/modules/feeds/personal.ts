import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of their feeds; those they deleted are gone. */
export const feedPersonal = [
  personalTable({
    file: 'feeds',
    about: { en: 'Your feeds', zh: '您的动态' },
    table: 'feeds',
    with: ['feed_images', 'feed_videos', 'feed_topic_links'],
    key: ['id'],
    columns: [
      ...(['id', 'feed_content', 'feed_from', 'feed_latitude', 'feed_longtitude', 'feed_geohash'] as const),
      ...(['repostable_type', 'repostable_id', 'like_count', 'feed_comment_count'] as const),
      ...(['feed_view_count', 'created_at', 'updated_at'] as const),
    ],
    only: (sql) => sql`and t.deleted_at is null`,
    extra: (sql) => sql`,
      case when t.has_images then
        array(select i.file from feed_images i where i.feed_id = t.id order by i.position) else '{}' end as images,
      case when t.has_video then (
        select json_build_object('video_id', v.video_id, 'cover_id', v.cover_id, 'width', v.width, 'height', v.height)
        from feed_videos v where v.feed_id = t.id
      ) end as video,
      case when t.has_topics then
        array(select l.topic_id from feed_topic_links l where l.feed_id = t.id order by 1) else '{}' end as topics`,
  }),
]

import { personalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import type { Module } from '../../module.ts'
import { adminTopicRoutes } from './admin/routes.ts'
import { listTopics, topicCounters } from './queries.ts'
import { topicRoutes } from './routes.ts'
import { TopicItem } from './schema.ts'
import { topicItems, topicRemoval, topicSettings } from './service.ts'
import { TOPIC_SETTINGS } from './settings.ts'

export const topicPersonal = [
  personalTable({
    file: 'topics',
    about: { en: 'Topics you created', zh: '您创建的话题' },
    table: 'feed_topics',
    owner: 'creator_user_id',
    key: ['id'],
    columns: ['id', 'name', 'desc', 'logo', 'status', 'created_at', 'updated_at'],
  }),
  personalTable({
    file: 'topics-followed',
    about: { en: 'Topics you follow or posted in', zh: '您关注或参与的话题' },
    table: 'feed_topic_users',
    key: ['topic_id'],
    columns: ['topic_id', 'followed_at', 'feeds_count', 'participated_at'],
    extra: (sql) => sql`, (select o.name from feed_topics o where o.id = t.topic_id) as name`,
  }),
]

export const topicStatistics: Statistics = {
  queues: [
    {
      name: 'topic-reviews',
      ability: 'admin: feed topics',
      waiting: (sql) => sql`select created_at as since from feed_topics where status = 'waiting' order by id`,
    },
  ],
  series: [creationSeries('topics', 'feed_topics', 'admin: feed topics')],
}

export const topicSearch: Searchable = {
  type: 'feed-topics',
  item: TopicItem,
  async find(ctx, { q, after, limit, viewerId }) {
    const rows = await listTopics(ctx.sql, viewerId, { q, limit, index: after, direction: 'desc' })
    return topicItems(ctx, rows, { id: viewerId })
  },
}

export const module: Module = {
  settings: TOPIC_SETTINGS,
  routes: () => [topicRoutes, adminTopicRoutes],
  personalData: { place: 9, tables: topicPersonal },
  statistics: { place: 4, ...topicStatistics },
  search: { place: 3, ...topicSearch },
  counters: topicCounters,
  settingChecks: topicSettings,
  endings: () => [{ type: 'feed-topics', live: (sql) => sql`select id from feed_topics` }],
  removals: { 'feed-topics': topicRemoval },
}

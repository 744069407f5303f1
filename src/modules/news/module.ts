import type { ContentKind } from '#contracts/content.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import type { Statistics } from '#contracts/statistics.ts'
import { countWaiting, pinQueue } from '#modules/pinning/index.ts'
import type { Module } from '../../module.ts'
import { adminNewsPinRoutes, adminNewsRoutes } from './admin/routes.ts'
import { newsCategoryRoutes } from './categories.ts'
import { contributionRoutes } from './contributions/routes.ts'
import { newsCounters } from './index.ts'
import { newsPinRoutes } from './pins.ts'
import { listNews } from './queries.ts'
import { newsRankRoutes, newsRoutes } from './routes.ts'
import { NEWS_COMMENT, NEWS_PIN, NewsItem, STATUS } from './schema.ts'
import { newsRemoval } from './service.ts'
import { NEWS_SETTINGS } from './settings.ts'
import { newsItems, newsReader } from './view.ts'

export const newsPersonal = [
  personalTable({
    file: 'news',
    about: { en: 'Articles you contributed', zh: '您投稿的资讯' },
    table: 'news',
    with: ['news_tags'],
    key: ['id'],
    columns: [
      ...(['id', 'title', 'subject', 'content', 'from', 'author', 'category_id', 'image'] as const),
      ...(['audit_status', 'audit_count', 'mark', 'contribute_amount', 'fee_state'] as const),
      ...(['published_at', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`, array(select n.tag_id from news_tags n where n.news_id = t.id order by 1) as tags`,
  }),
  personalTable({
    file: 'news-deletions',
    about: { en: 'Articles you asked to delete', zh: '您的资讯删除申请' },
    table: 'news_deletions',
    key: ['id'],
    columns: ['id', 'news_id', 'title', 'state', 'mark', 'decided_at', 'created_at'],
  }),
  personalTable({
    file: 'news-subscriptions',
    about: { en: 'News categories you subscribed to', zh: '您订阅的资讯分类' },
    table: 'news_subscriptions',
    key: ['category_id'],
    columns: ['category_id'],
    extra: (sql) => sql`, (select c.name from news_categories c where c.id = t.category_id) as name`,
  }),
]

const ability = 'admin: news'

export const newsStatistics: Statistics = {
  queues: [
    {
      name: 'contributions',
      ability,
      waiting: (sql) => sql`
        select updated_at as since from news where audit_status = ${STATUS.waiting} order by id`,
    },
    {
      name: 'contribution-refunds',
      ability,
      waiting: (sql) => sql`
        select updated_at as since from news where audit_status = ${STATUS.refundAsked} order by id`,
    },
    {
      name: 'news-deletions',
      ability,
      waiting: (sql) =>
        sql`select created_at as since from news_deletions where state = 'pending' order by id`,
    },
    pinQueue('news', ability),
  ],
  series: [
    {
      name: 'news',
      ability,
      happened: (sql, from, until) => sql`
        select published_at as at, 1 as value from news
        where audit_status = 0 and published_at >= ${from} and published_at < ${until}`,
    },
  ],
}

export const newsSearch: Searchable = {
  type: 'news',
  item: NewsItem,
  find: async (ctx, { q, after, limit, viewerId }) =>
    newsItems(ctx, await listNews(ctx.sql, { key: q, after, limit, viewerId })),
}

export const NEWS_KINDS: ContentKind[] = [
  {
    type: 'news',
    code: 4,
    reader: newsReader,
    live: (sql) => sql`select id from news where audit_status <> ${STATUS.recycled}`,
    pinChannel: NEWS_PIN,
    counters: newsCounters,
    removal: newsRemoval,
    files: { 'news:image': 'admin: news', 'news:content': 'admin: news' },
    repostable: true,
    pendingPins: {
      'news-comment-pinned': (sql, userId, since) => countWaiting(sql, NEWS_COMMENT, userId, since),
    },
  },
]

export const module: Module = {
  settings: NEWS_SETTINGS,
  routes: () => [
    newsCategoryRoutes,
    newsRoutes,
    contributionRoutes,
    newsPinRoutes,
    newsRankRoutes,
    adminNewsPinRoutes,
    adminNewsRoutes,
  ],
  personalData: { place: 13, tables: newsPersonal },
  statistics: { place: 5, ...newsStatistics },
  search: { place: 4, ...newsSearch },
  kinds: NEWS_KINDS,
}

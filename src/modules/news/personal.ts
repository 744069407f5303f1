import { personalTable } from '#platform/personal-data.ts'

/** What a person takes along of news. */
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
    about: { en: 'Kinds of news you follow', zh: '您订阅的资讯栏目' },
    table: 'news_subscriptions',
    key: ['category_id'],
    columns: ['category_id'],
    extra: (sql) => sql`, (select c.name from news_categories c where c.id = t.category_id) as name`,
  }),
]

import type { Area, Choice } from './area.ts'
import { PERSON, personIn, STATE } from './area-parts.ts'

const STATES: readonly Choice[] = [
  { id: 0, name: ['published', '已发布'], tone: 'good' },
  { id: 1, name: ['waiting', '待审核'], tone: 'wait' },
  { id: 2, name: ['draft', '草稿'], tone: 'quiet' },
  { id: 3, name: ['rejected', '已驳回'], tone: 'bad' },
  { id: 4, name: ['recycled', '回收站'], tone: 'quiet' },
  { id: 5, name: ['refund asked for', '申请退款'], tone: 'wait' },
]

/** News: articles, their categories and pins. */
export const NEWS_AREAS: readonly Area[] = [
  {
    name: 'news',
    path: 'news',
    section: 'news',
    label: ['Articles', '资讯'],
    noun: ['article', '资讯'],
    icon: 'news',
    hasSearch: true,
    sorts: ['id', 'hits', 'digg_count', 'comment_count'],
    title: (row) => String(row.title),
    columns: [
      { name: 'image', label: ['Picture', '图片'], as: 'upload', wide: true },
      { name: 'title', label: ['Title', '标题'] },
      { name: 'category', label: ['Category', '分类'], wide: true },
      { name: 'audit_status', label: ['State', '状态'], choices: STATES },
      { name: 'recommend', label: ['Recommended', '推荐'], as: 'flag', wide: true },
      { name: 'hits', label: ['Views', '浏览'], as: 'number', wide: true },
      { name: 'published_at', label: ['Published', '发布时间'], as: 'time', wide: true },
    ],
    filters: [
      { name: 'audit_status', label: ['State', '状态'], as: 'choice', choices: STATES },
      { name: 'category_id', label: ['Category', '分类'], as: 'area', of: 'news-categories', shows: 'name' },
      personIn('user_id'),
      { name: 'recommend', label: ['Recommended', '推荐'], as: 'flag' },
    ],
    fields: [
      { name: 'title', label: ['Title', '标题'], required: true },
      {
        name: 'category_id',
        label: ['Category', '分类'],
        as: 'area',
        of: 'news-categories',
        shows: 'name',
        required: true,
      },
      { name: 'subject', label: ['Summary', '摘要'], as: 'long' },
      { name: 'image', label: ['Picture', '封面图片'], as: 'picture' },
      { name: 'author', label: ['Author', '作者'] },
      { name: 'from', label: ['Source', '来源'] },
      { name: 'recommend', label: ['Recommended', '推荐'], as: 'flag', only: 'known' },
      { name: 'content', label: ['Text', '正文'], as: 'markdown', full: true, required: true },
    ],
    deeds: [
      {
        label: ['Publish', '发布'],
        operation: 'patch news/{id}',
        when: (row) => row.audit_status !== 0,
        call: () => ({ verb: 'PATCH', path: '', body: { audit_status: 0 } }),
      },
      {
        label: ['Recycle', '移入回收站'],
        operation: 'patch news/{id}',
        when: (row) => row.audit_status !== 4,
        tone: 'bad',
        ask: [
          'The article is no longer shown; a fee that waits is given back.',
          '该资讯将不再显示，托管的投稿费会退还。',
        ],
        call: () => ({ verb: 'PATCH', path: '', body: { audit_status: 4 } }),
      },
    ],
  },
  {
    name: 'news-categories',
    path: 'news/categories',
    section: 'news',
    label: ['Categories of articles', '资讯分类'],
    noun: ['category', '分类'],
    icon: 'category',
    title: (row) => String(row.name),
    columns: [
      { name: 'name', label: ['Name', '名称'] },
      { name: 'news_count', label: ['Articles', '资讯数'], as: 'number' },
      { name: 'rank', label: ['Order', '排序'], as: 'number' },
    ],
    fields: [
      { name: 'name', label: ['Name', '名称'], required: true },
      { name: 'rank', label: ['Order', '排序'], as: 'number' },
    ],
  },
  {
    name: 'news-pins',
    path: 'news-pinneds',
    param: 'pinned',
    section: 'news',
    label: ['Pins of articles', '资讯置顶'],
    noun: ['pin', '置顶'],
    icon: 'pin',
    sorts: ['id', 'amount', 'expires_at'],
    title: (row) => String(row.title ?? row.news_id),
    columns: [
      { name: 'title', label: ['Article', '资讯'], as: 'long' },
      PERSON,
      { name: 'amount', label: ['Points', '积分'], as: 'points', wide: true },
      STATE,
      { name: 'expires_at', label: ['Until', '到期'], as: 'time', wide: true },
    ],
    fields: [
      {
        name: 'news',
        label: ['Article', '资讯'],
        as: 'area',
        of: 'news',
        shows: 'title',
        required: true,
        only: 'new',
      },
      { name: 'day', label: ['Days', '天数'], as: 'number', required: true, only: 'new', standard: 1 },
    ],
    deletes: { label: ['End', '结束'] },
  },
]

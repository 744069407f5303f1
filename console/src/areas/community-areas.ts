import type { Wire } from '../api/client.ts'
import type { Area } from './area.ts'
import { PERSON, personIn } from './area-parts.ts'

const MADE = { name: 'created_at', label: ['Made', '发布时间'], as: 'time', wide: true } as const
const BODY = (row: Wire) => (typeof row.body === 'string' ? row.body : '')
const BY = personIn('user_id')

/** Questions with their answers, and groups with their posts. */
export const COMMUNITY_AREAS: readonly Area[] = [
  {
    name: 'questions',
    path: 'questions',
    param: 'question',
    section: 'questions',
    label: ['Questions', '问题'],
    noun: ['question', '问题'],
    icon: 'question',
    hasSearch: true,
    title: (row) => String(row.subject),
    body: BODY,
    columns: [
      { name: 'subject', label: ['Question', '问题'], as: 'long' },
      PERSON,
      { name: 'amount', label: ['Bounty', '悬赏'], as: 'points', wide: true },
      { name: 'bounty', label: ['State of the bounty', '悬赏状态'], as: 'state', wide: true },
      { name: 'answers_count', label: ['Answers', '回答数'], as: 'number' },
      { name: 'excellent', label: ['Excellent', '精选'], as: 'flag', wide: true },
      MADE,
    ],
    filters: [
      BY,
      { name: 'topic_id', label: ['Topic', '话题'], as: 'area', of: 'question-topics', shows: 'name' },
      { name: 'excellent', label: ['Excellent', '精选'], as: 'flag' },
    ],
    deeds: [
      {
        label: ['Make excellent', '设为精选'],
        operation: 'patch questions/{question}',
        when: (row) => !row.excellent,
        call: () => ({ verb: 'PATCH', path: '', body: { excellent: true } }),
      },
      {
        label: ['No longer excellent', '取消精选'],
        operation: 'patch questions/{question}',
        when: (row) => Boolean(row.excellent),
        call: () => ({ verb: 'PATCH', path: '', body: { excellent: false } }),
      },
    ],
  },
  {
    name: 'answers',
    path: 'question-answers',
    param: 'answer',
    section: 'questions',
    label: ['Answers', '回答'],
    noun: ['answer', '回答'],
    icon: 'answer',
    hasSearch: true,
    title: (row) => `#${row.id}`,
    body: BODY,
    columns: [
      { name: 'text_body', label: ['Answer', '回答'], as: 'long' },
      PERSON,
      { name: 'question_id', label: ['Question', '问题'], as: 'number', wide: true },
      { name: 'likes_count', label: ['Likes', '点赞'], as: 'number', wide: true },
      { name: 'adoption', label: ['Adopted', '已采纳'], as: 'flag' },
      MADE,
    ],
    filters: [BY, { name: 'question_id', label: ['Id of the question', '问题编号'], as: 'number' }],
  },
  {
    name: 'question-topics',
    path: 'question-topics',
    param: 'topic',
    section: 'questions',
    label: ['Topics of questions', '问答话题'],
    noun: ['topic', '话题'],
    icon: 'topic',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'avatar', label: ['Picture', '图片'], as: 'picture', wide: true },
      { name: 'name', label: ['Name', '名称'] },
      { name: 'questions_count', label: ['Questions', '问题数'], as: 'number' },
      { name: 'follows_count', label: ['Followers', '关注数'], as: 'number', wide: true },
      { name: 'experts_count', label: ['Experts', '专家数'], as: 'number', wide: true },
    ],
    fields: [
      { name: 'name', label: ['Name', '名称'], required: true },
      { name: 'description', label: ['Description', '简介'], as: 'long' },
      { name: 'avatar', label: ['Picture', '图片'], as: 'node' },
    ],
  },
  {
    name: 'groups',
    path: 'groups',
    param: 'group',
    section: 'groups',
    label: ['Groups', '圈子'],
    noun: ['group', '圈子'],
    icon: 'groups',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'name', label: ['Name', '名称'] },
      { name: 'founder', label: ['Founder', '创建者'], as: 'person' },
      { name: 'mode', label: ['Mode', '模式'], as: 'state', wide: true },
      { name: 'users_count', label: ['Members', '成员数'], as: 'number', wide: true },
      { name: 'posts_count', label: ['Posts', '帖子数'], as: 'number', wide: true },
      {
        name: 'audit',
        label: ['State', '状态'],
        choices: [
          { id: 0, name: ['waiting', '待审核'], tone: 'wait' },
          { id: 1, name: ['open', '已通过'], tone: 'good' },
          { id: 2, name: ['closed', '已关闭'], tone: 'bad' },
        ],
      },
      { name: 'created_at', label: ['Made', '创建时间'], as: 'time', wide: true },
    ],
    filters: [
      {
        name: 'audit',
        label: ['State', '状态'],
        as: 'choice',
        choices: [
          { id: 0, name: ['waiting', '待审核'] },
          { id: 1, name: ['open', '已通过'] },
          { id: 2, name: ['closed', '已关闭'] },
        ],
      },
      { name: 'category_id', label: ['Category', '分类'], as: 'area', of: 'group-categories', shows: 'name' },
    ],
    fields: [
      {
        name: 'category_id',
        label: ['Category', '分类'],
        as: 'area',
        of: 'group-categories',
        shows: 'name',
        only: 'known',
      },
    ],
    deeds: [
      {
        label: ['Let it pass', '通过'],
        operation: 'patch groups/{group}',
        when: (row) => row.audit !== 1,
        call: () => ({ verb: 'PATCH', path: '', body: { audit: 1 } }),
      },
      {
        label: ['Close', '关闭'],
        operation: 'patch groups/{group}',
        when: (row) => row.audit !== 2,
        tone: 'bad',
        ask: [
          'Nobody can write in the group until it is opened again.',
          '关闭后无法在圈内发帖，可重新开放。',
        ],
        call: () => ({ verb: 'PATCH', path: '', body: { audit: 2 } }),
      },
    ],
  },
  {
    name: 'group-posts',
    path: 'group-posts',
    param: 'post',
    section: 'groups',
    label: ['Posts in groups', '帖子'],
    noun: ['post', '帖子'],
    icon: 'article',
    hasSearch: true,
    title: (row) => String(row.title),
    body: BODY,
    columns: [
      { name: 'title', label: ['Title', '标题'], as: 'long' },
      PERSON,
      { name: 'group.name', label: ['Group', '圈子'], wide: true },
      { name: 'likes_count', label: ['Likes', '点赞'], as: 'number', wide: true },
      { name: 'comments_count', label: ['Comments', '评论'], as: 'number', wide: true },
      MADE,
    ],
    filters: [BY, { name: 'group_id', label: ['Group', '圈子'], as: 'area', of: 'groups', shows: 'name' }],
  },
  {
    name: 'group-categories',
    path: 'group-categories',
    section: 'groups',
    label: ['Categories of groups', '圈子分类'],
    noun: ['category', '分类'],
    icon: 'category',
    title: (row) => String(row.name),
    columns: [
      { name: 'name', label: ['Name', '名称'] },
      { name: 'groups_count', label: ['Groups', '圈子数'], as: 'number' },
      { name: 'sort_by', label: ['Order', '排序'], as: 'number' },
    ],
    fields: [
      { name: 'name', label: ['Name', '名称'], required: true },
      { name: 'sort_by', label: ['Order', '排序'], as: 'number' },
    ],
  },
]

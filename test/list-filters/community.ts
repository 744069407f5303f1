import {
  below,
  cases,
  contains,
  direction,
  equals,
  type Item,
  type ListRow,
  oneOf,
  rows,
  sortsBy,
} from './filter.ts'

const seconds = (item: Item) => Date.parse(`${item.created_at.replace(' ', 'T')}Z`) / 1000
const SECONDS = { values: (items: Item[]) => items.slice(1, 2).map((item) => String(seconds(item))) }
const START = { ...SECONDS, matches: (item: Item, value: string) => seconds(item) >= Number(value) }
const END = { ...SECONDS, matches: (item: Item, value: string) => seconds(item) <= Number(value) }

const REWARDS: ListRow = {
  filters: {
    type: sortsBy({ time: 'id', amount: 'amount' }),
    order: direction('id'),
    order_type: sortsBy({ date: 'id', amount: 'amount' }),
    since: below('id'),
  },
}
const membersWith = (condition: string) =>
  `select id from group_members where group_id = 9 and ${condition} order by id desc`
const groupsWith = (condition: string) =>
  `select g.id from group_members m join groups g on g.id = m.group_id
   where m.user_id = 1 and g.deleted_at is null and (${condition}) order by m.id desc`
const pinnedPosts = (state: string) =>
  `select p.id from pins n join group_posts p on p.id = n.target_id
   where n.channel = 'group-post' and n.user_id = 1 and n.state = '${state}' order by p.id desc`
const INVITED = 'exists (select from question_invitations i where i.question_id = questions.id)'
const questionTypes = (where = 'true') => {
  const asked = (condition: string, order = 'id desc') =>
    `select id from questions where ${where} and ${condition} order by ${order}`
  return rows({
    new: asked('answers_count = 0'),
    hot: asked(`created_at > now() - interval '1 month'`, 'answers_count desc, id desc'),
    reward: asked('amount > 0'),
    excellent: asked('excellent'),
    follow: asked('id in (select question_id from question_watchers where user_id = 1)'),
  })
}
const PEOPLE_SEARCH = rows({
  x10: `select id from users where name like '%x10%' and deleted_at is null order by name = 'x10' desc, id desc`,
})
const RANKS = 'is tested with the sums of its period, which a list does not show'

export const COMMUNITY: Record<string, ListRow> = {
  'advertisingspace/advertising': {
    filters: { space: rows({ 7: 'select id from advertising where space_id = 7 order by id' }) },
  },
  'around-amap': { filters: { radius: 'is tested by src/modules/nearby' } },
  'chats/messages': { given: 'q=x1', filters: { chat: equals('chat_id') } },
  comments: {
    filters: {
      index: below('id'),
      direction: direction('id'),
      author: equals('user_id'),
      for_user: equals('target_user', 'reply_user'),
      for_type: {
        ...cases({
          all: () => true,
          target: (item) => item.target_user === 7,
          reply: (item) => item.reply_user === 7,
        }),
        given: 'for_user=7',
      },
      id: { ...oneOf('id'), isWhole: true },
      resourceable_type: {
        values: () => ['feeds', 'musics'],
        matches: (item, value) => item.resourceable.type === value && item.resourceable.id === 7,
        beside: 'resourceable_id=7',
      },
      resourceable_id: {
        ...oneOf('resourceable.id'),
        matches: (item, value) =>
          item.resourceable.type === 'feeds' && value.split(',').includes(String(item.resourceable.id)),
        beside: 'resourceable_type=feeds',
      },
    },
  },
  'currency/orders': {
    filters: {
      type: equals('type'),
      action: cases({
        recharge: (item) => item.target_type === 'recharge',
        cash: (item) => item.target_type === 'cash',
      }),
    },
  },
  'feed/topics': {
    filters: {
      q: contains('name'),
      direction: direction('id'),
      index: below('id'),
      only: {
        ...rows({
          hot: `select id from feed_topics where status = 'passed' and hot_at is not null order by id desc limit 8`,
        }),
        isWhole: true,
      },
    },
  },
  'feed/topics/{topicID}/feeds': { filters: { index: below('index'), direction: direction('index') } },
  feeds: {
    filters: {
      type: rows({
        hot: `select f.id from feed_hots h join feeds f on f.id = h.feed_id
          where f.deleted_at is null and h.created_at > now() - interval '7 days' and not exists (
            select from user_blocks b where (b.user_id, b.target_id) in ((1, f.user_id), (f.user_id, 1))
          ) and (f.user_id = 1 or f.user_id not in (select user_id from private_accounts)
            or f.user_id in (select target_id from user_follows where user_id = 1)
          ) order by h.hot desc, f.id desc`,
        follow: `select f.id from feeds f where f.deleted_at is null
          and (user_id = 1 or user_id in (select target_id from user_follows where user_id = 1)) order by id desc`,
        users: 'select id from feeds where user_id = 1 and deleted_at is null order by id desc',
      }),
      hot: 'is a cursor of `type=hot`',
      user: {
        ...rows({ 7: 'select id from feeds where user_id = 7 and deleted_at is null order by id desc' }),
        given: 'type=users',
      },
      screen: {
        ...rows({
          paid: 'select id from feeds where user_id = 1 and has_price and deleted_at is null order by id desc',
          pinned: `select f.id from pins p join feeds f on f.id = p.target_id
            where p.channel = 'feed' and p.user_id = 1 and p.state = 'active' and p.expires_at > now()
              and f.deleted_at is null order by f.id desc`,
        }),
        given: 'type=users',
      },
      search: contains('feed_content'),
      q: contains('feed_content'),
      id: oneOf('id'),
    },
  },
  'feeds/collections': { filters: { user: 'must be the viewer' } },
  'feeds/ranks': { filters: { type: RANKS } },
  'feeds/{feed}/rewards': REWARDS,
  'group-posts': {
    filters: { keyword: contains('title'), q: contains('title'), group_id: equals('group_id') },
  },
  'group-posts/{post}/rewards': REWARDS,
  groups: {
    filters: {
      keyword: contains('name'),
      q: contains('name'),
      category_id: equals('category_id'),
      id: oneOf('id'),
    },
  },
  'groups/users': { given: 'user_id=1', filters: { type: 'has one value' } },
  'groups/{group}/incomes': {
    filters: {
      type: cases({ all: () => true, join: (item) => item.type === 1, pinned: (item) => item.type === 2 }),
      start: START,
      end: END,
    },
  },
  'groups/{group}/members': {
    id: 9,
    filters: {
      type: rows({
        manager: membersWith(`role <> 'member'`),
        member: membersWith(`role = 'member' and audit = 1 and not disabled`),
        blacklist: membersWith('disabled'),
        audit: membersWith('audit = 0'),
        audit_user: membersWith('audit = 0'),
      }),
      name: contains('user.name'),
      q: contains('user.name'),
    },
  },
  'groups/{group}/posts': {
    filters: {
      type: rows({
        latest_reply: 'select id from group_posts where group_id = 7 order by replied_at desc, id desc',
      }),
      excellent: cases({ 1: (item) => item.excellent_at !== null, 0: () => true }),
    },
  },
  'music-specials/paids': { filters: { max_id: below('id') } },
  'music/collections': { filters: { max_id: below('id') } },
  'music/paids': { filters: { max_id: below('id') } },
  'music/songs': { filters: { q: contains('title'), id: oneOf('id') } },
  'music/specials': { filters: { max_id: below('id'), id: oneOf('id') } },
  'music/specials/{special}/comments': { filters: { max_id: below('id') } },
  'music/{music}/comments': { filters: { max_id: below('id') } },
  news: {
    filters: {
      id: oneOf('id'),
      recommend: cases({ 1: (item) => item.is_recommend === 1, 0: () => true }),
      cate_id: equals('category.id'),
      key: contains('title'),
      q: contains('title'),
    },
  },
  'news/categories/pinneds': { filters: { cate_id: equals('category.id') } },
  'news/ranks': { filters: { type: RANKS } },
  'news/{news}/rewards': REWARDS,
  'pinned/comments': { filters: { post: equals('raw') } },
  'pinned/posts': { filters: { group: equals('post.group_id') } },
  'plus-pay/orders': {
    filters: {
      type: equals('type'),
      action: cases({ income: (item) => item.type === 1, expenses: (item) => item.type === -1 }),
    },
  },
  'qa/reposted-answers': {
    filters: {
      id: { ...rows({ '9,7': 'select id from answers where id in (7, 9) order by id desc' }), isWhole: true },
    },
  },
  'qa/reposted-questions': {
    filters: {
      id: {
        ...rows({ '9,7': 'select id from questions where id in (7, 9) order by id desc' }),
        isWhole: true,
      },
    },
  },
  'question-answers/{answer}/rewarders': REWARDS,
  'question-experts': {
    filters: {
      topics: rows({
        7: `select e.user_id as id from question_topic_experts e join question_people p on p.user_id = e.user_id
          where e.topic_id = 7 order by p.income desc, e.user_id`,
      }),
      keyword: contains('name'),
      q: contains('name'),
    },
  },
  'question-ranks/answers': { filters: { type: RANKS } },
  'question-topics': {
    filters: {
      follow: 'adds a field to the items',
      name: contains('name'),
      q: contains('name'),
    },
  },
  'question-topics/{topic}/questions': {
    given: 'type=all',
    filters: {
      type: questionTypes('id in (select question_id from question_topic_links where topic_id = 7)'),
      subject: contains('subject'),
      q: contains('subject'),
      id: oneOf('id'),
    },
  },
  questions: {
    given: 'type=all',
    filters: { type: questionTypes(), subject: contains('subject'), q: contains('subject'), id: oneOf('id') },
  },
  'questions/{question}/answers': {
    filters: { order_type: sortsBy({ default: 'likes_count', time: 'id' }) },
  },
  'recommend/groups': { filters: { type: 'returns the list in random order' } },
  reports: {
    filters: { group_id: equals('group_id'), status: equals('status'), start: START, end: END },
  },
  search: { given: 'q=x1', filters: { type: 'selects the list' } },
  'user-group-audit-members': { filters: { group_ids: oneOf('group_id') } },
  'user-group-posts': {
    filters: { type: rows({ 2: pinnedPosts('active'), 3: pinnedPosts('pending') }) },
  },
  'user-groups': {
    filters: {
      type: rows({
        audit: groupsWith(`m.audit = 0 or g.audit = 0 and m.role = 'founder'`),
        allow_post: groupsWith(
          'm.audit = 1 and g.audit = 1 and not m.disabled and m.role = any(g.permissions)',
        ),
      }),
    },
  },
  'user/conversations': {
    filters: {
      max_id: below('id'),
      order: {
        ...cases({ 0: (item) => item.id < 100, 1: (item) => item.id > 100 }),
        beside: 'max_id=100',
      },
    },
  },
  'user/follow-mutual': { filters: { keyword: contains('name'), q: contains('name') } },
  'user/message/atme': { filters: { index: below('id'), direction: direction('id') } },
  'user/news/contributes': {
    filters: {
      type: equals('audit_status'),
      user: rows({ 7: 'select id from news where user_id = 7 and audit_status = 0 order by id desc' }),
    },
  },
  'user/notifications': { filters: { type: 'selects the list' } },
  'user/question-answer': {
    filters: {
      user_id: rows({ 7: 'select id from answers where user_id = 7 and not anonymity order by id desc' }),
      type: cases({
        all: () => true,
        adoption: (item) => item.adoption === 1,
        invitation: (item) => item.invited === 1,
        other: (item) => item.adoption === 0 && item.invited === 0,
      }),
    },
  },
  'user/question-topics': {
    filters: {
      type: rows({
        expert: 'select topic_id as id from question_topic_experts where user_id = 1 order by 1 desc',
      }),
    },
  },
  'user/questions': {
    filters: {
      user_id: rows({ 7: 'select id from questions where user_id = 7 and not anonymity order by id desc' }),
      type: rows({
        invitation: `select id from questions where user_id = 1 and ${INVITED} order by id desc`,
        reward: 'select id from questions where user_id = 1 and amount > 0 order by id desc',
        other: `select id from questions where user_id = 1 and amount = 0 and not ${INVITED} order by id desc`,
      }),
    },
  },
  'user/search': { filters: { keyword: PEOPLE_SEARCH, q: PEOPLE_SEARCH } },
  users: {
    filters: {
      id: oneOf('id'),
      name: contains('name'),
      q: contains('name'),
      fetch_by: {
        ...rows({ username: `select id from users where name in ('x7', 'x8', 'x9') order by id desc` }),
        given: 'name=x7,x8,x9',
      },
      tags: rows({
        5: 'select user_id as id from user_tags join users u on u.id = user_id where tag_id = 5 and deleted_at is null order by 1 desc',
      }),
      since: below('id'),
      order: direction('id'),
    },
  },
  'wallet/earlier-orders': {
    sorts: { created_at: (item) => item.created_at },
    filters: { currency: equals('currency') },
  },
  'wallet/charges': {
    filters: {
      action: cases({
        1: (item) => item.action === 1,
        0: (item) => item.action !== 1,
        2: (item) => item.action !== 1,
      }),
    },
  },
}

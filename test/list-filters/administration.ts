import { contains, equals, flag, type ListRow, oneOf, rows } from './filter.ts'

const STATE = equals('state')
const USER = equals('user_id')
const inSeconds = (time: string) => Date.parse(`${time.replace(' ', 'T')}Z`)

export const ADMINISTRATION: Record<string, ListRow> = {
  abilities: { filters: { q: contains('name') } },
  'account-waves': { filters: { q: contains('reason'), state: STATE } },
  'account-waves/{wave}/accounts': { filters: { q: contains('name'), state: STATE } },
  'address-blocks': { filters: { q: contains('network', 'reason'), in_force: equals('in_force') } },
  advertising: { filters: { q: contains('title'), space_id: equals('space_id') } },
  'app-versions': { filters: { q: contains('version'), type: equals('type') } },
  appeals: { filters: { q: contains('contents'), state: STATE, user: USER } },
  areas: { filters: { q: contains('name'), pid: equals('pid') } },
  'audit-log': {
    filters: {
      q: contains('action'),
      user_id: USER,
      action: equals('action'),
      subject_type: equals('subject_type'),
      subject_id: equals('subject_id'),
      from: {
        ...equals('created_at'),
        matches: (item, value) => inSeconds(item.created_at) >= inSeconds(value),
      },
      to: {
        ...equals('created_at'),
        matches: (item, value) => inSeconds(item.created_at) < inSeconds(value),
      },
    },
  },
  certifications: {
    filters: {
      q: contains('data.name', 'data.phone', 'data.number', 'data.org_name', 'data.org_address', 'user.name'),
      status: equals('status'),
      certification_name: equals('certification_name'),
      user_id: USER,
    },
  },
  conversations: { filters: { q: contains('content'), type: equals('type'), user_id: USER } },
  'feed-pinneds': {
    filters: { q: contains('user.name', 'feed_content'), state: STATE, user: USER, feed: equals('feed_id') },
  },
  'feed-topics': {
    filters: {
      q: contains('name'),
      id: equals('id'),
      name: contains('name'),
      hot: flag((item) => item.hot_at !== null),
      status: equals('status'),
    },
  },
  'earlier-orders': {
    filters: {
      q: equals('number', 'provider_number'),
      currency: equals('currency'),
      user: equals('owner_id'),
    },
  },
  feeds: {
    filters: {
      q: contains('feed_content'),
      deleted: rows({
        1: 'select id from feeds where deleted_at is not null order by id desc',
      }),
      user_id: USER,
      topic_id: rows({
        7: `select feed_id as id from feed_topic_links join feeds f on f.id = feed_id
          where topic_id = 7 and f.deleted_at is null order by 1 desc`,
      }),
    },
  },
  'feeds/{feed}/comments': { filters: { q: contains('body'), user_id: USER } },
  'group-categories': { filters: { q: contains('name'), status: equals('status') } },
  'group-posts': { filters: { q: contains('title'), group_id: equals('group_id'), user_id: USER } },
  'group-recommends': {
    // The reply omits `sort_by`. The fixture sets it to the negated group id, so the test derives it from `id`.
    sorts: { sort_by: (item) => -item.id },
    filters: { q: contains('name') },
  },
  groups: {
    filters: {
      q: contains('name'),
      audit: equals('audit'),
      category_id: equals('category_id'),
      mode: equals('mode'),
      user_id: USER,
    },
  },
  'health/requests': { filters: { hours: 'changes the interval between values' } },
  invitations: {
    filters: { q: equals('code'), user: equals('user.id'), ended: equals('ended') },
  },
  invitees: {
    filters: {
      q: contains('user.name'),
      user: equals('user.id'),
      inviter: equals('inviter.id'),
      invitation: equals('invitation_id'),
    },
  },
  'music/singers': { filters: { q: contains('name'), name: contains('name') } },
  'music/songs': {
    filters: {
      q: contains('title'),
      title: contains('title'),
      singer_id: equals('singer_id'),
      special_id: equals('specials'),
    },
  },
  'music/specials': { filters: { q: contains('title'), title: contains('title') } },
  news: {
    filters: {
      q: contains('title'),
      title: contains('title'),
      audit_status: equals('audit_status'),
      category_id: equals('category_id'),
      user_id: USER,
      recommend: equals('recommend'),
    },
  },
  'news-pinneds': {
    filters: { q: contains('user.name', 'title'), state: STATE, user: USER, news: equals('news_id') },
  },
  'news/categories': { filters: { q: contains('name') } },
  'news/deletions': { filters: { q: contains('title'), state: STATE, user_id: USER } },
  notices: { filters: { q: contains('contents'), status: equals('status') } },
  'page-versions': { filters: { page_id: equals('page_id') } },
  'payment-differences': { filters: { q: contains('number'), state: STATE } },
  'payment-notices': {
    filters: {
      q: contains('payment_number', 'order_number'),
      state: {
        values: () => ['waiting', 'applied', 'unmatched', 'foreign', 'lost'],
        matches: ({ state }, value) =>
          value === 'lost' ? state === 'waiting' || state === 'unmatched' : state === value,
      },
    },
  },
  'payment-refunds': { filters: { q: contains('number'), state: STATE } },
  'push-deliveries': { filters: { q: contains('way'), way: equals('way') } },
  'question-answers': { filters: { q: contains('body'), question_id: equals('question_id'), user_id: USER } },
  'question-applications': {
    filters: { q: contains('subject'), state: STATE, question_id: equals('question_id'), user_id: USER },
  },
  'question-topic-applications': { filters: { q: contains('name'), state: STATE, user_id: USER } },
  'question-topics': { filters: { q: contains('name'), name: contains('name') } },
  'question-topics/{topic}/experts': { filters: { q: contains('name') } },
  questions: {
    filters: {
      q: contains('subject'),
      user_id: USER,
      topic_id: rows({
        7: 'select question_id as id from question_topic_links where topic_id = 7 order by 1 desc',
      }),
      excellent: flag((item) => item.excellent === 1),
    },
  },
  recharges: {
    filters: {
      q: contains('user.name'),
      state: STATE,
      currency: equals('currency'),
      user: equals('owner_id'),
    },
  },
  registrations: {
    filters: {
      q: contains('name'),
      state: rows({
        accepted: `select id from registration_requests where state = 'accepted' order by id`,
        rejected: `select id from registration_requests where state = 'rejected' order by id`,
      }),
    },
  },
  reports: {
    filters: {
      q: contains('subject'),
      status: equals('status'),
      type: equals('reportable_type'),
      user_id: USER,
      target_user: equals('target_user'),
    },
  },
  roles: { filters: { q: contains('name') } },
  sanctions: {
    filters: { q: contains('reason'), user: USER, kind: equals('kind'), in_force: equals('in_force') },
  },
  'sensitive-words': { filters: { q: contains('word'), type: equals('type') } },
  'statistics/days': {
    key: 'name',
    filters: {
      from: 'selects the days, which tests of statistics cover',
      to: 'selects the days, which tests of statistics cover',
      series: oneOf('name'),
    },
  },
  'tag-categories': { filters: { q: contains('name') } },
  tags: { filters: { q: contains('name'), tag_category_id: equals('tag_category_id') } },
  'text-messages': { filters: { q: equals('ending'), state: STATE } },
  'user-famous': { filters: { q: contains('user.name'), type: equals('type') } },
  'user-recommends': { filters: { q: contains('user.name') } },
  users: {
    filters: {
      q: contains('name'),
      id: equals('id'),
      email: equals('email'),
      phone: equals('phone'),
      role: equals('roles'),
      disabled: equals('disabled'),
      standing: equals('standing'),
    },
  },
  'users/{user}/points': { filters: { q: contains('title', 'body'), kind: equals('kind') } },
  'users/{user}/wallet': { filters: { q: contains('title', 'body'), kind: equals('kind') } },
  webhooks: { filters: { q: contains('url', 'description'), enabled: equals('enabled') } },
  'webhooks/{webhook}/deliveries': {
    filters: { q: contains('key'), status: equals('status'), type: equals('type') },
  },
  withdrawals: {
    filters: {
      q: contains('user.name'),
      state: STATE,
      currency: equals('currency'),
      user: equals('owner_id'),
    },
  },
}

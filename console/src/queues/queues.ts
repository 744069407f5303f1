import type { Wire } from '../api/client.ts'
import type { Text } from '../shell/text.ts'
import type { Queue, Verdict } from './queue.ts'

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
const list = <T = Wire>(value: unknown) => (Array.isArray(value) ? (value as T[]) : [])

const ACCEPT: Text = ['Accept', '通过']
const REJECT: Text = ['Reject', '驳回']
const REASON: Text = ['Reason', '理由']

const FACTS = {
  asked: { label: ['Asked', '提交时间'], name: 'created_at', as: 'time' },
  points: { label: ['Points', '积分'], name: 'amount', as: 'number' },
  days: { label: ['Days', '天数'], name: 'day', as: 'number' },
  money: { label: ['Amount', '金额'], name: 'amount', as: 'number' },
  currency: { label: ['Currency', '币种'], name: 'currency', as: 'state' },
} as const

/** The verdicts of an operation that takes `action`, and a text beside it. */
function actions(
  path: string,
  field?: string,
  words: { accept?: string; reject?: string; acceptLabel?: Text } = {},
): { accept: Verdict; reject: Verdict } {
  const verdict = (label: Text, action: string): Verdict => ({
    label,
    ...(field ? { reason: { label: REASON } } : {}),
    call: (row, reason) => ({
      verb: 'PATCH',
      path: `/admin/${path}/${row.id}`,
      body: { action, ...(field && reason ? { [field]: reason } : {}) },
    }),
  })
  return {
    accept: verdict(words.acceptLabel ?? ACCEPT, words.accept ?? 'accept'),
    reject: verdict(REJECT, words.reject ?? 'reject'),
  }
}

/** Everything that waits for a decision, in the order in which the console lists it. */
export const QUEUES: readonly Queue[] = [
  {
    name: 'reports',
    label: ['Reports', '举报'],
    icon: 'flag',
    path: 'reports',
    query: { status: 0 },
    operation: 'patch reports/{report}',
    title: (row) => text(row.subject) || `${row.reportable_type} ${row.reportable_id}`,
    body: (row) => text(row.reason),
    facts: [
      { label: ['Reported', '举报时间'], name: 'created_at', as: 'time' },
      { label: ['Kind', '类型'], name: 'reportable_type' },
      { label: ['Reported by', '举报人'], name: 'user', as: 'person' },
      { label: ['About', '被举报人'], name: 'target', as: 'person' },
    ],
    author: (row) => number(row.target_user),
    ...actions('reports', 'mark', { accept: 'deal', acceptLabel: ['Deal with it', '处理'] }),
  },
  {
    name: 'topic-reviews',
    label: ['Topics', '话题审核'],
    icon: 'topic',
    path: 'feed-topics',
    query: { status: 'waiting' },
    operation: 'put feed-topics/{topicID}/review',
    title: (row) => text(row.name),
    body: (row) => text(row.desc),
    facts: [FACTS.asked, { label: ['Creator', '创建者'], name: 'creator', as: 'person' }],
    pictures: (row) => [row.logo],
    author: (row) => number(row.creator_user_id),
    accept: {
      label: ACCEPT,
      call: (row) => ({
        verb: 'PUT',
        path: `/admin/feed-topics/${row.id}/review`,
        body: { status: 'passed' },
      }),
    },
    reject: {
      label: REJECT,
      call: (row) => ({
        verb: 'PUT',
        path: `/admin/feed-topics/${row.id}/review`,
        body: { status: 'failed' },
      }),
    },
  },
  {
    name: 'contributions',
    label: ['Contributions', '投稿'],
    icon: 'article',
    path: 'news',
    query: { audit_status: 1 },
    operation: 'patch news/{id}',
    title: (row) => text(row.title),
    body: (row) => text(row.content) || text(row.subject),
    whole: (row) => `/admin/news/${row.id}`,
    facts: [
      FACTS.asked,
      { label: ['Category', '分类'], name: 'category' },
      { label: ['Author', '作者'], name: 'author' },
      { label: ['Paid', '投稿费'], name: 'contribute_amount', as: 'number' },
    ],
    uploads: (row) => (row.image ? [Number(row.image)] : []),
    author: (row) => number(row.user_id),
    accept: {
      label: ['Publish', '发布'],
      call: (row) => ({ verb: 'PATCH', path: `/admin/news/${row.id}`, body: { audit_status: 0 } }),
    },
    reject: {
      label: REJECT,
      reason: { label: REASON, required: true },
      call: (row, reason) => ({
        verb: 'PATCH',
        path: `/admin/news/${row.id}`,
        body: { audit_status: 3, mark: reason },
      }),
    },
  },
  {
    name: 'certifications',
    label: ['Certifications', '认证'],
    icon: 'verified',
    path: 'certifications',
    query: { status: 0 },
    operation: 'patch certifications/{certification}/pass',
    title: (row) => text((row.data as Wire).org_name) || text((row.data as Wire).name),
    body: (row) => text((row.data as Wire).desc),
    whole: (row) => `/admin/certifications/${row.id}`,
    facts: [
      FACTS.asked,
      { label: ['Kind', '类型'], name: 'category.display_name' },
      { label: ['Person', '申请人'], name: 'user', as: 'person' },
      { label: ['Name', '姓名'], name: 'data.name' },
      { label: ['Number', '证件号'], name: 'data.number' },
      { label: ['Phone', '电话'], name: 'data.phone' },
      { label: ['Address', '地址'], name: 'data.org_address' },
    ],
    pictures: (row) => list(row.files).map(({ url }) => url),
    author: (row) => number(row.user_id),
    accept: {
      label: ACCEPT,
      reason: {
        label: ['What everybody sees', '公开的认证说明'],
        required: true,
        from: (row) => text((row.data as Wire).desc).slice(0, 250),
      },
      call: (row, reason) => ({
        verb: 'PATCH',
        path: `/admin/certifications/${row.id}/pass`,
        body: { desc: reason, version: row.version },
      }),
    },
    reject: {
      label: REJECT,
      reason: { label: REASON, required: true },
      call: (row, reason) => ({
        verb: 'PATCH',
        path: `/admin/certifications/${row.id}/reject`,
        body: { reject_content: reason, version: row.version },
      }),
    },
  },
  {
    name: 'group-audits',
    label: ['Groups', '圈子审核'],
    icon: 'groups',
    path: 'groups',
    query: { audit: 0 },
    operation: 'patch groups/{group}',
    title: (row) => text(row.name),
    body: (row) => [text(row.summary), text(row.notice)].filter(Boolean).join('\n\n'),
    facts: [
      FACTS.asked,
      { label: ['Founder', '创建者'], name: 'founder', as: 'person' },
      { label: ['Mode', '模式'], name: 'mode', as: 'state' },
      { label: ['To join', '加入费用'], name: 'money', as: 'number' },
      { label: ['Place', '位置'], name: 'location' },
    ],
    pictures: (row) => [row.avatar],
    author: (row) => number(row.user_id),
    accept: {
      label: ACCEPT,
      call: (row) => ({ verb: 'PATCH', path: `/admin/groups/${row.id}`, body: { audit: 1 } }),
    },
    reject: {
      label: REJECT,
      call: (row) => ({ verb: 'PATCH', path: `/admin/groups/${row.id}`, body: { audit: 2 } }),
    },
  },
  {
    name: 'feed-pins',
    label: ['Pins of feeds', '动态置顶'],
    icon: 'pin',
    path: 'feed-pinneds',
    query: { state: 'pending' },
    operation: 'patch feed-pinneds/{pinned}',
    title: (row) => `#${row.feed_id}`,
    body: (row) => text(row.feed_content),
    whole: (row) => `/admin/feeds/${row.feed_id}`,
    facts: [
      FACTS.asked,
      FACTS.points,
      FACTS.days,
      { label: ['Person', '申请人'], name: 'user', as: 'person' },
    ],
    uploads: (row) => list<{ file: number }>(row.images).map(({ file }) => file),
    author: (row) => number(row.user_id),
    ...actions('feed-pinneds'),
  },
  {
    name: 'news-pins',
    label: ['Pins of articles', '资讯置顶'],
    icon: 'pin',
    path: 'news-pinneds',
    query: { state: 'pending' },
    operation: 'patch news-pinneds/{pinned}',
    title: (row) => text(row.title) || `#${row.news_id}`,
    body: (row) => text(row.content),
    whole: (row) => `/admin/news/${row.news_id}`,
    facts: [
      FACTS.asked,
      FACTS.points,
      FACTS.days,
      { label: ['Person', '申请人'], name: 'user', as: 'person' },
    ],
    uploads: (row) => (row.image ? [Number(row.image)] : []),
    author: (row) => number(row.user_id),
    ...actions('news-pinneds'),
  },
  {
    name: 'withdrawals',
    label: ['Withdrawals', '提现'],
    icon: 'payout',
    path: 'withdrawals',
    query: { state: 'pending' },
    operation: 'patch withdrawals/{withdrawal}',
    title: (row) => `${row.amount} → ${row.payout}`,
    facts: [
      FACTS.asked,
      FACTS.currency,
      FACTS.money,
      { label: ['To be paid', '应付'], name: 'payout', as: 'number' },
      { label: ['By', '方式'], name: 'type' },
      { label: ['Account', '账号'], name: 'account' },
      { label: ['Person', '申请人'], name: 'user', as: 'person' },
    ],
    author: (row) => number(row.owner_id),
    ...actions('withdrawals', 'remark', { acceptLabel: ['Paid out', '已付款'] }),
  },
  {
    name: 'recharges',
    label: ['Recharges', '充值'],
    icon: 'payin',
    path: 'recharges',
    query: { state: 'pending' },
    operation: 'patch recharges/{recharge}',
    title: (row) => `${row.amount} → ${row.credited}`,
    facts: [
      FACTS.asked,
      FACTS.currency,
      FACTS.money,
      { label: ['To be credited', '到账'], name: 'credited', as: 'number' },
      { label: ['Provider', '渠道'], name: 'provider' },
      { label: ['Person', '申请人'], name: 'user', as: 'person' },
    ],
    author: (row) => number(row.owner_id),
    accept: {
      label: ['Confirm the payment', '确认到账'],
      reason: { label: ['Reference of the payment', '付款凭证号'], required: true },
      call: (row, reason) => ({
        verb: 'PATCH',
        path: `/admin/recharges/${row.id}`,
        body: { action: 'accept', reference: reason },
      }),
    },
    reject: {
      label: ['Close the order', '关闭订单'],
      reason: { label: REASON },
      call: (row, reason) => ({
        verb: 'PATCH',
        path: `/admin/recharges/${row.id}`,
        body: { action: 'reject', ...(reason ? { remark: reason } : {}) },
      }),
    },
  },
  {
    name: 'question-applications',
    label: ['Excellent questions', '精选问题申请'],
    icon: 'star',
    path: 'question-applications',
    query: { state: 'pending' },
    operation: 'patch question-applications/{application}',
    title: (row) => text(row.subject) || `#${row.question_id}`,
    body: (row) => text(row.body),
    whole: (row) => `/admin/questions/${row.question_id}`,
    facts: [FACTS.asked, FACTS.points, { label: ['Person', '申请人'], name: 'user', as: 'person' }],
    author: (row) => number(row.user_id),
    ...actions('question-applications', 'mark'),
  },
  {
    name: 'question-topic-applications',
    label: ['Proposed topics of questions', '问答话题申请'],
    icon: 'topic',
    path: 'question-topic-applications',
    query: { state: 'pending' },
    operation: 'patch question-topic-applications/{application}',
    title: (row) => text(row.name),
    body: (row) => text(row.description),
    facts: [FACTS.asked, { label: ['Person', '申请人'], name: 'user', as: 'person' }],
    author: (row) => number(row.user_id),
    ...actions('question-topic-applications', 'mark'),
  },
  {
    name: 'news-deletions',
    label: ['Deletions of articles', '资讯删除申请'],
    icon: 'delete',
    path: 'news/deletions',
    query: { state: 'pending' },
    operation: 'patch news/deletions/{deletion}',
    title: (row) => text(row.title),
    body: (row) => text(row.content),
    whole: (row) => `/admin/news/${row.news_id}`,
    facts: [FACTS.asked],
    author: (row) => number(row.user_id),
    ...actions('news/deletions', 'mark', { acceptLabel: ['Delete the article', '删除资讯'] }),
  },
]

export const queueNamed = (name: string | undefined) => QUEUES.find((queue) => queue.name === name)

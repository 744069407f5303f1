import type { Wire } from '../api/client.ts'
import { GROUP_MODES } from '../areas/area-parts.ts'
import { memberText, plainText } from '../areas/member-text.ts'
import {
  KINDS,
  PERIODS,
  previewOf,
  SANCTION_KINDS,
  type SanctionKind,
} from '../pages/person/sanction-texts.ts'
import { cutText } from '../shell/text.ts'
import type { Queue, Verdict } from './queue.ts'
import {
  ACCEPT,
  actions,
  authorIn,
  FACTS,
  list,
  personFact,
  REASON,
  REJECT,
  text,
  upload,
  verdict,
} from './queue-parts.ts'

const NEEDED_REASON = { label: REASON, required: true }
const TOPIC_REVIEW = { verb: 'PUT', path: 'feed-topics', below: '/review' } as const

const periodOf = ({ kind, hours }: Wire) =>
  kind === 'warning' || !hours || hours === 'lasting' ? undefined : { hours: Number(hours) }

const DEALING: Verdict = {
  label: ['Remove content or sanction user', '删除内容或处罚用户'],
  reason: { label: ['Remark for other administrators', '给其他管理员的备注'] },
  details: [
    { name: 'remove', label: ['Remove the reported content', '删除被举报的内容'], as: 'flag' },
    {
      name: 'kind',
      label: ['Sanction', '处罚'],
      as: 'choice',
      operation: 'post users/{user}/sanctions',
      // The API returns no user for guests and for accounts that are disabled or deleted.
      when: (_, { target }) => target !== null,
      choices: [{ id: '', name: ['none', '无'] }, ...SANCTION_KINDS.map((id) => ({ id, name: KINDS[id] }))],
    },
    {
      name: 'hours',
      label: ['Duration', '期限'],
      as: 'choice',
      required: true,
      choices: [
        ...PERIODS.map(({ hours, label }) => ({ id: String(hours), name: label })),
        { id: 'lasting', name: ['until lifted', '直至解除'] },
      ],
      when: ({ kind }) => kind === 'silence' || kind === 'suspension',
    },
    {
      name: 'why',
      label: ['Reason shown to the user', '告知用户的理由'],
      as: 'text',
      required: true,
      when: ({ kind }) => Boolean(kind),
    },
  ],
  preview: ({ kind, hours, why }) =>
    kind && why
      ? previewOf(kind as SanctionKind, String(why).trim(), periodOf({ kind, hours })?.hours ?? null)
      : undefined,
  call: (row, mark, { remove, kind, hours, why }) => ({
    verb: 'PATCH',
    path: `/admin/reports/${row.id}`,
    body: {
      action: 'deal',
      ...(mark ? { mark } : {}),
      ...(remove ? { remove: true } : {}),
      ...(kind
        ? {
            sanction: { kind, reason: why, ...(periodOf({ kind, hours }) ?? {}) },
          }
        : {}),
    },
  }),
}

const ARTICLE = {
  path: 'news',
  operation: 'patch news/{id}',
  title: (row) => text(row.title),
  body: (row) => memberText(row, 'content', 'markdown') ?? plainText(row.subject),
  whole: (row) => `/admin/news/${row.id}?trees=true`,
  uploads: (row) => upload(row.image),
  author: authorIn('user_id'),
} satisfies Partial<Queue>
const AUTHORSHIP: Queue['facts'] = [
  { label: ['Author', '作者'], name: 'author' },
  { label: ['Contribution fee', '投稿费'], name: 'contribute_amount', as: 'points' },
]

export const CONTENT_QUEUES: readonly Queue[] = [
  {
    name: 'reports',
    label: ['Reports', '举报'],
    icon: 'flag',
    path: 'reports',
    query: { status: 0 },
    operation: 'patch reports/{report}',
    title: (row) => text(row.subject) || `${row.reportable_type} ${row.reportable_id}`,
    body: (row) => plainText(row.reason),
    chatMessage: (row) =>
      row.reportable_type === 'chat-messages' ? `/admin/chat-messages/${row.reportable_id}` : undefined,
    facts: [
      { label: ['Reported', '举报时间'], name: 'created_at', as: 'time' },
      { label: ['Content type', '内容类型'], name: 'reportable_type', as: 'state' },
      personFact(['Reporter', '举报人']),
      personFact(['Reported user', '被举报人'], 'target'),
    ],
    author: authorIn('target_user'),
    ...actions('reports', 'mark', { accept: 'deal', acceptLabel: ['Mark as handled', '标记为已处理'] }),
    more: DEALING,
  },
  {
    name: 'topic-reviews',
    label: ['New topics', '话题审核'],
    icon: 'topic',
    path: 'feed-topics',
    query: { status: 'waiting' },
    operation: 'put feed-topics/{topicID}/review',
    title: (row) => text(row.name),
    body: (row) => plainText(row.desc),
    facts: [FACTS.asked, personFact(['Creator', '创建者'], 'creator')],
    pictures: (row) => [row.logo],
    author: authorIn('creator_user_id'),
    accept: verdict(ACCEPT, TOPIC_REVIEW, () => ({ status: 'passed' })),
    reject: verdict(REJECT, TOPIC_REVIEW, () => ({ status: 'failed' })),
  },
  {
    name: 'contributions',
    label: ['Contributions', '投稿'],
    icon: 'article',
    ...ARTICLE,
    query: { audit_status: 1 },
    facts: [FACTS.asked, { label: ['Category', '分类'], name: 'category' }, ...AUTHORSHIP],
    accept: verdict(['Publish', '发布'], { path: 'news' }, () => ({ audit_status: 0 })),
    reject: verdict(REJECT, { path: 'news' }, (reason) => ({ audit_status: 3, mark: reason }), NEEDED_REASON),
  },
  {
    name: 'contribution-refunds',
    label: ['Contribution refunds', '投稿退款申请'],
    icon: 'payout',
    ...ARTICLE,
    query: { audit_status: 5 },
    facts: [
      { label: ['Submitted', '提交时间'], name: 'updated_at', as: 'time' },
      ...AUTHORSHIP,
      { label: ['Times rejected', '已驳回次数'], name: 'audit_count', as: 'number' },
      { label: ['Last rejection reason', '上次驳回理由'], name: 'mark' },
    ],
    accept: verdict(
      ['Refund the fee', '退还投稿费'],
      { path: 'news' },
      (mark) => ({ audit_status: 4, ...(mark ? { mark } : {}) }),
      { label: REASON },
    ),
    reject: verdict(
      ['Keep the fee', '不退还投稿费'],
      { path: 'news' },
      (mark) => ({ audit_status: 3, mark }),
      NEEDED_REASON,
    ),
  },
  {
    name: 'certifications',
    label: ['Certification requests', '认证审核'],
    icon: 'verified',
    path: 'certifications',
    query: { status: 0 },
    operation: 'patch certifications/{certification}/pass',
    title: (row) => text((row.data as Wire).org_name) || text((row.data as Wire).name),
    body: (row) => plainText((row.data as Wire).desc),
    whole: (row) => `/admin/certifications/${row.id}`,
    facts: [
      FACTS.asked,
      FACTS.kind,
      FACTS.person,
      { label: ['Name', '姓名'], name: 'data.name' },
      { label: ['ID number', '证件号'], name: 'data.number' },
      { label: ['Phone', '电话'], name: 'data.phone' },
      { label: ['Address', '地址'], name: 'data.org_address' },
    ],
    pictures: (row) => list(row.files).map(({ url }) => url),
    author: authorIn('user_id'),
    accept: verdict(
      ACCEPT,
      { path: 'certifications', below: '/pass' },
      (reason, { version }) => ({ desc: reason, version }),
      {
        label: ['Public description', '公开的认证说明'],
        required: true,
        from: (row) => cutText(text((row.data as Wire).desc), 250),
      },
    ),
    reject: verdict(
      REJECT,
      { path: 'certifications', below: '/reject' },
      (reason, { version }) => ({ reject_content: reason, version }),
      NEEDED_REASON,
    ),
  },
  {
    name: 'group-audits',
    label: ['New groups', '圈子审核'],
    icon: 'groups',
    path: 'groups',
    query: { audit: 0 },
    operation: 'patch groups/{group}',
    title: (row) => text(row.name),
    body: (row) => plainText([text(row.summary), text(row.notice)].filter(Boolean).join('\n\n')),
    facts: [
      FACTS.asked,
      personFact(['Founder', '圈主'], 'founder'),
      { label: ['Mode', '模式'], name: 'mode', choices: GROUP_MODES },
      { label: ['Joining fee', '加入费用'], name: 'money', as: 'points' },
      { label: ['Location', '位置'], name: 'location' },
    ],
    pictures: (row) => [row.avatar],
    author: authorIn('user_id'),
    accept: verdict(ACCEPT, { path: 'groups' }, () => ({ audit: 1 })),
    reject: verdict(REJECT, { path: 'groups' }, () => ({ audit: 2 })),
  },
]

import type { Queue } from './queue.ts'
import { actions, authorIn, FACTS, list, REASON, text, upload, verdict } from './queue-parts.ts'

/** What is the same for pins of any content. */
const PIN = {
  icon: 'pin',
  query: { state: 'pending' },
  facts: [FACTS.asked, FACTS.points, FACTS.days, FACTS.person],
  author: authorIn('user_id'),
} as const

/** What people paid for or want to be paid: pins, and money in and out. */
export const PAYMENT_QUEUES: readonly Queue[] = [
  {
    name: 'feed-pins',
    label: ['Pins of feeds', '动态置顶'],
    path: 'feed-pinneds',
    operation: 'patch feed-pinneds/{pinned}',
    title: (row) => `#${row.feed_id}`,
    body: (row) => text(row.feed_content),
    whole: (row) => `/admin/feeds/${row.feed_id}`,
    uploads: (row) => list<{ file: number }>(row.images).map(({ file }) => file),
    ...PIN,
    ...actions('feed-pinneds'),
  },
  {
    name: 'news-pins',
    label: ['Pins of articles', '资讯置顶'],
    path: 'news-pinneds',
    operation: 'patch news-pinneds/{pinned}',
    title: (row) => text(row.title) || `#${row.news_id}`,
    body: (row) => text(row.content),
    whole: (row) => `/admin/news/${row.news_id}`,
    uploads: (row) => upload(row.image),
    ...PIN,
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
      FACTS.person,
    ],
    author: authorIn('owner_id'),
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
      FACTS.person,
    ],
    author: authorIn('owner_id'),
    accept: verdict(
      ['Confirm the payment', '确认到账'],
      { path: 'recharges' },
      (reason) => ({ action: 'accept', reference: reason }),
      { label: ['Reference of the payment', '付款凭证号'], required: true },
    ),
    reject: verdict(
      ['Close the order', '关闭订单'],
      { path: 'recharges' },
      (reason) => ({ action: 'reject', ...(reason ? { remark: reason } : {}) }),
      { label: REASON },
    ),
  },
]

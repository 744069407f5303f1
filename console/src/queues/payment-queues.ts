import type { Wire } from '../api/client.ts'
import { memberText } from '../areas/member-text.ts'
import { formatAmount } from '../shell/money.ts'
import { currentLocale } from '../shell/text.ts'
import type { Queue } from './queue.ts'
import { actions, authorIn, FACTS, list, REASON, text, upload, verdict } from './queue-parts.ts'

const money = (fen: unknown) => formatAmount(Number(fen), 'wallet', currentLocale())
const nameIn = (user: unknown) => text((user as Wire | null)?.name)

const PIN = {
  icon: 'pin',
  query: { state: 'pending' },
  facts: [FACTS.asked, FACTS.points, FACTS.days, FACTS.person],
  author: authorIn('user_id'),
} as const

export const PAYMENT_QUEUES: readonly Queue[] = [
  {
    name: 'feed-pins',
    label: ['Feed pin requests', '动态置顶申请'],
    path: 'feed-pinneds',
    operation: 'patch feed-pinneds/{pinned}',
    title: (row) => `#${row.feed_id}`,
    body: (row) => memberText(row, 'feed_content', 'plain'),
    whole: (row) => `/admin/feeds/${row.feed_id}?trees=true`,
    uploads: (row) => list<{ file: number }>(row.images).map(({ file }) => file),
    ...PIN,
    ...actions('feed-pinneds'),
  },
  {
    name: 'news-pins',
    label: ['Article pin requests', '资讯置顶申请'],
    path: 'news-pinneds',
    operation: 'patch news-pinneds/{pinned}',
    title: (row) => text(row.title) || `#${row.news_id}`,
    body: (row) => memberText(row, 'content', 'markdown'),
    whole: (row) => `/admin/news/${row.news_id}?trees=true`,
    uploads: (row) => upload(row.image),
    ...PIN,
    ...actions('news-pinneds'),
  },
  {
    name: 'withdrawals',
    label: ['Withdrawals to pay', '提现审核'],
    icon: 'payout',
    path: 'withdrawals',
    query: { state: 'pending' },
    operation: 'patch withdrawals/{withdrawal}',
    title: (row) => [money(row.payout), text(row.account) || nameIn(row.user)].filter(Boolean).join(' → '),
    facts: [
      FACTS.asked,
      { label: ['Requested amount', '申请金额'], name: 'amount', as: 'amount' },
      { label: ['Amount to pay', '应付金额'], name: 'payout', as: 'money', copies: true },
      { label: ['Payout method', '提现方式'], name: 'type' },
      { label: ['Payee account', '收款账号'], name: 'account', copies: true },
      FACTS.person,
    ],
    author: authorIn('owner_id'),
    ...actions('withdrawals', 'remark', { acceptLabel: ['Mark as paid', '标记为已付款'] }),
  },
  {
    name: 'recharges',
    label: ['Recharges to confirm', '充值确认'],
    icon: 'payin',
    path: 'recharges',
    query: { state: 'pending' },
    operation: 'patch recharges/{recharge}',
    title: (row) => [money(row.amount), nameIn(row.user)].filter(Boolean).join(' · '),
    facts: [
      FACTS.asked,
      { label: ['Amount due', '应收金额'], name: 'amount', as: 'money', copies: true },
      { label: ['Amount to credit', '到账金额'], name: 'credited', as: 'amount' },
      { label: ['Provider', '支付渠道'], name: 'provider' },
      FACTS.person,
    ],
    author: authorIn('owner_id'),
    accept: verdict(
      ['Confirm the payment', '确认到账'],
      { path: 'recharges' },
      (reason) => ({ action: 'accept', reference: reason }),
      { label: ['Payment reference', '付款凭证号'], required: true },
    ),
    reject: verdict(
      ['Close the order', '关闭订单'],
      { path: 'recharges' },
      (reason) => ({ action: 'reject', ...(reason ? { remark: reason } : {}) }),
      { label: REASON },
    ),
  },
]

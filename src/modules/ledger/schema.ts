import { MAX_AMOUNT } from '#lib/money.ts'
import { Int } from '#platform/schema.ts'

/** The two currencies: points, and wallet money in fen (money-1). */
export const CURRENCIES = ['points', 'wallet'] as const
export type Currency = (typeof CURRENCIES)[number]

/**
 * Accounts of the platform. `escrow` holds what waits for a decision, `income` is what the site earned, and what enters
 * or leaves the site comes from and goes to `issuance`.
 */
export const PLATFORM = { escrow: -1, income: -2, issuance: -3 } as const

/** What one movement may carry (conventions-27). */
export const Amount = Int(1, MAX_AMOUNT)

/** Why money moves; docs/ledger.md says from where to where. Texts are titles of orders, for payer and receiver. */
export const KINDS = {
  opening: {
    out: { en: 'Correction of the opening balance', zh: '期初余额更正' },
    in: { en: 'Opening balance', zh: '期初余额' },
  },
  pin: { out: { en: 'Request to pin', zh: '置顶申请' }, in: { en: 'Request to pin', zh: '置顶申请' } },
  'pin:accepted': { out: { en: 'Pinned', zh: '置顶通过' }, in: { en: 'Pin income', zh: '置顶收入' } },
  'pin:refunded': { out: { en: 'Pin refund', zh: '置顶退还' }, in: { en: 'Pin refund', zh: '置顶退还' } },
  purchase: { out: { en: 'Purchase', zh: '购买付费内容' }, in: { en: 'Content sold', zh: '付费内容被购买' } },
  reward: { out: { en: 'Reward given', zh: '打赏' }, in: { en: 'Reward received', zh: '收到打赏' } },
  transfer: { out: { en: 'Transfer', zh: '转账' }, in: { en: 'Transfer received', zh: '收到转账' } },
  transform: { out: { en: 'Exchanged for points', zh: '兑换积分' }, in: { en: 'Exchanged', zh: '钱包兑换' } },
  recharge: { out: { en: 'Recharge', zh: '充值' }, in: { en: 'Recharge', zh: '充值' } },
  withdrawal: { out: { en: 'Withdrawal', zh: '提现' }, in: { en: 'Withdrawal', zh: '提现' } },
  'withdrawal:passed': {
    out: { en: 'Withdrawal paid', zh: '提现完成' },
    in: { en: 'Points withdrawn', zh: '积分提取' },
  },
  'withdrawal:rejected': {
    out: { en: 'Withdrawal returned', zh: '提现退还' },
    in: { en: 'Withdrawal returned', zh: '提现退还' },
  },
  adjustment: {
    out: { en: 'Taken by an administrator', zh: '管理员扣除' },
    in: { en: 'Given by an administrator', zh: '管理员赠送' },
  },
  checkin: { out: { en: 'Check-in', zh: '签到' }, in: { en: 'Check-in', zh: '签到奖励' } },
  contribution: { out: { en: 'Contribution fee', zh: '投稿费用' }, in: { en: 'Contribution', zh: '投稿' } },
  'contribution:refunded': {
    out: { en: 'Contribution fee returned', zh: '投稿费用退还' },
    in: { en: 'Contribution fee returned', zh: '投稿费用退还' },
  },
  bounty: { out: { en: 'Bounty', zh: '悬赏' }, in: { en: 'Bounty', zh: '悬赏' } },
  'bounty:paid': {
    out: { en: 'Bounty paid', zh: '悬赏发放' },
    in: { en: 'Bounty received', zh: '获得悬赏' },
  },
  'bounty:refunded': {
    out: { en: 'Bounty returned', zh: '悬赏退还' },
    in: { en: 'Bounty returned', zh: '悬赏退还' },
  },
  excellence: { out: { en: 'Request for excellence', zh: '精选申请' }, in: { en: 'Excellence', zh: '精选' } },
  'excellence:refunded': {
    out: { en: 'Excellence fee returned', zh: '精选费用退还' },
    in: { en: 'Excellence fee returned', zh: '精选费用退还' },
  },
  onlook: {
    out: { en: 'Answer looked at', zh: '围观答案' },
    in: { en: 'Answer was looked at', zh: '答案被围观' },
  },
  deletion: {
    out: { en: 'Account deleted', zh: '账号注销' },
    in: { en: 'Account deleted', zh: '账号注销' },
  },
  membership: {
    out: { en: 'Joined a group', zh: '加入圈子' },
    in: { en: 'Somebody joined', zh: '圈子入会收入' },
  },
  'membership:refunded': {
    out: { en: 'Membership fee returned', zh: '入圈费用退还' },
    in: { en: 'Membership fee returned', zh: '入圈费用退还' },
  },
} as const

export type MovementKind = keyof typeof KINDS

/** One movement of money from one account to another. */
export type Movement = {
  currency: Currency
  /** A person's id, or an account of the platform. */
  from: number
  to: number
  amount: number
  kind: MovementKind
  /** What it pays for, by which it is found again. */
  subject: { type: string; id: number }
  /** The title and text of the order where the kind does not say it all. */
  title?: string | null
  body?: string | null
}

import { MAX_AMOUNT } from '#lib/money.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { apiError, type DeclaredError, fieldError } from '#platform/errors.ts'
import { Int, type Payer, RawText, Type } from '#platform/http'
import { readLedgerSettings } from './settings.ts'

export const notEnough = apiError(403, 'insufficient_balance', 'Your balance is insufficient.', '余额不足。')

export const notEnoughFor = (field: string) =>
  fieldError(field, 'insufficient_balance', 'Your balance is insufficient.', '余额不足。')

export const notEnoughAmount = notEnoughFor('amount')
export const notEnoughValue = notEnoughFor('value')

export const featureOff = apiError(
  403,
  'switched_off',
  'This feature is disabled on this site.',
  '本站未开放此功能。',
)

/** Thrown if a converted amount exceeds the limit of one movement, or if the provider's currency cannot express it. */
export const tooMuch = fieldError('amount', 'amount_too_large', 'The amount is too large.', '金额过大。')

export const dailyLimit = fieldError(
  'amount',
  'daily_limit',
  'This exceeds your daily recharge limit.',
  '超过今日充值限额。',
)

export const noSuchOrder = apiError(404, 'no_such_order', 'This order does not exist.', '订单不存在。')
export const otherAmount = apiError(
  422,
  'other_amount',
  'The amount differs from that of the order.',
  '金额与订单不一致。',
)

export const alreadyDecided = apiError(
  403,
  'already_decided',
  'This has already been decided.',
  '该申请已处理。',
)

export const paymentUnavailable = apiError(
  503,
  'payment_unavailable',
  'The payment service does not respond. Nothing was charged. Please try again.',
  '支付服务暂时不可用，未发生扣款，请稍后重试。',
)

/** Thrown for unpaid and disputed payments, and for payments with a wrong amount. */
export const notRefundable = apiError(
  403,
  'not_refundable',
  'This payment cannot be refunded here.',
  '该笔支付无法在此退款。',
)

export const beyondRefundable = fieldError(
  'amount',
  'beyond_refundable',
  'The refund exceeds the remaining amount of the payment.',
  '退款金额超过可退金额。',
)

export const alreadySpent = fieldError(
  'spent',
  'already_spent',
  'The owner has already spent part of it. Let the site cover that part, or refund less.',
  '该用户已花掉部分金额。请选择由本站承担这部分，或减少退款金额。',
)

export const ownAccount = fieldError('user', 'own_account', 'You cannot pay yourself.', '不能给自己转账。')
export const unknownPerson = fieldError('user', 'no_such_user', 'This user does not exist.', '用户不存在。')
export const referenceUsed = fieldError(
  'reference',
  'payment_reference_used',
  'This payment has already been credited.',
  '该笔支付已入账。',
)

export const CURRENCIES = ['points', 'wallet'] as const
export type Currency = (typeof CURRENCIES)[number]

/**
 * `escrow` holds pending amounts, `income` the site's earnings. `issuance` is the counterpart of points and money
 * that enter or leave the ledger.
 */
export const PLATFORM_ACCOUNTS = { escrow: -1, income: -2, issuance: -3 } as const

export const IN_FEN = { description: 'In fen, the minor unit of CNY: 15000 is 150.00 CNY' }
export const IN_POINTS = { description: 'In points' }
export const IN_CURRENCY = {
  description: 'In the minor unit of the currency: points, or fen of the wallet (15000 is 150.00 CNY)',
}
export const IN_EITHER = {
  description: 'In points, or in as many fen when the wallet pays: 150 is 150 points or 1.50 CNY',
}

export const Amount = Int(1, MAX_AMOUNT, IN_POINTS)
export const amountOf = (unit: { description: string }) => Int(1, MAX_AMOUNT, unit)

/** Titles of movements for the payer (`out`) and the recipient (`in`). docs/ledger.md describes the kinds. */
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
  'recharge:refunded': {
    out: { en: 'Recharge refunded', zh: '充值退款' },
    in: { en: 'Recharge refunded', zh: '充值退款' },
  },
  withdrawal: { out: { en: 'Withdrawal', zh: '提现' }, in: { en: 'Withdrawal', zh: '提现' } },
  'withdrawal:passed': {
    out: { en: 'Withdrawal paid', zh: '提现完成' },
    in: { en: 'Points withdrawn', zh: '积分提现' },
  },
  'withdrawal:rejected': {
    out: { en: 'Withdrawal returned', zh: '提现退还' },
    in: { en: 'Withdrawal returned', zh: '提现退还' },
  },
  adjustment: {
    out: { en: 'Deducted by an administrator', zh: '管理员扣除' },
    in: { en: 'Granted by an administrator', zh: '管理员发放' },
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
    out: { en: 'Answer viewed', zh: '围观回答' },
    in: { en: 'Answer was viewed', zh: '回答被围观' },
  },
  deletion: {
    out: { en: 'Account deleted', zh: '账号注销' },
    in: { en: 'Account deleted', zh: '账号注销' },
  },
  membership: {
    out: { en: 'Joined a group', zh: '加入圈子' },
    in: { en: 'Somebody joined', zh: '入圈收入' },
  },
  'membership:refunded': {
    out: { en: 'Membership fee returned', zh: '入圈费用退还' },
    in: { en: 'Membership fee returned', zh: '入圈费用退还' },
  },
} as const

export type MovementKind = keyof typeof KINDS

export type Movement = {
  currency: Currency
  from: number
  to: number
  amount: number
  kind: MovementKind
  subject: { type: string; id: number }
  title?: string | null
  body?: string | null
}

export const password = Type.Optional(
  RawText(128, { description: 'Required when the site asks for a password at payment' }),
)

export type UserFunctions = {
  checkPassword(ctx: Context, payer: Payer): Promise<void>
  passwordErrors: readonly DeclaredError[]
  isUser(sql: Db, id: number): Promise<boolean>
  requireNotBlocked(sql: Db, payerId: number, recipients: number[]): Promise<void>
}

type Switch =
  | 'wallet:transform-currency'
  | 'wallet:recharge'
  | 'wallet:cash'
  | 'currency:recharge'
  | 'currency:cash'

export async function requireSwitch(ctx: Context, name: Switch): Promise<void> {
  if (!(await readLedgerSettings(ctx))[name]) throw featureOff()
}

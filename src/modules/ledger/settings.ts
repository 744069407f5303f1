import { FEN, guarded, POINTS, type SettingsOf, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int, Text, TextList, Type } from '#platform/http'

export const LEDGER_SETTINGS = guarded('money', {
  'currency:recharge-ratio': setting(Int(1, 1_000_000), 1, {
    label: ['Points per 0.01 CNY', '积分充值比例'],
    help: ['Number of points that a user receives for 0.01 CNY.', '0.01 元可兑换的积分数。'],
  }),
  'currency:recharge-options': setting(Text(500, FEN), '100,500,1000,2000,5000,10000', {
    label: ['Suggested amounts for buying points', '积分充值金额选项'],
    help: ['Clients offer these amounts. Enter one per line.', '客户端提供的金额选项，每行一个。'],
  }),
  'currency:recharge-min': setting(Int(1, 1_000_000_000_000, FEN), 100, {
    label: ['Minimum amount for buying points', '积分充值最低金额'],
    help: ['The minimum also applies to exchanges for points.', '同时适用于余额兑换积分。'],
  }),
  'currency:recharge-max': setting(Int(1, 1_000_000_000_000, FEN), 10_000_000, {
    label: ['Maximum amount for buying points', '积分充值最高金额'],
    help: ['The server rejects a larger recharge.', '超出此金额的充值会被拒绝。'],
  }),
  'currency:cash-min': setting(Int(1, 1_000_000_000_000, POINTS), 100, {
    label: ['Minimum points withdrawal', '积分提现最低数量'],
    help: ['The server rejects a smaller withdrawal.', '低于此数量的提现会被拒绝。'],
  }),
  'currency:cash-max': setting(Int(1, 1_000_000_000_000, POINTS), 10_000_000, {
    label: ['Maximum points withdrawal', '积分提现最高数量'],
    help: ['The server rejects a larger withdrawal.', '超出此数量的提现会被拒绝。'],
  }),
  'currency:rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of points', '积分规则'],
    help: ['Clients show this text on the points page.', '显示在客户端的积分页面。'],
  }),
  'currency:recharge': setting(Flag(), true, {
    label: ['Buying points', '积分充值'],
    help: ['Users can buy points.', '允许用户购买积分。'],
  }),
  'currency:recharge-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of buying points', '积分充值规则'],
    help: ['Clients show this text where users buy points.', '显示在客户端的积分充值页面。'],
  }),
  'currency:cash': setting(Flag(), true, {
    label: ['Points withdrawal', '积分提现'],
    help: ['Users can withdraw points as money.', '允许用户将积分提现。'],
  }),
  'currency:cash-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of points withdrawals', '积分提现规则'],
    help: ['Clients show this text where users withdraw points.', '显示在客户端的积分提现页面。'],
  }),
  'currency:iap-only': setting(Flag(), false, {
    label: ['In-app purchases only', '仅应用内购买'],
    help: ['iOS clients offer no other way to buy points.', 'iOS 客户端不提供其他购买积分的方式。'],
  }),
  'currency:iap-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of in-app purchases', '应用内购买规则'],
    help: ['Clients show this text beside in-app purchases.', '显示在客户端的应用内购买页面。'],
  }),
  'wallet:ratio': setting(Int(1, 1000), 100, {
    label: ['Wallet display ratio (percent)', '钱包显示比例（%）'],
    help: ['Only older clients use this ratio to show the balance.', '仅旧版客户端按此比例显示余额。'],
  }),
  'wallet:rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of the wallet', '钱包规则'],
    help: ['Clients show this text on the wallet page.', '显示在客户端的钱包页面。'],
  }),
  'wallet:labels': setting(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...FEN }),
    [],
    {
      label: ['Suggested wallet amounts', '钱包金额选项'],
      help: ['Clients offer these amounts. Enter one per line.', '客户端提供的金额选项，每行一个。'],
    },
  ),
  'wallet:cash': setting(Flag(), true, {
    label: ['Wallet withdrawals', '钱包提现'],
    help: ['Users can withdraw money from their wallet.', '允许用户从钱包提现。'],
  }),
  'wallet:cash-min-amount': setting(Int(1, 1_000_000_000_000, FEN), 100, {
    label: ['Minimum wallet withdrawal', '钱包最低提现金额'],
    help: ['The server rejects a smaller withdrawal.', '低于此金额的提现会被拒绝。'],
  }),
  'wallet:cash-types': setting(TextList(10, 50), ['alipay', 'wechat'], {
    label: ['Payout methods', '提现方式'],
    help: ['Enter one name per line.', '每行填写一种方式的名称。'],
  }),
  'wallet:recharge': setting(Flag(), true, {
    label: ['Wallet recharges', '钱包充值'],
    help: ['Users can add money to their wallet.', '允许用户向钱包充值。'],
  }),
  'wallet:recharge-daily': setting(Int(0, 1_000_000_000_000, FEN), 0, {
    label: ['Daily recharge limit per user', '每位用户每日充值上限'],
    help: ['0 means no limit.', '0 表示不限制。'],
  }),
  'wallet:recharge-types': setting(TextList(10, 50), ['manual'], {
    label: ['Payment providers', '支付渠道'],
    help: ['Enter one name per line.', '每行填写一个渠道的名称。'],
  }),
  'wallet:transform-currency': setting(Flag(), true, {
    label: ['Exchange of money for points', '余额兑换积分'],
    help: ['Users can exchange wallet money for points.', '允许用户用钱包余额兑换积分。'],
  }),
})

export const readLedgerSettings = settingsReader(LEDGER_SETTINGS)

export type LedgerSettings = SettingsOf<typeof LEDGER_SETTINGS>

import type { Text } from '../../shell/text.ts'

export const MONEY_TEXTS: Record<string, { label: Text; note: Text }> = {
  'pay-validate-user-password': {
    label: ['Password before payments', '支付前验证密码'],
    note: ['Users enter their password before each payment or withdrawal.', '用户支付或提现前需输入密码。'],
  },
  'news:contribute:pay': {
    label: ['Paid contributions', '投稿收费'],
    note: ['Contributing an article costs points.', '用户投稿需支付积分。'],
  },
  'news:pay-contribute': {
    label: ['Contribution fee', '投稿费'],
    note: ['In points. The fee stays in escrow until the decision.', '单位为积分，审核前由平台托管。'],
  },
  'checkin:switch': {
    label: ['Daily check-in', '每日签到'],
    note: ['Users can check in once a day.', '用户每天可以签到一次。'],
  },
  'checkin:balance': {
    label: ['Points per check-in', '签到积分'],
    note: ['Points that a user receives for each check-in.', '用户每次签到获得的积分。'],
  },
  'currency:recharge-ratio': {
    label: ['Points per 0.01 CNY', '积分充值比例'],
    note: ['Number of points that a user receives for 0.01 CNY.', '0.01 元可兑换的积分数。'],
  },
  'currency:recharge-options': {
    label: ['Suggested amounts for buying points', '积分充值金额选项'],
    note: ['In CNY. Enter one per line.', '单位为元，每行一个。'],
  },
  'currency:recharge-min': {
    label: ['Minimum amount for buying points', '积分充值最低金额'],
    note: ['In CNY. The minimum also applies to exchanges for points.', '单位为元，同时适用于余额兑换积分。'],
  },
  'currency:recharge-max': {
    label: ['Maximum amount for buying points', '积分充值最高金额'],
    note: ['In CNY.', '单位为元。'],
  },
  'currency:cash-min': {
    label: ['Minimum points withdrawal', '积分提现最低数量'],
    note: ['In points.', '单位为积分。'],
  },
  'currency:cash-max': {
    label: ['Maximum points withdrawal', '积分提现最高数量'],
    note: ['In points.', '单位为积分。'],
  },
  'currency:rule': {
    label: ['Rules of points', '积分规则'],
    note: ['Clients show this text on the points page.', '显示在客户端的积分页面。'],
  },
  'currency:recharge': {
    label: ['Buying points', '积分充值'],
    note: ['Users can buy points.', '允许用户购买积分。'],
  },
  'currency:recharge-rule': {
    label: ['Rules of buying points', '积分充值规则'],
    note: ['Clients show this text where users buy points.', '显示在客户端的积分充值页面。'],
  },
  'currency:cash': {
    label: ['Points withdrawal', '积分提现'],
    note: ['Users can withdraw points as money.', '允许用户将积分提现。'],
  },
  'currency:cash-rule': {
    label: ['Rules of points withdrawals', '积分提现规则'],
    note: ['Clients show this text where users withdraw points.', '显示在客户端的积分提现页面。'],
  },
  'currency:iap-only': {
    label: ['In-app purchases only', '仅应用内购买'],
    note: ['iOS clients offer no other way to buy points.', 'iOS 客户端不提供其他购买积分的方式。'],
  },
  'currency:iap-rule': {
    label: ['Rules of in-app purchases', '应用内购买规则'],
    note: ['Clients show this text beside in-app purchases.', '显示在客户端的应用内购买页面。'],
  },
  'wallet:ratio': {
    label: ['Wallet display ratio (percent)', '钱包显示比例（%）'],
    note: ['Only older clients use this ratio to show the balance.', '仅旧版客户端按此比例显示余额。'],
  },
  'wallet:rule': {
    label: ['Rules of the wallet', '钱包规则'],
    note: ['Clients show this text on the wallet page.', '显示在客户端的钱包页面。'],
  },
  'wallet:labels': {
    label: ['Suggested wallet amounts', '钱包金额选项'],
    note: ['In CNY. Enter one per line.', '单位为元，每行一个。'],
  },
  'wallet:cash': {
    label: ['Wallet withdrawals', '钱包提现'],
    note: ['Users can withdraw money from their wallet.', '允许用户从钱包提现。'],
  },
  'wallet:cash-min-amount': {
    label: ['Minimum wallet withdrawal', '钱包最低提现金额'],
    note: ['In CNY.', '单位为元。'],
  },
  'wallet:cash-types': {
    label: ['Payout methods', '提现方式'],
    note: ['Enter one name per line.', '每行填写一种方式的名称。'],
  },
  'wallet:recharge': {
    label: ['Wallet recharges', '钱包充值'],
    note: ['Users can add money to their wallet.', '允许用户向钱包充值。'],
  },
  'wallet:recharge-daily': {
    label: ['Daily recharge limit per user', '每位用户每日充值上限'],
    note: ['In CNY. 0 means no limit.', '单位为元，0 表示不限制。'],
  },
  'wallet:recharge-types': {
    label: ['Payment providers', '支付渠道'],
    note: ['Enter one name per line.', '每行填写一个渠道的名称。'],
  },
  'wallet:transform-currency': {
    label: ['Exchange of money for points', '余额兑换积分'],
    note: ['Users can exchange wallet money for points.', '允许用户用钱包余额兑换积分。'],
  },
}

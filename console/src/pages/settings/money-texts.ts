import type { Text } from '../../shell/text.ts'

export const MONEY_TEXTS: Record<string, { label: Text; note: Text }> = {
  'pay-validate-user-password': {
    label: ['Ask for the password before paying', '付款前验证密码'],
    note: ['Whoever pays or takes money out gives the password first.', '付款或提现前需输入密码。'],
  },
  'news:contribute:pay': {
    label: ['Paid contributions', '投稿收费'],
    note: ['Whether sending an article in costs points.', '投稿是否需要支付积分。'],
  },
  'news:pay-contribute': {
    label: ['Price of a contribution', '投稿价格'],
    note: ['In points, held until an editor decides.', '积分，审核前由平台托管。'],
  },
  'checkin:switch': {
    label: ['Daily check-in', '每日签到'],
    note: ['Whether people can check in.', '是否开启签到。'],
  },
  'checkin:balance': {
    label: ['Points of a check-in', '签到积分'],
    note: ['What each day brings.', '每次签到获得的积分。'],
  },
  'currency:recharge-ratio': {
    label: ['Points for 0.01 CNY', '充值比例'],
    note: ['How many points 0.01 CNY buys.', '0.01 元兑换的积分数。'],
  },
  'currency:recharge-options': {
    label: ['Amounts to choose from', '充值金额选项'],
    note: ['In CNY, one a line.', '单位为元，每行一个。'],
  },
  'currency:recharge-min': { label: ['Least recharge', '最小充值'], note: ['In CNY.', '单位为元。'] },
  'currency:recharge-max': { label: ['Largest recharge', '最大充值'], note: ['In CNY.', '单位为元。'] },
  'currency:cash-min': { label: ['Least withdrawal of points', '最小提取'], note: ['In points.', '积分。'] },
  'currency:cash-max': {
    label: ['Largest withdrawal of points', '最大提取'],
    note: ['In points.', '积分。'],
  },
  'currency:rule': {
    label: ['Rules of points', '积分规则'],
    note: ['Shown beside the points.', '显示在积分页面。'],
  },
  'currency:recharge': {
    label: ['Recharge of points', '积分充值'],
    note: ['Whether people can buy points.', '是否允许购买积分。'],
  },
  'currency:recharge-rule': {
    label: ['Rules of recharges', '充值规则'],
    note: ['Shown where points are bought.', '显示在充值页面。'],
  },
  'currency:cash': {
    label: ['Withdrawal of points', '积分提取'],
    note: ['Whether points can be turned into money.', '是否允许提取积分。'],
  },
  'currency:cash-rule': {
    label: ['Rules of withdrawals', '提取规则'],
    note: ['Shown where points are taken out.', '显示在提取页面。'],
  },
  'currency:iap-only': {
    label: ['Only purchases in the app store', '仅应用内购买'],
    note: ['Clients for iOS offer no other way.', 'iOS 客户端不提供其他方式。'],
  },
  'currency:iap-rule': {
    label: ['Rules of the app store', '应用内购买规则'],
    note: ['Shown beside such purchases.', '显示在应用内购买页面。'],
  },
  'wallet:ratio': {
    label: ['Ratio of the wallet', '钱包比例'],
    note: ['How the balance is shown, in percent.', '余额的显示比例（百分比）。'],
  },
  'wallet:rule': {
    label: ['Rules of the wallet', '钱包规则'],
    note: ['Shown beside the balance.', '显示在钱包页面。'],
  },
  'wallet:labels': {
    label: ['Amounts to choose from', '金额选项'],
    note: ['In CNY, one a line.', '单位为元，每行一个。'],
  },
  'wallet:cash': {
    label: ['Withdrawals', '提现'],
    note: ['Whether money can be taken out.', '是否允许提现。'],
  },
  'wallet:cash-min-amount': {
    label: ['Least withdrawal', '最小提现金额'],
    note: ['In CNY.', '单位为元。'],
  },
  'wallet:cash-types': {
    label: ['Ways to pay out', '提现方式'],
    note: ['Names of ways, one a line.', '每行一种方式。'],
  },
  'wallet:recharge': {
    label: ['Recharges', '充值'],
    note: ['Whether money can be paid in.', '是否允许充值。'],
  },
  'wallet:recharge-daily': {
    label: ['Most paid in a day', '每日充值限额'],
    note: ['By one person, in CNY; 0 is no limit.', '每人每日上限，单位为元；0 表示不限。'],
  },
  'wallet:recharge-types': {
    label: ['Ways to pay in', '充值方式'],
    note: ['Names of ways, one a line.', '每行一种方式。'],
  },
  'wallet:transform-currency': {
    label: ['Money into points', '余额兑换积分'],
    note: ['Whether people can change money into points.', '是否允许用余额兑换积分。'],
  },
}

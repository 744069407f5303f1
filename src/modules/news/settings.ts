import { POINTS, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int } from '#platform/http'

export const NEWS_SETTINGS = {
  'news:contribute:pay': setting(Flag(), true, {
    label: ['Paid contributions', '投稿收费'],
    help: ['Contributing an article costs points.', '用户投稿需支付积分。'],
  }),
  'news:contribute:verified': setting(Flag(), true, {
    label: ['Contributions by certified users only', '仅认证用户可投稿'],
    help: ['Users without a certification cannot contribute articles.', '未认证的用户不能投稿。'],
  }),
  'news:pay-contribute': setting(Int(1, 9_999_999, POINTS), 100, {
    label: ['Contribution fee', '投稿费'],
    help: ['The fee stays in escrow until the decision.', '审核前由平台托管。'],
  }),
}

export const readNewsSettings = settingsReader(NEWS_SETTINGS)

import { POINTS, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int, Text } from '#platform/http'

export const QUESTION_SETTINGS = {
  'site:anonymous': setting(Flag(), true, {
    label: ['Anonymous questions and answers', '匿名问答'],
    help: ['Users can ask and answer anonymously.', '允许用户匿名提问和回答。'],
  }),
  'site:anonymous-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of anonymity', '匿名规则'],
    help: [
      'Clients show this text when a user chooses to be anonymous.',
      '用户选择匿名时，客户端显示的说明。',
    ],
  }),
  'question:apply-amount': setting(Int(1, 1_000_000_000_000, POINTS), 200, {
    label: ['Price of a request for excellence', '精选申请价格'],
    help: ['A rejection refunds the price.', '申请被驳回时退还。'],
  }),
  'question:onlookers-amount': setting(Int(1, 1_000_000_000_000, POINTS), 100, {
    label: ['Price of viewing a paid answer', '围观回答价格'],
    help: ['Points that a user pays to read a paid answer.', '用户围观付费回答所需的积分。'],
  }),
  'question:anonymity-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of anonymous questions', '匿名提问规则'],
    help: ['Clients show this text on the page for a new question.', '显示在客户端的提问页面。'],
  }),
  'question:reward-rule': setting(Text(10_000, { 'x-empty': true }), '', {
    label: ['Rules of bounties', '悬赏规则'],
    help: ['Clients show this text where a user sets a bounty.', '显示在客户端设置悬赏的页面。'],
  }),
}

export const readQuestionSettings = settingsReader(QUESTION_SETTINGS)

import { type Currency, formatAmount } from '../shell/money.ts'
import type { Text } from '../shell/text.ts'

export type Series = { name: string; values: (number | null)[]; total: number | null }

export const CURRENCIES: Record<string, Currency> = { 'points-moved': 'points', 'wallet-moved': 'wallet' }

export const LABELS: Record<string, Text> = {
  'sign-ups': ['Registrations', '注册用户'],
  'active-people': ['Distinct active users', '活跃用户（去重）'],
  feeds: ['Feeds', '动态'],
  comments: ['Comments', '评论'],
  news: ['Articles', '资讯'],
  questions: ['Questions', '问题'],
  answers: ['Answers', '回答'],
  'group-posts': ['Group posts', '圈子帖子'],
  'points-moved': ['Points moved', '积分流转'],
  'wallet-moved': ['Money moved', '资金流转'],
}

export const labelOf = (name: string): Text => LABELS[name] ?? [name, name]

/**
 * Formats the total of a series, or the daily mean if the total is unknown. Active users have no total, because one
 * user can be active on several days.
 */
export function tellTotal({ name, values, total }: Series, locale: string): Text {
  const currency = CURRENCIES[name]
  if (total !== null) {
    const told = currency ? formatAmount(total, currency, locale) : total.toLocaleString(locale)
    return [told, told]
  }
  const counted = values.filter((value) => value !== null)
  const sum = counted.reduce((sum, value) => sum + value, 0)
  const daily = Math.round(sum / Math.max(1, counted.length)).toLocaleString(locale)
  return [`${daily} a day`, `日均 ${daily}`]
}

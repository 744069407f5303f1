import type { Wire } from '../../api/client.ts'
import { currencyName, formatAmount } from '../../shell/money.ts'
import type { Text } from '../../shell/text.ts'

export type HistoryEntry = Wire & {
  id: string
  at: string
  event: string
  by: number | null
  subject: string
}

const TITLES: Record<string, Text> = {
  report: ['Reported', '被举报'],
  'report.passed': ['Report handled', '举报已处理'],
  'report.rejected': ['Report rejected', '举报已驳回'],
  appeal: ['Appeal submitted', '提交申诉'],
  'sanctions.impose': ['Sanctioned', '受到处罚'],
  'sanctions.lift': ['Sanction lifted', '处罚已解除'],
  'users.create': ['Account created by an administrator', '管理员创建账号'],
  'users.update': ['Account changed by an administrator', '管理员修改账号'],
  'users.sign-out': ['Signed out by an administrator', '管理员强制退出登录'],
  'users.second-factor-off': ['Two-step verification turned off by an administrator', '管理员关闭两步验证'],
  'users.recommend': ['Recommended by an administrator', '管理员设为推荐'],
  'users.unrecommend': ['Recommendation removed by an administrator', '管理员取消推荐'],
  'users.famous': ['Marked as famous by an administrator', '管理员设为名人'],
  'users.unfamous': ['Famous mark removed by an administrator', '管理员取消名人'],
}

const adjusted = (event: string): string | undefined => /^(.+)\.adjust$/.exec(event)?.[1]

const bothLocales = (format: (locale: 'en' | 'zh') => string): Text => [format('en'), format('zh')]

export function titleOf({ event, details }: Pick<HistoryEntry, 'event'> & Wire): Text {
  const currency = adjusted(event)
  if (!currency) return TITLES[event] ?? [event, event]
  const amount = Number((details as { after?: Wire } | null)?.after?.amount ?? 0)
  const [en, zh] = bothLocales((locale) => formatAmount(Math.abs(amount), currencyName(currency), locale))
  return amount < 0
    ? [`${en} deducted by an administrator`, `管理员扣除 ${zh}`]
    : [`${en} granted by an administrator`, `管理员发放 ${zh}`]
}

export function detailsOf({ event, details }: Pick<HistoryEntry, 'event'> & Wire): Text {
  const currency = adjusted(event)
  if (!currency) return bothLocales(() => listed(details).join(' · '))
  const { balance, reason } = (details as { after?: Wire } | null)?.after ?? {}
  const [en, zh] = bothLocales((locale) => formatAmount(Number(balance), currencyName(currency), locale))
  return [`${reason} · balance: ${en}`, `${reason} · 余额：${zh}`]
}

function listed(details: unknown, name = ''): string[] {
  if (details === null || details === undefined || details === '') return []
  if (typeof details !== 'object') return [`${name}: ${details}`]
  const { before, after, ...rest } = details as Record<string, unknown>
  const told = after ?? before
  return [
    ...listed(told, name),
    ...Object.entries(rest).flatMap(([key, value]) => listed(value, Array.isArray(details) ? name : key)),
  ]
}

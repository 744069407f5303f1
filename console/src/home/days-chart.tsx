import { Card, CardContent, Skeleton, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useLocaleState } from 'react-admin'
import { call } from '../api/client.ts'
import { LineChart } from '../shell/charts.tsx'
import { type Currency, formatAmount } from '../shell/money.ts'
import { type Text, useText } from '../shell/text.ts'

/** Series that are amounts. */
const CURRENCIES: Record<string, Currency> = { 'points-moved': 'points', 'wallet-moved': 'wallet' }

const SERIES: Record<string, Text> = {
  'sign-ups': ['Sign-ups', '注册'],
  'active-people': ['Different people who were active', '活跃用户（去重）'],
  feeds: ['Feeds', '动态'],
  comments: ['Comments', '评论'],
  news: ['Articles', '资讯'],
  questions: ['Questions', '问题'],
  answers: ['Answers', '回答'],
  'group-posts': ['Posts in groups', '圈内帖子'],
  'points-moved': ['Points moved', '积分流转'],
  'wallet-moved': ['Money moved', '金额流转'],
}

/** A chart of the last thirty days; nothing without a visible series. */
export function DaysChart({ names, label }: { names: readonly string[]; label: Text }) {
  const t = useText()
  const [locale] = useLocaleState()
  const { data, isPending } = useDays()
  if (isPending) return <Skeleton variant="rounded" height={220} />
  const lines = names.flatMap((name) => {
    const series = data?.series.find((each) => each.name === name)
    if (!series) return []
    const currency = CURRENCIES[name]
    const sum = series.values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
    const daily = Math.round(sum / series.values.length).toLocaleString(locale)
    const told =
      series.total === null
        ? t([`${daily} a day`, `日均 ${daily}`])
        : currency
          ? formatAmount(series.total, currency, locale)
          : series.total.toLocaleString(locale)
    return [{ name: t(SERIES[name] ?? [name, name]), told, values: series.values }]
  })
  if (!data || lines.length === 0) return null
  const day = (text = '') =>
    new Date(`${text}T00:00:00Z`).toLocaleDateString(locale, {
      month: 'short',
      day: 'numeric',
      timeZone: 'UTC',
    })
  const currency = CURRENCIES[names[0] ?? '']
  const say = currency && ((value: number) => formatAmount(value, currency, locale))
  return (
    <Card component="section" aria-label={t(label)}>
      <CardContent>
        <Typography variant="subtitle2" component="h3" gutterBottom>
          {t(label)}
        </Typography>
        <LineChart
          label={t(label)}
          ends={[day(data.days[0]), day(data.days.at(-1))]}
          lines={lines}
          say={say}
        />
      </CardContent>
    </Card>
  )
}

function useDays() {
  return useQuery({
    queryKey: ['days'],
    queryFn: () =>
      call<{ days: string[]; series: { name: string; values: (number | null)[]; total: number | null }[] }>(
        'GET',
        '/admin/statistics/days',
      ),
    staleTime: 5 * 60_000,
    retry: false,
  })
}

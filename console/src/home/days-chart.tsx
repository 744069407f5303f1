import { Card, CardContent, Skeleton, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useLocaleState } from 'react-admin'
import { call } from '../api/client.ts'
import { LineChart } from '../shell/charts.tsx'
import { formatAmount } from '../shell/money.ts'
import { type Text, useText } from '../shell/text.ts'
import { CURRENCIES, labelOf, type Series, tellTotal } from './series.ts'

export function DaysChart({ names, label }: { names: readonly string[]; label: Text }) {
  const t = useText()
  const [locale] = useLocaleState()
  const { data, isPending } = useDays()
  if (isPending) return <Skeleton variant="rounded" height={220} />
  const lines = names.flatMap((name) => {
    const series = data?.series.find((each) => each.name === name)
    if (!series) return []
    return [{ name: t(labelOf(name)), told: t(tellTotal(series, locale)), values: series.values }]
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
    queryFn: () => call<{ days: string[]; series: Series[] }>('GET', '/admin/statistics/days'),
    staleTime: 5 * 60_000,
    retry: false,
  })
}

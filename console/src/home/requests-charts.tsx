import { Box, Button, Card, CardContent, Skeleton, Stack, Typography } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocaleState } from 'react-admin'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import { call } from '../api/client.ts'
import { LineChart } from '../shell/charts.tsx'
import { ErrorState } from '../shell/states.tsx'
import { type Text, useText } from '../shell/text.ts'
import { timeOf } from '../shell/value.tsx'

type Piece = {
  at: string
  requests: number
  faults: number
  median_ms: number | null
  p95_ms: number | null
}

const SPANS: readonly { hours: number; label: Text }[] = [
  { hours: 2, label: ['2 hours', '2 小时'] },
  { hours: 24, label: ['1 day', '1 天'] },
  { hours: 168, label: ['7 days', '7 天'] },
]

export function RequestsCharts() {
  const t = useText()
  const [locale] = useLocaleState()
  const [hours, setHours] = useState(24)
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['requests', hours],
    queryFn: () => call<{ pieces: Piece[] }>('GET', '/admin/health/requests', { query: { hours } }),
    enabled: mine !== undefined && mayCall(mine, 'get health/requests'),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (!mine || !mayCall(mine, 'get health/requests')) return null
  const pieces = data?.pieces ?? []
  const total = (of: (piece: Piece) => number) =>
    pieces.reduce((sum, piece) => sum + of(piece), 0).toLocaleString(locale)
  const worst = (of: (piece: Piece) => number | null) =>
    `${Math.max(0, ...pieces.map((piece) => of(piece) ?? 0)).toLocaleString(locale)} ms`
  const clock = (at: string | undefined) =>
    timeOf(at)?.toLocaleString(
      locale,
      hours > 24 ? { month: 'short', day: 'numeric' } : { hour: 'numeric', minute: '2-digit' },
    ) ?? ''
  const ends = [clock(pieces[0]?.at), clock(pieces.at(-1)?.at)] as const
  const charts = [
    {
      label: ['Requests', '请求'] as Text,
      lines: [
        {
          name: t(['Requests', '请求数']),
          told: total(({ requests }) => requests),
          values: pieces.map(({ requests }) => requests),
        },
        {
          name: t(['Server errors (5xx)', '服务器错误（5xx）']),
          told: total(({ faults }) => faults),
          values: pieces.map(({ faults }) => faults),
        },
      ],
    },
    {
      label: ['Response time', '响应时间'] as Text,
      unit: ' ms',
      lines: [
        {
          name: t(['Highest median', '最高中位数']),
          told: worst((piece) => piece.median_ms),
          values: pieces.map((piece) => piece.median_ms),
        },
        {
          name: t(['Highest 95th percentile', '最高 95 分位数']),
          told: worst((piece) => piece.p95_ms),
          values: pieces.map((piece) => piece.p95_ms),
        },
      ],
    },
  ]
  return (
    <>
      <Stack direction="row" sx={{ mt: 3, mb: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography variant="h6" component="h2" sx={{ flex: 1 }}>
          {t(['Requests', '请求'])}
        </Typography>
        {SPANS.map(({ hours: each, label }) => (
          <Button
            key={each}
            size="small"
            color={each === hours ? 'primary' : 'inherit'}
            aria-pressed={each === hours}
            onClick={() => setHours(each)}
          >
            {t(label)}
          </Button>
        ))}
      </Stack>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={220} />}
      {data && (
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' } }}>
          {charts.map(({ label, lines, unit = '' }) => (
            <Card key={label[0]} component="section" aria-label={t(label)}>
              <CardContent>
                <Typography variant="subtitle2" component="h3" gutterBottom>
                  {t(label)}
                </Typography>
                <LineChart label={t(label)} ends={ends} lines={lines} unit={unit} />
              </CardContent>
            </Card>
          ))}
        </Box>
      )}
    </>
  )
}

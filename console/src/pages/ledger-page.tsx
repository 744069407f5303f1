import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Skeleton,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Title, useLocaleState } from 'react-admin'
import { call, type Wire } from '../api/client.ts'
import { DaysChart } from '../home/days-chart.tsx'
import { Bars } from '../shell/charts.tsx'
import { formatAmount } from '../shell/money.ts'
import { ErrorState } from '../shell/states.tsx'
import { type Text, useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

type Totals = Record<'people' | 'escrow' | 'income' | 'issuance' | 'sum', number>

const PARTS: readonly { name: keyof Totals; label: Text }[] = [
  { name: 'people', label: ['With people', '用户持有'] },
  { name: 'escrow', label: ['In escrow', '平台托管'] },
  { name: 'income', label: ['Income of the site', '站点收入'] },
]

export function LedgerPage() {
  const t = useText()
  const [locale] = useLocaleState()
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['ledger-audit'],
    queryFn: () =>
      call<{ balanced: boolean; drift: Wire[]; totals: { points: Totals; wallet: Totals } }>(
        'GET',
        '/admin/ledger/audit',
      ),
    staleTime: 60_000,
  })
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Ledger audit', '账目审计'])} />
      <Stack direction="row" sx={{ alignItems: 'center', mb: 1 }}>
        <Typography variant="h4" component="h1" sx={{ flex: 1 }}>
          {t(['Ledger audit', '账目审计'])}
        </Typography>
        <Button onClick={() => void refetch()} disabled={isFetching}>
          {t(['Check again', '重新核对'])}
        </Button>
      </Stack>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={240} />}
      {data && (
        <Stack spacing={2}>
          <Alert severity={data.balanced && data.drift.length === 0 ? 'success' : 'error'}>
            {data.balanced && data.drift.length === 0
              ? t([
                  'Everything balances: nothing was lost, minted or charged twice.',
                  '账目平衡：没有丢失、凭空产生或重复扣款。',
                ])
              : t([
                  `The books do not balance: ${data.drift.length} differences.`,
                  `账目不平：${data.drift.length} 处差异。`,
                ])}
          </Alert>
          {data.drift.length > 0 && (
            <Card sx={{ overflowX: 'auto' }}>
              <Table size="small">
                <TableHead>
                  <TableRow>
                    {(['check', 'key', 'kept', 'counted'] as const).map((name) => (
                      <TableCell key={name}>{name}</TableCell>
                    ))}
                  </TableRow>
                </TableHead>
                <TableBody>
                  {data.drift.map((row) => (
                    <TableRow key={`${row.check} ${row.key}`}>
                      {(['check', 'key', 'kept', 'counted'] as const).map((name) => (
                        <TableCell key={name}>{String(row[name])}</TableCell>
                      ))}
                    </TableRow>
                  ))}
                </TableBody>
              </Table>
            </Card>
          )}
          <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' } }}>
            {(['points', 'wallet'] as const).map((currency) => (
              <Card key={currency}>
                <CardContent>
                  <Typography variant="h6" component="h2">
                    {currency === 'points' ? t(['Points', '积分']) : t(['Wallet', '钱包'])}
                  </Typography>
                  <Typography color="textSecondary" gutterBottom>
                    {t(['Issued', '发行'])}:{' '}
                    <Value
                      value={Math.abs(data.totals[currency].issuance)}
                      as={currency === 'points' ? 'points' : 'money'}
                    />
                  </Typography>
                  <Bars
                    label={t(['Where it is', '分布'])}
                    bars={PARTS.map(({ name, label }) => ({
                      label: t(label),
                      value: data.totals[currency][name],
                      told: formatAmount(data.totals[currency][name], currency, locale),
                    }))}
                  />
                </CardContent>
              </Card>
            ))}
          </Box>
          <DaysChart names={['points-moved']} label={['Points moved by day', '每日积分流转']} />
          <DaysChart names={['wallet-moved']} label={['Money moved by day', '每日金额流转']} />
        </Stack>
      )}
    </Box>
  )
}

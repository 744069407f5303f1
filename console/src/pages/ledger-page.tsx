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
  { name: 'people', label: ['Held by users', '用户持有'] },
  { name: 'escrow', label: ['In escrow', '平台托管'] },
  { name: 'income', label: ['Site income', '站点收入'] },
]

const DRIFT: readonly { name: string; label: Text }[] = [
  { name: 'check', label: ['Check', '核对项'] },
  { name: 'key', label: ['Record', '记录'] },
  { name: 'kept', label: ['Stored', '存储值'] },
  { name: 'counted', label: ['Recalculated', '重算值'] },
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
      <Title title={t(['Ledger audit', '账本核对'])} />
      <Stack direction="row" sx={{ alignItems: 'center', mb: 1 }}>
        <Typography variant="h4" component="h1" sx={{ flex: 1 }}>
          {t(['Ledger audit', '账本核对'])}
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
                  'The ledger balances. No amount was lost, created from nothing or charged twice.',
                  '账本平衡。没有金额丢失、凭空产生或重复扣款。',
                ])
              : t([
                  `The ledger does not balance. Differences: ${data.drift.length}.`,
                  `账本不平衡。差异：${data.drift.length} 处。`,
                ])}
          </Alert>
          {data.drift.length > 0 && (
            <Card sx={{ overflowX: 'auto' }}>
              <Table size="small">
                <TableHead>
                  <TableRow>
                    {DRIFT.map(({ name, label }) => (
                      <TableCell key={name}>{t(label)}</TableCell>
                    ))}
                  </TableRow>
                </TableHead>
                <TableBody>
                  {data.drift.map((row) => (
                    <TableRow key={`${row.check} ${row.key}`}>
                      {DRIFT.map(({ name }) => (
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
                    {t(['Total issued', '发行总量'])}:{' '}
                    <Value
                      value={Math.abs(data.totals[currency].issuance)}
                      as={currency === 'points' ? 'points' : 'money'}
                    />
                  </Typography>
                  <Bars
                    label={t(['Distribution', '分布'])}
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
          <DaysChart names={['points-moved']} label={['Points moved per day', '每日积分流转']} />
          <DaysChart names={['wallet-moved']} label={['Money moved per day', '每日资金流转']} />
        </Stack>
      )}
    </Box>
  )
}

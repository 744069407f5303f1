import { Alert, Box, Button, Card, CardContent, LinearProgress, Skeleton, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Title } from 'react-admin'
import { call, type Wire } from '../api/client.ts'
import { ErrorState } from '../shell/states.tsx'
import { type Text, useText } from '../shell/text.ts'
import { Value } from '../shell/value.tsx'

const FACTS: readonly { name: string; label: Text }[] = [
  { name: 'provider', label: ['Provider', '服务商'] },
  { name: 'accounts', label: ['Accounts', '账号数'] },
  { name: 'waiting_accounts', label: ['Accounts pending sync', '待同步账号数'] },
  { name: 'unregistered', label: ['Users without an account', '未注册用户数'] },
  { name: 'groups', label: ['Chat groups', '群聊数'] },
  { name: 'waiting_groups', label: ['Chat groups pending sync', '待同步群聊数'] },
]

export function ImPage() {
  const t = useText()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['im'],
    queryFn: () => call('GET', '/admin/im'),
    refetchInterval: 5_000,
  })
  const registration = data?.registration as (Wire & { total: number; done: number }) | null | undefined
  return (
    <Box sx={{ pt: 2, pb: 6, maxWidth: 720 }}>
      <Title title={t(['Instant messaging', '即时通讯'])} />
      <Typography variant="h4" component="h1" gutterBottom>
        {t(['Instant messaging', '即时通讯'])}
      </Typography>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={200} />}
      {data && (
        <Card>
          <CardContent>
            <Alert severity={data.healthy ? 'success' : 'error'} sx={{ mb: 2 }}>
              {data.healthy
                ? t(['The provider responds.', '服务商响应正常。'])
                : String(data.fault ?? data.last_error ?? '')}
            </Alert>
            <Box
              component="dl"
              sx={{ m: 0, display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 3, rowGap: 1 }}
            >
              {FACTS.map(({ name, label }) => (
                <Box key={name} sx={{ display: 'contents' }}>
                  <Typography component="dt" color="textSecondary">
                    {t(label)}
                  </Typography>
                  <Box component="dd" sx={{ m: 0 }}>
                    <Value value={data[name]} as={typeof data[name] === 'number' ? 'number' : 'text'} />
                  </Box>
                </Box>
              ))}
            </Box>
            {registration && (
              <Box sx={{ mt: 2 }}>
                <Typography>
                  {t(['User registration', '用户注册进度'])}: {registration.done} / {registration.total}
                </Typography>
                <LinearProgress
                  variant="determinate"
                  aria-label={t(['User registration', '用户注册进度'])}
                  value={registration.total > 0 ? (100 * registration.done) / registration.total : 100}
                />
              </Box>
            )}
            <Button
              sx={{ mt: 2 }}
              variant="outlined"
              onClick={() =>
                void call('POST', '/im/register-old-users').then(
                  () => refetch(),
                  () => refetch(),
                )
              }
            >
              {t(['Register all users', '注册所有用户'])}
            </Button>
          </CardContent>
        </Card>
      )}
    </Box>
  )
}

import { Box, Card, Chip, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { mayCall, myAbilities } from '../api/auth-provider.ts'
import { call } from '../api/client.ts'
import { type Text, useText } from '../shell/text.ts'

type Health = { name: Text; state: 'good' | 'bad' | 'off'; note: string }

/** Whether what the site stands on is in order. */
export function HealthCard() {
  const t = useText()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const { data: ready } = useQuery({
    queryKey: ['ready'],
    queryFn: () =>
      fetch('/health/ready').then(
        ({ ok }) => ok,
        () => false,
      ),
    refetchInterval: 30_000,
  })
  const { data: im } = useQuery({
    queryKey: ['im'],
    queryFn: () => call('GET', '/admin/im'),
    enabled: mine !== undefined && mayCall(mine, 'get im'),
    retry: false,
  })
  const parts: Health[] = [
    ...(ready === undefined
      ? []
      : [
          {
            name: ['Server and database', '服务器与数据库'] as Text,
            state: ready ? ('good' as const) : ('bad' as const),
            note: '',
          },
        ]),
    ...(im
      ? [
          {
            name: ['Instant messages', '即时消息'] as Text,
            state: im.healthy ? ('good' as const) : ('bad' as const),
            note: String(im.provider),
          },
        ]
      : []),
  ]
  return (
    <>
      <Typography variant="h6" component="h2" sx={{ mt: 3, mb: 1 }}>
        {t(['Health', '运行状态'])}
      </Typography>
      <Card component="ul" sx={{ listStyle: 'none', m: 0, px: 2, py: 1 }}>
        {parts.map(({ name, state, note }) => (
          <Box component="li" key={name[0]} sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 0.75 }}>
            <Typography sx={{ flex: 1 }}>{t(name)}</Typography>
            <Typography color="textSecondary" variant="body2">
              {note}
            </Typography>
            <Chip
              size="small"
              variant="outlined"
              color={state === 'good' ? 'success' : state === 'bad' ? 'error' : 'default'}
              label={
                state === 'good'
                  ? t(['in order', '正常'])
                  : state === 'bad'
                    ? t(['at fault', '异常'])
                    : t(['off', '未启用'])
              }
            />
          </Box>
        ))}
      </Card>
    </>
  )
}

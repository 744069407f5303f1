import { Alert, Box, Button, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'

type Session = {
  id: string
  device: string | null
  browser: string | null
  system: string | null
  place: string | null
  current: boolean
  created_at: string
  used_at: string
}

export function Sessions({
  base,
  mayEnd,
  isOwn = false,
}: {
  base: string
  mayEnd: boolean
  isOwn?: boolean
}) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [asked, setAsked] = useState<string | 'all' | null>(null)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['sessions', base],
    queryFn: () => call<Session[]>('GET', base),
  })
  const end = async (which: string) => {
    setAsked(null)
    try {
      await call('DELETE', which === 'all' ? base : `${base}/${which}`)
      notify(
        isOwn
          ? t(['Signed out', '已退出登录'])
          : t(['Signed out. The user was notified.', '已退出登录，并已通知该用户。']),
        { type: 'success' },
      )
    } catch (refused) {
      notify(messageOf(refused), { type: 'error' })
    }
    await client.invalidateQueries({ queryKey: ['sessions', base] })
  }
  const others = (data ?? []).filter(({ current }) => !current)
  const question = (which: string, text: Text) =>
    asked === which && (
      <Alert
        severity="warning"
        sx={{ my: 1 }}
        action={
          <>
            <Button color="inherit" size="small" onClick={() => setAsked(null)}>
              {t(['Cancel', '取消'])}
            </Button>
            <Button color="error" size="small" variant="contained" onClick={() => void end(which)}>
              {t(['Yes, sign out', '确认退出'])}
            </Button>
          </>
        }
      >
        {t(text)}
      </Alert>
    )
  return (
    <>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={120} />}
      {data?.length === 0 && (
        <EmptyState icon="key" text={['This user has no active sessions.', '该用户没有登录设备。']} />
      )}
      {mayEnd && others.length > 0 && (
        <Button variant="outlined" color="error" size="small" onClick={() => setAsked('all')}>
          {isOwn
            ? t(['Sign out on all other devices', '退出其他设备'])
            : t(['Sign out on all devices', '退出所有设备'])}
        </Button>
      )}
      <Box role="alert">
        {question(
          'all',
          isOwn
            ? ['This signs you out on all other devices.', '您将在其他所有设备上退出登录。']
            : [
                'This signs the user out on all devices. Your current session stays. The user is notified and can sign in again.',
                '该用户将在所有设备上退出登录。您当前的登录不受影响。系统会通知该用户，用户可以重新登录。',
              ],
        )}
      </Box>
      <Stack component="ul" sx={{ listStyle: 'none', p: 0, m: 0, mt: 1 }}>
        {data?.map(({ id, device, browser, system, place, current, created_at: since, used_at: used }) => (
          <Box component="li" key={id} sx={{ py: 1, borderTop: 1, borderColor: 'divider' }}>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Typography title={device ?? undefined} sx={{ overflowWrap: 'anywhere' }}>
                  {browser && system
                    ? t([`${browser} on ${system}`, `${system} 上的 ${browser}`])
                    : (browser ?? system ?? device ?? t(['Unknown device', '未知设备']))}
                  {current && <strong> · {t(['current session', '当前登录'])}</strong>}
                </Typography>
                <Typography variant="body2" color="textSecondary">
                  {place && <>{place} · </>}
                  {t(['last used', '最近使用'])} <Value value={used} as="time" /> ·{' '}
                  {t(['signed in', '登录于'])} <Value value={since} as="time" />
                </Typography>
              </Box>
              {mayEnd && !current && (
                <Button size="small" color="error" onClick={() => setAsked(id)}>
                  {t(['Sign out', '退出登录'])}
                </Button>
              )}
            </Stack>
            <Box role="alert">
              {question(
                id,
                isOwn
                  ? ['This signs you out on this device.', '您将在该设备上退出登录。']
                  : [
                      'This signs the user out on this device. The user is notified.',
                      '该用户将在该设备上退出登录。系统会通知该用户。',
                    ],
              )}
            </Box>
          </Box>
        ))}
      </Stack>
    </>
  )
}

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
          : t(['Signed out; the person was told', '已退出登录，并已通知该用户']),
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
        <EmptyState icon="key" text={['This person is signed in nowhere.', '该用户未在任何设备登录。']} />
      )}
      {mayEnd && others.length > 0 && (
        <Button variant="outlined" color="error" size="small" onClick={() => setAsked('all')}>
          {isOwn
            ? t(['Sign out everywhere else', '退出其他登录'])
            : t(['Sign out everywhere', '退出所有登录'])}
        </Button>
      )}
      <Box role="alert">
        {question(
          'all',
          isOwn
            ? ['Ends all your sign-ins but this one.', '结束除当前页面外您的所有登录。']
            : [
                'Ends every sign-in but your own of this page. The person is told and can sign in again.',
                '结束除您当前页面外的所有登录。将通知该用户，其可重新登录。',
              ],
        )}
      </Box>
      <Stack component="ul" sx={{ listStyle: 'none', p: 0, m: 0, mt: 1 }}>
        {data?.map(({ id, device, place, current, created_at: since, used_at: used }) => (
          <Box component="li" key={id} sx={{ py: 1, borderTop: 1, borderColor: 'divider' }}>
            <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <Typography sx={{ overflowWrap: 'anywhere' }}>
                  {device ?? t(['Unknown device', '未知设备'])}
                  {current && <strong> · {t(['this page', '当前页面'])}</strong>}
                </Typography>
                <Typography variant="body2" color="textSecondary">
                  {place && <>{place} · </>}
                  {t(['used', '最近使用'])} <Value value={used} as="time" /> · {t(['since', '始于'])}{' '}
                  <Value value={since} as="time" />
                </Typography>
              </Box>
              {mayEnd && !current && (
                <Button size="small" color="error" onClick={() => setAsked(id)}>
                  {t(['End', '结束'])}
                </Button>
              )}
            </Stack>
            <Box role="alert">
              {question(
                id,
                isOwn
                  ? ['Ends this sign-in of yours.', '结束您的此次登录。']
                  : ['Ends this sign-in. The person is told.', '结束此登录，并通知该用户。'],
              )}
            </Box>
          </Box>
        ))}
      </Stack>
    </>
  )
}

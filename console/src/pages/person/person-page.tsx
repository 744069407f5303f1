import { Alert, Box, Button, Card, CardContent, Stack, Tab, Tabs, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNotify, useRecordContext, useRefresh } from 'react-admin'
import { mayCall, myAbilities } from '../../api/auth-provider.ts'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { AuthorHistory } from '../../queues/author-history.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Balance } from './balance.tsx'
import { SanctionHistory } from './sanction-history.tsx'
import { Sessions } from './sessions.tsx'

const TABS: readonly { name: string; label: Text; operation: string }[] = [
  { name: 'points', label: ['Points', '积分'], operation: 'get users/{user}/points' },
  { name: 'wallet', label: ['Wallet', '钱包'], operation: 'get users/{user}/wallet' },
  { name: 'history', label: ['History', '处置记录'], operation: 'get users/{user}/history' },
  { name: 'sessions', label: ['Sign-ins', '登录'], operation: 'get users/{user}/sessions' },
]

/** A person: suspending, recommending, balances with their ledger, sessions, and what they did. */
export function PersonPage() {
  const t = useText()
  const record = useRecordContext<Wire & { id: number }>()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const tabs = TABS.filter(({ operation }) => mine && mayCall(mine, operation))
  const [chosen, setChosen] = useState<string>()
  const tab = chosen ?? tabs[0]?.name
  if (!record || !mine) return null
  return (
    <Box
      sx={{
        mt: 2,
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 2fr) minmax(260px, 1fr)' },
      }}
    >
      <Stack spacing={2} sx={{ minWidth: 0 }}>
        <Standing person={record} mine={mine} />
        {tabs.length > 0 && (
          <Card>
            <Tabs
              value={tab}
              onChange={(_, next: string) => setChosen(next)}
              variant="scrollable"
              allowScrollButtonsMobile
              sx={{ px: 2, borderBottom: 1, borderColor: 'divider' }}
            >
              {tabs.map(({ name, label }) => (
                <Tab
                  key={name}
                  value={name}
                  label={t(label)}
                  id={`tab-${name}`}
                  aria-controls={`panel-${name}`}
                />
              ))}
            </Tabs>
            <CardContent role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
              {tab === 'sessions' ? (
                <Sessions user={record.id} mayEnd={mayCall(mine, 'delete users/{user}/sessions')} />
              ) : tab === 'history' ? (
                <SanctionHistory
                  user={record.id}
                  maySanction={mayCall(mine, 'post users/{user}/sanctions')}
                />
              ) : (
                <Balance
                  key={tab}
                  user={record.id}
                  kind={tab as 'points' | 'wallet'}
                  mayGrant={mayCall(mine, `post users/{user}/${tab}`)}
                />
              )}
            </CardContent>
          </Card>
        )}
      </Stack>
      <AuthorHistory user={record.id} />
    </Box>
  )
}

function Standing({ person, mine }: { person: Wire & { id: number }; mine: Set<string> }) {
  const t = useText()
  const notify = useNotify()
  const refresh = useRefresh()
  const [isAsking, setAsking] = useState(false)
  const act = async (work: () => Promise<unknown>, done: Text) => {
    setAsking(false)
    try {
      await work()
      notify(t(done), { type: 'success' })
      refresh()
    } catch (error) {
      notify(messageOf(error), { type: 'error' })
    }
  }
  const suspend = (disabled: boolean) =>
    act(
      () => call('PATCH', `/admin/users/${person.id}`, { body: { disabled } }),
      disabled ? ['Suspended', '已停用'] : ['May sign in again', '已恢复'],
    )
  return (
    <Card>
      <CardContent>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          <Typography variant="subtitle2" component="h2" sx={{ flex: 1 }}>
            {t(['Standing', '账号状态'])}
          </Typography>
          {mayCall(mine, 'put user-recommends/{user}') && (
            <Button
              onClick={() =>
                void act(() => call('PUT', `/admin/user-recommends/${person.id}`), ['Recommended', '已推荐'])
              }
            >
              {t(['Recommend', '设为推荐'])}
            </Button>
          )}
          {mayCall(mine, 'patch users/{user}') &&
            (person.disabled ? (
              <Button variant="outlined" onClick={() => void suspend(false)}>
                {t(['Let sign in again', '恢复账号'])}
              </Button>
            ) : (
              <Button variant="outlined" color="error" onClick={() => setAsking(true)}>
                {t(['Suspend', '停用账号'])}
              </Button>
            ))}
        </Stack>
        <Box role="alert">
          {isAsking && (
            <Alert
              severity="warning"
              sx={{ mt: 1.5 }}
              action={
                <>
                  <Button color="inherit" size="small" onClick={() => setAsking(false)}>
                    {t(['Cancel', '取消'])}
                  </Button>
                  <Button color="error" size="small" variant="contained" onClick={() => void suspend(true)}>
                    {t(['Yes, suspend', '确认停用'])}
                  </Button>
                </>
              }
            >
              {t([
                `${person.name} is signed out everywhere and cannot sign in. What they wrote stays.`,
                `${person.name} 将在所有设备退出登录且无法再登录，已发布的内容保留。`,
              ])}
            </Alert>
          )}
        </Box>
      </CardContent>
    </Card>
  )
}

import { Box, Button, Card, CardContent, Stack, Tab, Tabs, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useNotify, useRecordContext, useRefresh } from 'react-admin'
import { Link, useSearchParams } from 'react-router'
import { mayCall, myAbilities } from '../../api/auth-provider.ts'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { STANDINGS } from '../../areas/people-areas.ts'
import { AuthorHistory } from '../../queues/author-history.tsx'
import type { Currency } from '../../shell/money.ts'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { Balance } from './balance.tsx'
import { SanctionHistory } from './sanction-history.tsx'
import { Sessions } from './sessions.tsx'

const TABS: readonly { name: string; label: Text; operation: string }[] = [
  { name: 'points', label: ['Points', '积分'], operation: 'get users/{user}/points' },
  { name: 'wallet', label: ['Wallet', '钱包'], operation: 'get users/{user}/wallet' },
  { name: 'history', label: ['Moderation history', '处置记录'], operation: 'get users/{user}/history' },
  { name: 'sessions', label: ['Sessions', '登录设备'], operation: 'get users/{user}/sessions' },
]

export function PersonPage() {
  const t = useText()
  const record = useRecordContext<Wire & { id: number }>()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const tabs = TABS.filter(({ operation }) => mine && mayCall(mine, operation))
  const [asked, ask] = useSearchParams()
  const setChosen = (name: string) => ask({ tab: name }, { replace: true })
  const tab = (tabs.find(({ name }) => name === asked.get('tab')) ?? tabs[0])?.name
  if (!record || !mine) return null
  // The API refuses changes of an account that its owner deleted.
  const may = (operation: string) => record.standing !== 'erased' && mayCall(mine, operation)
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
        <Standing
          person={record}
          may={may}
          sanction={
            may('post users/{user}/sanctions') && tab !== 'history' ? () => setChosen('history') : undefined
          }
        />
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
                <Sessions
                  base={`/admin/users/${record.id}/sessions`}
                  mayEnd={may('delete users/{user}/sessions')}
                />
              ) : tab === 'history' ? (
                <SanctionHistory user={record.id} maySanction={may('post users/{user}/sanctions')} />
              ) : (
                <Balance
                  key={tab}
                  user={record.id}
                  kind={tab as Currency}
                  mayGrant={may(`post users/{user}/${tab}`)}
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

function Standing({
  person,
  may,
  sanction,
}: {
  person: Wire & { id: number }
  may: (operation: string) => boolean
  sanction: (() => void) | undefined
}) {
  const t = useText()
  const notify = useNotify()
  const refresh = useRefresh()
  const act = async (work: () => Promise<unknown>, done: Text) => {
    try {
      await work()
      notify(t(done), { type: 'success' })
      refresh()
    } catch (error) {
      notify(messageOf(error), { type: 'error' })
    }
  }
  return (
    <Card>
      <CardContent>
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
          <Typography variant="subtitle2" component="h2">
            {t(['Account status', '账号状态'])}
          </Typography>
          <Box sx={{ flex: 1 }}>
            <Value value={person.standing} choices={STANDINGS} />
          </Box>
          {person.disabled !== true && may('put user-recommends/{user}') && (
            <Button
              onClick={() =>
                void act(
                  () => call('PUT', `/admin/user-recommends/${person.id}`),
                  ['User recommended', '已设为推荐'],
                )
              }
            >
              {t(['Recommend', '设为推荐'])}
            </Button>
          )}
          {person.standing === 'waiting' && may('patch registrations/{registration}') && (
            <Button variant="outlined" component={Link} to="/queues/registrations">
              {t(['Review registration', '审核注册'])}
            </Button>
          )}
          {person.standing === 'disabled' && may('patch users/{user}') && (
            <Button
              variant="outlined"
              onClick={() =>
                void act(
                  () => call('PATCH', `/admin/users/${person.id}`, { body: { disabled: false } }),
                  ['Account enabled', '账号已启用'],
                )
              }
            >
              {t(['Enable account', '启用账号'])}
            </Button>
          )}
          {sanction && (
            <Button variant="outlined" color="error" onClick={sanction}>
              {t(['Sanction', '处罚'])}
            </Button>
          )}
        </Stack>
      </CardContent>
    </Card>
  )
}

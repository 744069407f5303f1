import { Alert, Box, Button, Card, CardContent, LinearProgress, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocaleState, useNotify, useRecordContext, useRefresh } from 'react-admin'
import { Link } from 'react-router'
import { mayCall, myAbilities } from '../../api/auth-provider.ts'
import { call, type Wire } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { type Heading, PagedTable, usePages } from '../../shell/paged-table.tsx'
import { plural, type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { DecisionDialog, type WaveDeed } from './decision-dialog.tsx'
import { OUTCOMES } from './wave-texts.ts'

export type Wave = Wire & {
  id: number
  accounts: number
  processed: number
  state: 'preview' | 'running' | 'done' | 'undoing' | 'undone' | 'deleting' | 'deleted'
  action: 'disable' | 'delete' | null
  undoable: boolean
  due_at: string | null
  totals: {
    feeds: number
    questions: number
    answers: number
    followers: number
    excluded: Record<'administrator' | 'oneself' | 'verified' | 'disabled', number>
  }
}

const AT_ONCE = 20
const WATCH_MS = 2_000
const AT_WORK: readonly Wave['state'][] = ['running', 'undoing', 'deleting']

export function WavePage() {
  const wave = useRecordContext<Wave>()
  const refresh = useRefresh()
  const isAtWork = wave !== undefined && AT_WORK.includes(wave.state)
  useEffect(() => {
    if (!isAtWork) return
    const timer = setInterval(refresh, WATCH_MS)
    return () => clearInterval(timer)
  }, [isAtWork, refresh])
  // After the creation, the record is the form without the reply of the server.
  const isPartial = wave !== undefined && wave.totals === undefined
  useEffect(() => {
    if (isPartial) refresh()
  }, [isPartial, refresh])
  if (!wave || isPartial) return null
  return (
    <>
      <Effect wave={wave} />
      <Accounts wave={wave} />
    </>
  )
}

function Effect({ wave }: { wave: Wave }) {
  const t = useText()
  const notify = useNotify()
  const refresh = useRefresh()
  const [deed, setDeed] = useState<WaveDeed>()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  const mayDecide = mine !== undefined && mayCall(mine, 'post account-waves/{wave}/decision')
  const send = async (reason: string) => {
    if (!deed) return
    const path = `/admin/account-waves/${wave.id}`
    try {
      if (deed === 'undo') await call('POST', `${path}/undo`, { body: { reason } })
      else await call('POST', `${path}/decision`, { body: { action: deed, reason } })
      notify(t(['The job has started.', '任务已开始。']), { type: 'info' })
      setDeed(undefined)
    } catch (refused) {
      notify(messageOf(refused), { type: 'error' })
    }
    refresh()
  }
  return (
    <Card sx={{ mt: 2 }}>
      <CardContent>
        <Typography variant="h6" component="h2" gutterBottom>
          {t(['What the wave concerns', '涉及范围'])}
        </Typography>
        <Totals wave={wave} />
        <Progress wave={wave} />
        {wave.due_at !== null && wave.state === 'done' && (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {t(['The accounts will be deleted from', '账号将从此时起被删除：'])}{' '}
            <Value value={wave.due_at} as="time" />.{' '}
            {wave.undoable && t(['Until then you can undo the wave.', '在此之前可以撤销。'])}
          </Alert>
        )}
        {mayDecide && (
          <Stack direction="row" spacing={1} useFlexGap sx={{ mt: 2, flexWrap: 'wrap' }}>
            {wave.state === 'preview' && (
              <>
                <Button variant="contained" onClick={() => setDeed('disable')}>
                  {t(['Disable these accounts', '停用这些账号'])}
                </Button>
                <Button variant="outlined" color="error" onClick={() => setDeed('delete')}>
                  {t(['Delete with content', '连同内容删除'])}
                </Button>
              </>
            )}
            {wave.state !== 'preview' && wave.undoable && (
              <Button variant="outlined" onClick={() => setDeed('undo')}>
                {t(['Undo', '撤销'])}
              </Button>
            )}
          </Stack>
        )}
        {deed && <DecisionDialog deed={deed} wave={wave} close={() => setDeed(undefined)} send={send} />}
      </CardContent>
    </Card>
  )
}

function Totals({ wave: { accounts, totals } }: { wave: Wave }) {
  const t = useText()
  const { excluded } = totals
  const counts: readonly (readonly [Text, number])[] = [
    [['Accounts', '账号'], accounts],
    [['Feeds', '动态'], totals.feeds],
    [['Questions', '问题'], totals.questions],
    [['Answers', '回答'], totals.answers],
    [['Followers', '粉丝'], totals.followers],
    [['Left out: administrators and moderators', '已排除：管理员与版主'], excluded.administrator],
    [['Left out: certified', '已排除：已认证'], excluded.verified],
    [['Left out: disabled already', '已排除：已停用'], excluded.disabled],
    [['Left out: yourself', '已排除：您本人'], excluded.oneself],
  ]
  return (
    <Box
      component="dl"
      sx={{ m: 0, display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 3, rowGap: 0.5 }}
    >
      {counts.map(([label, count], position) =>
        count === 0 && position > 0 ? null : (
          <Box key={label[0]} sx={{ display: 'contents' }}>
            <Typography component="dt" color="textSecondary">
              {t(label)}
            </Typography>
            <Box component="dd" sx={{ m: 0 }}>
              <Value value={count} as="number" />
            </Box>
          </Box>
        ),
      )}
    </Box>
  )
}

function Progress({ wave: { state, processed, accounts } }: { wave: Wave }) {
  const t = useText()
  const [locale] = useLocaleState()
  if (!AT_WORK.includes(state)) return null
  const [done, all] = [processed, accounts].map((count) => count.toLocaleString(locale))
  return (
    <Box role="status" sx={{ mt: 2 }}>
      <LinearProgress
        variant="determinate"
        value={accounts === 0 ? 100 : Math.min(100, (100 * processed) / accounts)}
        aria-label={t(['Progress', '进度'])}
      />
      <Typography color="textSecondary" sx={{ mt: 0.5 }}>
        {t([`${done} of ${plural(all ?? '', 'account')} finished`, `已处理 ${done} / ${all} 个账号`])}
      </Typography>
    </Box>
  )
}

function Accounts({ wave }: { wave: Wave }) {
  const t = useText()
  const pages = usePages(['wave-accounts', wave.id], `/admin/account-waves/${wave.id}/accounts`, AT_ONCE)
  const hasNetworks = pages.answer.data?.data.some(({ networks }) => (networks as string[]).length > 0)
  const hasFeeds = pages.answer.data?.data.some(({ feed_id: feed }) => feed !== null)
  const headings: Heading[] = [
    { label: ['User', '用户'], cell: (row) => <Value value={{ id: row.id, name: row.name }} as="person" /> },
    { label: ['Outcome', '结果'], cell: (row) => <Value value={row.state} choices={OUTCOMES} /> },
    { label: ['Invited by', '邀请人'], cell: (row) => <Value value={row.inviter_id} as="person" /> },
    ...(hasNetworks
      ? [
          {
            label: ['Networks of sign-ins', '登录网段'] as const,
            cell: (row: Wire) => <Value value={row.networks} as="list" />,
          },
        ]
      : []),
    ...(hasFeeds
      ? [
          {
            label: ['Matching feed', '匹配的动态'] as const,
            cell: (row: Wire) =>
              row.feed_id === null ? (
                '—'
              ) : (
                <Link to={`/feeds/${row.feed_id}/show`}>#{String(row.feed_id)}</Link>
              ),
          },
        ]
      : []),
    {
      label: ['Feeds', '动态'],
      align: 'right',
      cell: (row) => <Value value={row.feeds_count} as="number" />,
    },
    {
      label: ['Followers', '粉丝'],
      align: 'right',
      cell: (row) => <Value value={row.followers_count} as="number" />,
    },
    { label: ['Registered', '注册时间'], cell: (row) => <Value value={row.created_at} as="time" /> },
  ]
  return (
    <Card sx={{ mt: 2 }}>
      <CardContent>
        <Typography variant="h6" component="h2" gutterBottom>
          {t(['Accounts', '账号'])}
        </Typography>
        <PagedTable
          pages={pages}
          label={['Accounts', '账号']}
          headings={headings}
          empty={{ icon: 'people', text: ['No accounts.', '没有账号。'] }}
        />
      </CardContent>
    </Card>
  )
}

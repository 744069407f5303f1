import { Alert, Box, Button, MenuItem, Skeleton, Stack, TextField, Typography } from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNotify } from 'react-admin'
import { call, type Page } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'

/** What happened, as the server names it. */
const EVENTS: Record<string, Text> = {
  report: ['Reported', '被举报'],
  'report.passed': ['Report dealt with', '举报已处理'],
  'report.rejected': ['Report rejected', '举报已驳回'],
  appeal: ['Appealed', '提出申诉'],
  'sanctions.impose': ['Sanctioned', '受到处罚'],
  'sanctions.lift': ['Sanction lifted', '处罚已解除'],
  'users.create': ['Account made by an administrator', '管理员创建账号'],
  'users.update': ['Account changed by an administrator', '管理员修改账号'],
  'users.sign-out': ['Signed out by an administrator', '管理员结束登录'],
  'users.second-factor-off': ['Second factor taken off', '两步验证已关闭'],
}

/** What is told of an event, however deep it lies; of a change how it became. */
function detailsOf(details: unknown, name = ''): string[] {
  if (details === null || details === undefined || details === '') return []
  if (typeof details !== 'object') return [`${name}: ${details}`]
  const { before, after, ...rest } = details as Record<string, unknown>
  const told = after ?? before
  return [
    ...detailsOf(told, name),
    ...Object.entries(rest).flatMap(([key, value]) => detailsOf(value, Array.isArray(details) ? name : key)),
  ]
}

/** What was reported of a person and decided about them, and a warning, a silence or a suspension with its reason. */
export function SanctionHistory({ user, maySanction }: { user: number; maySanction: boolean }) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const [fault, setFault] = useState('')
  const [kind, setKind] = useState('warning')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['history', user],
    queryFn: () => call<Page>('GET', `/admin/users/${user}/history`, { query: { limit: 50 } }),
  })
  const sanction = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const { reason, hours } = Object.fromEntries(new FormData(form))
    setFault('')
    try {
      await call('POST', `/admin/users/${user}/sanctions`, {
        body: { kind, reason, ...(hours && kind !== 'warning' ? { hours: Number(hours) } : {}) },
      })
      form.reset()
      notify(t(['The person was told', '已通知该用户']), { type: 'success' })
      await client.invalidateQueries({ queryKey: ['history', user] })
    } catch (refused) {
      setFault(messageOf(refused))
    }
  }
  return (
    <>
      {maySanction && (
        <Box component="form" onSubmit={sanction} aria-label={t(['Sanction', '处置'])} sx={{ mb: 2 }}>
          <Stack direction={{ xs: 'column', sm: 'row' }} spacing={1} sx={{ alignItems: { sm: 'center' } }}>
            <TextField
              select
              label={t(['What', '方式'])}
              value={kind}
              onChange={(event) => setKind(event.target.value)}
              sx={{ maxWidth: { sm: 150 } }}
            >
              <MenuItem value="warning">{t(['warning', '警告'])}</MenuItem>
              <MenuItem value="silence">{t(['silence', '禁言'])}</MenuItem>
              <MenuItem value="suspension">{t(['suspension', '停用'])}</MenuItem>
            </TextField>
            {kind !== 'warning' && (
              <TextField
                name="hours"
                type="number"
                label={t(['Hours', '小时'])}
                slotProps={{ htmlInput: { min: 1, max: 87_600 } }}
                sx={{ maxWidth: { sm: 110 } }}
              />
            )}
            <TextField
              name="reason"
              required
              label={t(['Reason', '理由'])}
              slotProps={{ htmlInput: { maxLength: 500 } }}
            />
            <Button type="submit" variant="contained" color="error">
              {t(['Decide', '确定'])}
            </Button>
          </Stack>
          <Box role="alert">{fault && <Alert severity="error">{fault}</Alert>}</Box>
        </Box>
      )}
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={120} />}
      {data?.total === 0 && (
        <EmptyState icon="audit" text={['Nothing was ever decided about this person.', '暂无处置记录。']} />
      )}
      <Stack component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {data?.data.map((entry) => (
          <Box component="li" key={String(entry.id)} sx={{ py: 1, borderTop: 1, borderColor: 'divider' }}>
            <Typography>
              <strong>{t(EVENTS[String(entry.event)] ?? [String(entry.event), String(entry.event)])}</strong>{' '}
              · {String(entry.subject)}
            </Typography>
            <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
              <Value value={entry.at} as="time" /> · <Value value={entry.by} as="person" />{' '}
              {detailsOf(entry.details).join(' · ')}
            </Typography>
          </Box>
        ))}
      </Stack>
    </>
  )
}

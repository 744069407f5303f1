import { Box, Skeleton, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { call, type Page } from '../../api/client.ts'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { type Text, useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { SanctionForm } from './sanction-form.tsx'

/** Event types of the server. */
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

/** Returns the text of an event, at any depth; for a change the new value. */
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

/** Reports and decisions about a user, and warnings, silences or suspensions with their reasons. */
export function SanctionHistory({ user, maySanction }: { user: number; maySanction: boolean }) {
  const t = useText()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['history', user],
    queryFn: () => call<Page>('GET', `/admin/users/${user}/history`, { query: { limit: 50 } }),
  })
  return (
    <>
      {maySanction && <SanctionForm user={user} />}
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
